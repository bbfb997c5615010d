"""Any history, any order of append, compact, undo, redo: the views stay right."""

import json
from dataclasses import asdict, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from neocode.domain.messages import Image, Message, ToolCall
from neocode.domain.session import CompactionRecord
from neocode.domain.task_state import TaskState
from neocode.store.sessions import SessionStore

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


class Histories(RuleBasedStateMachine):
    """The store against a model in memory: a stack of compacted views.

    applied: (view before, its TaskState, the record), oldest first.
    undone: (view after, its TaskState) of what was undone, next to redo last.
    """

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.store = SessionStore.open(Path(self.folder.name) / "sessions.db")
        self.session = self.store.create(cwd="/p")
        self.count = 0
        self.full: list[str] = []
        self.applied: list[tuple[list[Message], TaskState, CompactionRecord]] = []
        self.undone: list[tuple[int, bytes]] = []
        self.say("first", "", "")

    def teardown(self) -> None:
        self.store.close()
        self.folder.cleanup()

    def fresh(self) -> str:
        self.count += 1
        return f"m{self.count}"

    @rule(text=TEXT, arguments=TEXT, data=TEXT)
    def say(self, text: str, arguments: str, data: str) -> None:
        said = Message(
            id=self.fresh(),
            created_at=f"{self.count:05d}",
            role="assistant",
            content=text,
            tool_calls=(ToolCall(id=f"c{self.count}", name="bash", arguments=arguments),),
            images=(Image(media_type="image/png", data=data),) if data else (),
            metadata={"note": text} if text else {},
        )
        self.session = replace(
            self.session.append(said),
            input_tokens_since_compaction=self.session.input_tokens_since_compaction + 7,
        )
        self.store.append(self.session, said)
        self.full.append(said.id)

    @rule(data=st.data())
    def compact(self, data: st.DataObject) -> None:
        live = list(self.session.messages)
        first = data.draw(st.integers(0, len(live) - 1))
        stop = data.draw(st.integers(first + 1, len(live)))
        carried = data.draw(st.sampled_from([None, *live[first + 1 : stop]]))
        archived = [m for m in live[first:stop] if m is not carried]
        summary = Message(
            id=self.fresh(),
            created_at=f"{self.count:05d}",
            role="user",
            content="[compact_summary]",
            is_compaction_summary=True,
        )
        middle = [summary] if carried is None else [summary, carried]
        after = replace(
            self.session.with_messages((*live[:first], *middle, *live[stop:])),
            task_state=TaskState(goal=summary.id),
            input_tokens_since_compaction=0,
            compactions=self.session.compactions + 1,
        )
        record = CompactionRecord(
            id=f"c_{summary.id}",
            session_id=after.id,
            created_at=summary.created_at,
            trigger_mode="auto",
            strategy="keep_recent",
            method="summary",
            model="",
            transcript_id="",
            transcript_path="",
            summary_message_id=summary.id,
            archived_ids=tuple(m.id for m in archived),
            task_state_before=self.session.task_state,
            task_state_after=after.task_state,
            counters_before={},
            metrics={},
        )
        self.store.apply_compaction(after, record, summary)
        self.applied.append((live, self.session.task_state, record))
        self.session = after
        self.full.append(summary.id)
        self.undone.clear()

    @precondition(lambda self: self.applied)
    @rule()
    def undo(self) -> None:
        now = self.bytes()
        before, state, record = self.applied.pop()
        since = [m for m in self.session.messages if m not in before]
        later = [m for m in since if m.id != record.summary_message_id]
        self.session = self.store.undo_compaction(self.session.id)
        assert list(self.session.messages) == [*before, *later]
        assert self.session.task_state == state
        undone = self.bytes()
        self.full.remove(record.summary_message_id)
        self.store.redo_compaction(self.session.id)
        assert self.bytes() == now, "undo then redo gives the same bytes"
        self.store.undo_compaction(self.session.id)
        assert self.bytes() == undone, "redo then undo does too"
        self.undone.append((len(later), now))

    def bytes(self) -> bytes:
        """All that the model's side sees of the stored session, and the full view."""
        session = asdict(self.store.load(self.session.id))
        full = [asdict(m) for m in self.store.messages(self.session.id, "full")]
        return json.dumps([session, full]).encode()

    @invariant()
    def views_are_right(self) -> None:
        assert self.store.load(self.session.id) == self.session
        assert [m.id for m in self.store.messages(self.session.id, "full")] == self.full

    @invariant()
    def tails_agree(self) -> None:
        live = list(self.session.messages)
        assert self.store.tail(self.session.id, "compacted", 3) == live[-3:]
        if len(live) > 3:
            before = live[-3].id
            assert self.store.tail(self.session.id, "compacted", 2, before) == live[:-3][-2:]

    @invariant()
    def the_list_agrees(self) -> None:
        (info,) = self.store.list()
        stored = self.store.messages(self.session.id, "full")
        assert info.messages == sum(not m.is_compaction_summary for m in stored)
        assert info.compactions == len(self.applied) == self.session.compactions


TestHistories = Histories.TestCase
TestHistories.settings = settings(max_examples=15, stateful_step_count=15, deadline=None)
