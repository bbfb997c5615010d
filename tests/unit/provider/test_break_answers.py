"""Answers that are none, and errors that echo the key: what the user is told."""

import logging
import os
import stat
from pathlib import Path
from types import SimpleNamespace

import pytest

from neocode.config.log_file import PrivateLogFile, hide_in_logs
from neocode.config.schema import RetryConfig
from neocode.domain.errors import PermanentError, TransientError
from neocode.domain.model import ModelInfo
from neocode.provider.base import ModelRequest
from neocode.provider.errors import classify
from neocode.provider.fake import ScriptedProvider
from neocode.provider.refusal.evidence import Failure
from neocode.provider.refusal.extract import body_failure, failure_of, is_page
from neocode.runtime.turn import Turn

KEY = "my-own-gateway-key-123"


class APIConnectionError(Exception):
    """The class that litellm gives to an error object inside a stream."""

    def __init__(self, body: object) -> None:
        super().__init__("APIConnectionError: OpenAIException - in the stream")
        self.body = body


def test_an_echoed_key_is_not_shown() -> None:
    """B47."""
    text = f"Incorrect API key provided: {KEY}"
    for failure in (
        Failure(status=401, texts=(text,), secret=KEY),
        Failure(status=401, bodies=({"error": {"message": text}},), secret=KEY),
    ):
        error = classify(failure)
        assert error.kind == "auth"
        assert KEY not in error.message
        assert "[key]" in error.message
    assert KEY not in repr(Failure(secret=KEY))


@pytest.mark.parametrize(
    "failure",
    [
        Failure(classes=("APIConnectionError", "JSONDecodeError"), texts=("Expecting , at 1",)),
        Failure(classes=("APIConnectionError", "AttributeError"), texts=("no attribute 'x'",)),
        body_failure({}),
        body_failure([]),
        body_failure([1]),
    ],
)
def test_what_is_no_answer_was_reached_all_the_same(failure: Failure) -> None:
    error = classify(failure)
    assert error.kind == "server_error"
    assert "no answer that can be read" in error.message
    assert "api_base" in error.hint
    assert isinstance(error, TransientError)


@pytest.mark.parametrize(
    ("code", "kind"), [(429, "rate_limit"), (529, "overloaded"), (500, "server_error"), (None, "")]
)
def test_an_error_inside_a_stream_has_the_status_of_its_code(code: int | None, kind: str) -> None:
    body = {"message": "upstream died", "code": code}
    error = classify(failure_of(APIConnectionError(body)))
    assert error.kind == (kind or "server_error")
    assert "upstream died" in error.message
    assert "reached" not in error.message


def test_no_traceback_and_no_tags_are_shown() -> None:
    text = "NoneType trouble\nTraceback (most recent call last):\n  File x"
    assert "Traceback" not in classify(Failure(status=500, texts=(text,))).message
    page = "<html><body>404 page not found</body></html>"
    error = classify(Failure(status=404, texts=(page,), bodies=(page,)))
    assert error.message.endswith("(404): 404 page not found")


def test_a_web_page_is_told_from_an_answer() -> None:
    headers = {"llm_provider-content-type": "text/html"}
    assert is_page(SimpleNamespace(_hidden_params={"additional_headers": headers}))
    assert not is_page(object())


async def test_a_wait_that_is_too_long_is_named() -> None:
    """B59: one hour."""
    busy = TransientError("lab: busy", kind="rate_limit", status=429, retry_after=3600)
    turn = Turn(ScriptedProvider([[busy]]), RetryConfig(), lambda event: None)
    request = ModelRequest(model=ModelInfo(name="m", id="x/y"), system="", messages=())
    with pytest.raises(TransientError) as caught:
        await turn.ask(request)
    assert "60 minutes" in caught.value.hint
    assert "retry.max_wait_s" in caught.value.hint
    assert not isinstance(caught.value, PermanentError)


def test_logs_are_private_bounded_and_without_keys(tmp_path: Path) -> None:
    """B16, B47."""
    before = os.umask(0)
    try:
        handler = PrivateLogFile(tmp_path / "x.log")
        hide_in_logs(KEY)
        hide_in_logs("x")
        logger = logging.Logger("test")
        logger.addHandler(handler)
        logger.error("refused %s", KEY)
        for _ in range(60):
            logger.error("x" * 100_000)
        handler.close()
    finally:
        os.umask(before)
    files = sorted(tmp_path.iterdir())
    assert len(files) == 3
    for file in files:
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert KEY not in file.read_text()
        assert file.stat().st_size <= 1_100_000
