"""Overflow or not: wordings of our own making, one a family (spec/context 6, B56, B57)."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neocode.domain.errors import ContextTooLong, ProviderError, TransientError
from neocode.provider.errors import classify
from neocode.provider.refusal.evidence import Failure


def judge(text: str, status: int | None = 400, **more: object) -> ProviderError:
    """What a failure with this body is."""
    return classify(Failure(texts=(text,), status=status, **more))  # type: ignore[arg-type]


ROWS = [
    json.loads(line)
    for line in Path(__file__).with_name("refusals.jsonl").read_text("utf-8").splitlines()
]
OVERFLOWS = [
    (row["status"], row["body"], row["limit"], row["requested"])
    for row in ROWS
    if row["kind"] == "context_too_long"
]
LOOKALIKES = [
    (row["status"], row["body"], row["kind"]) for row in ROWS if row["kind"] != "context_too_long"
]


@pytest.mark.parametrize(("status", "body", "limit", "requested"), OVERFLOWS)
def test_an_overflow_is_recognised(
    status: int, body: str, limit: int | None, requested: int | None
) -> None:
    """B56: in every provider's words, typed or not, nested or flat, whatever the status."""
    error = judge(body, status)
    assert isinstance(error, ContextTooLong)
    assert (error.limit, error.requested) == (limit, requested)


@pytest.mark.parametrize(("status", "body", "kind"), LOOKALIKES)
def test_a_lookalike_is_no_overflow(status: int, body: str, kind: str) -> None:
    """B57: no compaction for rate limits, max_tokens, quotas, filters, schemas, bytes."""
    assert judge(body, status).kind == kind


@pytest.mark.parametrize(("status", "body", "kind"), LOOKALIKES[:8])
def test_a_rate_limit_waits_even_when_the_window_is_nearly_full(
    status: int, body: str, kind: str
) -> None:
    error = judge(body, status, share=0.99)
    assert isinstance(error, TransientError)
    assert error.kind == kind


def test_the_typed_error_counts_unless_its_text_speaks_of_something_else() -> None:
    typed = ("ContextWindowExceededError", "BadRequestError")
    assert isinstance(judge("no reason", classes=typed), ContextTooLong)
    wrong = "Invalid 'messages[1].tool_calls[0].id': string too long. maximum length 40"
    assert judge(wrong, classes=typed).kind == "bad_request"


@pytest.mark.parametrize("status", [400, 413])
def test_a_bare_refusal_near_the_window_is_an_overflow(status: int) -> None:
    assert isinstance(judge("", status, share=0.9), ContextTooLong)
    assert not isinstance(judge("", status, share=0.2), ContextTooLong)


def test_a_limit_in_bytes_with_a_fifth_of_the_window_in_use_is_not_the_window() -> None:
    """B57: a 413 by bytes is said to be one."""
    body = '{"error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}'
    error = judge(body, 413, share=0.2)
    assert error.kind == "body_too_large"
    assert "bytes" in error.message
    assert "picture" in error.hint


def test_numbers_in_brackets_and_codes_are_no_counts() -> None:
    error = judge("invalid params, context window exceeds limit (2013)")
    assert isinstance(error, ContextTooLong)
    assert error.limit is None


def test_an_echoed_request_decides_nothing() -> None:
    """A validation error that quotes the conversation is not read as the provider's words."""
    body = {
        "detail": [{"loc": ["body", "messages"], "msg": "field required", "input": "x" * 10}],
        "messages": [{"content": "prompt is too long: 9 tokens > 8 maximum; rate limit"}],
    }
    error = classify(Failure(bodies=(body,), status=422))
    assert error.kind == "bad_request"


@given(
    st.sampled_from([case for case in OVERFLOWS if not case[1].startswith("{")]),
    st.sampled_from(["error", "detail", "message"]),
    st.booleans(),
    st.sampled_from([400, 422, 500, None]),
)
def test_the_envelope_does_not_matter(
    case: tuple[int, str, int | None, int | None], key: str, nested: bool, status: int | None
) -> None:
    body: object = {key: {"message": case[1], "code": None} if nested else case[1]}
    flat = classify(Failure(bodies=(body,), status=status))
    proxied = classify(
        Failure(texts=(f"litellm.BadRequestError: XException - {json.dumps(body)}",), status=status)
    )
    assert isinstance(flat, ContextTooLong)
    assert isinstance(proxied, ContextTooLong)
    assert flat.limit == proxied.limit == case[2]


@given(st.text(max_size=300), st.integers(300, 599) | st.none(), st.booleans())
def test_any_text_is_classified(text: str, status: int | None, received: bool) -> None:
    error = judge(text, status, received=received)
    assert error.message
    assert len(error.message) < 700


@pytest.mark.skipif(
    "NEOCODE_ERROR_CORPUS" not in os.environ, reason="no corpus of recorded errors named"
)
def test_every_row_of_an_external_corpus() -> None:
    """Rows as JSONL: http_status, body, litellm_exception, litellm_message, ..."""
    wrong = []
    for line in Path(os.environ["NEOCODE_ERROR_CORPUS"]).read_text("utf-8").splitlines():
        row = json.loads(line)
        body = row["body"] if isinstance(row["body"], str) else json.dumps(row["body"])
        status = row["http_status"]
        error = classify(
            Failure(
                classes=tuple(filter(None, [row.get("litellm_exception")])),
                status=row.get("litellm_status_code") if status == 200 else status,
                texts=(row.get("litellm_message") or "", body),
            )
        )
        found = isinstance(error, ContextTooLong)
        numbers = (getattr(error, "limit", None), getattr(error, "requested", None))
        stated = (row.get("reported_max_tokens"), row.get("reported_input_tokens"))
        if found != row["is_context_overflow"] or (found and numbers != stated):
            wrong.append((row["id"], error.kind, numbers, stated))
    assert wrong == []
