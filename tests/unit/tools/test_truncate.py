from neocode.domain.tooling import ToolOutcome
from neocode.tools.truncate import estimate_tokens, share, shorten


def test_what_fits_stays_as_it_is() -> None:
    assert shorten("short", 100) == "short"


def test_head_note_and_tail() -> None:
    """B30: 400k characters become head, tail and a note with the size and the place."""
    text = "".join(f"line {number}\n" for number in range(40_000))
    short = shorten(text, 1000, where="/tmp/out.txt")
    assert estimate_tokens(short) <= 1000
    assert short.startswith("line 0\nline 1\n")
    assert short.endswith("line 39999\n")
    assert "The whole text: /tmp/out.txt" in short
    assert f"{len(text):,} characters" in short


def test_accents_and_joined_emoji_are_not_torn() -> None:
    family = "\U0001f469\u200d\U0001f469\u200d\U0001f467"
    for text in ("e\u0301" * 5000, family * 2000):
        for tokens in range(100, 130):
            head, _, tail = shorten(text, tokens).partition("\n[...")
            tail = tail.partition("...]\n")[2]
            assert head[-1] != "\u200d"
            assert not tail.startswith(("\u0301", "\u200d"))


def test_several_results_share_a_limit() -> None:
    """B30: five results of 10k tokens each; a small one among them stays whole."""
    big = [ToolOutcome(content="word " * 10_000) for _ in range(5)]
    kept = ToolOutcome(content="word " * 10_000, metadata={"full_output": "/kept"})
    saved: list[str] = []

    def save(text: str) -> str:
        saved.append(text)
        return f"/saved/{len(saved)}"

    outcomes = share([*big, ToolOutcome(content="small"), kept], 12_000, save)
    assert sum(estimate_tokens(outcome.content) for outcome in outcomes) <= 12_000
    assert outcomes[5].content == "small"
    assert outcomes[0].metadata["full_output"] == "/saved/1"
    assert outcomes[6].metadata["full_output"] == "/kept"
    assert len(saved) == 5
    assert share(outcomes, 12_000, save) == outcomes
