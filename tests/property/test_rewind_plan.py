"""Which files go back, and which are somebody else's: against a history that is known whole."""

from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from neocode.domain.checkpoints import FileChange, FileState
from neocode.runtime.past.looking import Seen
from neocode.runtime.past.plan import plan

PATH = Path("/p/x")
CONTENTS = st.sampled_from(["", "a", "b", "c", "d"])
"""What the file holds; "" when it is not there."""

ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("tool"), CONTENTS),
        st.tuples(st.just("failed"), CONTENTS),
        st.tuples(st.just("user"), CONTENTS),
        st.just(("prompt", "")),
    ),
    max_size=12,
)


def state(content: str) -> FileState:
    return FileState(sha256=content, kept=True)


@dataclass
class World:
    """One file through prompts, tools and the user's own hands."""

    content: str = "a"
    place: int = 0
    changes: list[FileChange] = field(default_factory=list)
    overwritten: list[tuple[int, str]] = field(default_factory=list)
    is_theirs: bool = False

    def act(self, kind: str, content: str) -> None:
        if kind == "prompt":
            self.place += 1
            return
        if kind in ("tool", "failed") and content != self.content:
            before = state(self.content)
            self.changes.append(
                FileChange(
                    message_id="m", path=PATH, before=before, after=content, place=self.place
                )
            )
            if self.is_theirs:
                self.overwritten.append((len(self.changes) - 1, self.content))
        if kind != "failed" and content != self.content:
            self.content, self.is_theirs = content, kind == "user"


@given(ACTIONS, st.integers(0, 6))
def test_nothing_that_only_the_user_wrote_is_lost_unasked(
    actions: list[tuple[str, str]], place: int
) -> None:
    world = World()
    for kind, content in actions:
        world.act(kind, content)
    steps = plan(world.changes, place, lambda _: Seen(state(world.content)))
    since = [i for i, change in enumerate(world.changes) if change.place >= place]
    if not since:
        assert steps == []
        return
    target = world.changes[since[0]].before.sha256
    if world.content == target:
        assert steps == []
        return
    [step] = steps
    assert step.target.sha256 == target
    made = {target} | {world.changes[i].after for i in since}
    theirs = [content for number, content in world.overwritten if number > since[0]]
    if world.is_theirs:
        theirs.append(world.content)
    if any(content not in made for content in theirs):
        assert step.trouble == "changed"
    if not theirs:
        assert step.trouble == ""


@given(ACTIONS)
def test_what_only_tools_did_goes_back_without_a_question(
    actions: list[tuple[str, str]],
) -> None:
    """Failed and killed writes among them."""
    world = World()
    for kind, content in actions:
        if kind != "user":
            world.act(kind, content)
    for step in plan(world.changes, 0, lambda _: Seen(state(world.content))):
        assert (step.target.sha256, step.trouble) == ("a", "")


def test_what_is_not_kept_is_named() -> None:
    lost = FileChange(
        message_id="m", path=PATH, before=FileState(sha256="a", size=9), after="b", place=0
    )
    [step] = plan([lost], 0, lambda _: Seen(state("b")))
    assert step.trouble == "not_kept"
