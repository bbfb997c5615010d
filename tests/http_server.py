"""A local server that speaks the wire formats of OpenAI and Anthropic, for tests.

It answers from a script, checks every request as the strictest provider would (a breach
is a 400 and stands in `complaints`), and keeps the requests. It can fail in every way
that field report B58 names.
"""

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

from tests.http_checks import complaint

Cut = Literal["", "zero", "text", "call", "no_end", "clean_end", "silence"]


@dataclass(kw_only=True)
class Answer:
    """One scripted answer.

    calls: (id, name, JSON arguments). usage: the object as the provider would send it.
    cut: where the stream breaks: before any byte, in the text, in a call, before the end
    mark (with the connection cut, or closed in good order), or silence after the text.
    status, body, headers: an error (or a raw 200 body) instead of a stream.
    raw_events: data lines to send instead of made ones. raw_calls: tool_calls deltas as given.
    """

    text: str = ""
    reasoning: str = ""
    signature: str = ""
    calls: tuple[tuple[str, str, str], ...] = ()
    raw_calls: tuple[Any, ...] = ()
    usage: dict[str, Any] | None = None
    finish: str = ""
    cut: Cut = ""
    status: int = 200
    body: str | None = None
    headers: dict[str, str] = field(default_factory=dict)
    raw_events: tuple[str, ...] = ()
    hold: threading.Event | None = None


@dataclass(frozen=True)
class Recorded:
    """A request as it arrived; header names in lower case."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class _CutOff(Exception):
    """Close the connection here, without a word."""


class _Listener(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Silent: readers that go away are part of the tests."""


class LlmServer:
    """Use as a context manager; `url` is the api_base for OpenAI-style clients.

    strict: whether requests are checked; false for other wire formats.
    closed_early: answers whose reader went away before they were sent.
    """

    def __init__(self, *answers: Answer, models: tuple[str, ...] = ("test-model",)) -> None:
        self.script = list(answers)
        self.models = models
        self.props: dict[str, Any] | None = None
        self.requests: list[Recorded] = []
        self.complaints: list[str] = []
        self.closed_early = 0
        self.strict = True
        self.stopping = threading.Event()
        self._http = _Listener(("127.0.0.1", 0), _Handler)
        self._http.owner = self  # type: ignore[attr-defined]
        self.port: int = self._http.server_address[1]
        self.root = f"http://127.0.0.1:{self.port}"
        self.url = f"{self.root}/v1"
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self) -> "LlmServer":
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.stopping.set()
        self._http.shutdown()
        self._http.server_close()

    def next_answer(self) -> Answer:
        """The next of the script; its last one repeats."""
        if not self.script:
            return Answer(text="Done.")
        return self.script.pop(0) if len(self.script) > 1 else self.script[0]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Any

    @property
    def owner(self) -> LlmServer:
        owner: LlmServer = self.server.owner
        return owner

    def log_message(self, format: str, *args: Any) -> None:
        """Silent."""

    def do_GET(self) -> None:
        owner = self.owner
        if self.path.endswith("/models"):
            listed = [{"id": name, "object": "model"} for name in owner.models]
            self._json(200, {"object": "list", "data": listed})
        elif self.path == "/props" and owner.props is not None:
            self._json(200, owner.props)
        else:
            self._json(404, {"error": {"message": "no such page"}})

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        body = json.loads(self.rfile.read(length) or b"{}")
        owner = self.owner
        headers = {name.lower(): value for name, value in self.headers.items()}
        owner.requests.append(Recorded(self.path, headers, body))
        anthropic = self.path.endswith("/messages")
        if owner.strict and (fault := complaint(body, anthropic=anthropic)):
            owner.complaints.append(fault)
            self._json(400, {"error": {"message": fault, "type": "invalid_request_error"}})
            return
        self._answer(owner.next_answer(), anthropic, bool(body.get("stream")))

    def _answer(self, answer: Answer, anthropic: bool, stream: bool) -> None:
        if answer.status != 200 or answer.body is not None:
            self._raw(answer.status, answer.body or "", answer.headers)
            return
        events = _anthropic_events(answer) if anthropic else _openai_events(answer)
        if answer.raw_events:
            events = iter(answer.raw_events)
        try:
            self._stream(events, answer)
        except _CutOff:
            self.close_connection = True
            self.connection.shutdown(2)
        except (BrokenPipeError, ConnectionResetError):
            self.owner.closed_early += 1
            self.close_connection = True

    def _stream(self, events: Iterator[str], answer: Answer) -> None:
        if answer.cut == "zero":
            raise _CutOff
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.end_headers()
        for event in events:
            if event == "HOLD":
                self._hold(answer)
                continue
            self._chunk(event)
        self.wfile.write(b"0\r\n\r\n")

    def _hold(self, answer: Answer) -> None:
        """Silence until the test ends it; notices a reader that goes away."""
        waiting = answer.hold or self.owner.stopping
        while not (waiting.wait(0.05) or self.owner.stopping.is_set()):
            self._chunk(": still here\n\n")

    def _chunk(self, text: str) -> None:
        data = text.encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def _json(self, status: int, value: Any) -> None:
        self._raw(status, json.dumps(value), {})

    def _raw(self, status: int, body: str, headers: dict[str, str]) -> None:
        data = body.encode()
        kind = headers.get("content-type", "application/json")
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        for name, value in headers.items():
            if name != "content-type":
                self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)


def _pieces(text: str, size: int = 7) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def _openai_events(answer: Answer) -> Iterator[str]:
    yield _openai({"role": "assistant", "content": ""})
    for piece in _pieces(answer.reasoning):
        yield _openai({"reasoning_content": piece})
    for number, piece in enumerate(_pieces(answer.text)):
        yield _openai({"content": piece})
        if answer.cut == "text" and number:
            raise _CutOff
    if answer.cut == "silence" or answer.hold:
        yield "HOLD"
    for index, (call_id, name, arguments) in enumerate(answer.calls):
        head = {"index": index, "id": call_id, "type": "function"}
        yield _openai({"tool_calls": [{**head, "function": {"name": name, "arguments": ""}}]})
        for piece in _pieces(arguments, 5):
            yield _openai({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
            if answer.cut == "call":
                raise _CutOff
    for delta in answer.raw_calls:
        yield _openai({"tool_calls": [delta]})
    if answer.cut == "no_end":
        raise _CutOff
    if answer.cut == "clean_end":
        return
    finish = answer.finish or ("tool_calls" if answer.calls or answer.raw_calls else "stop")
    yield _openai({}, finish)
    if answer.usage is not None:
        yield _data({**_ENVELOPE, "choices": [], "usage": answer.usage})
    yield "data: [DONE]\n\n"


_ENVELOPE = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m"}


def _openai(delta: dict[str, Any], finish: str | None = None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return _data({**_ENVELOPE, "choices": [choice]})


def _data(value: Any) -> str:
    return f"data: {json.dumps(value)}\n\n"


def _anthropic_events(answer: Answer) -> Iterator[str]:
    usage = {"input_tokens": 1, "output_tokens": 1, **(answer.usage or {})}
    start = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": []}
    yield _event("message_start", message={**start, "usage": usage, "stop_reason": None})
    index = 0
    if answer.signature:
        deltas = [{"type": "thinking_delta", "thinking": p} for p in _pieces(answer.reasoning)]
        deltas.append({"type": "signature_delta", "signature": answer.signature})
        yield from _block(index, {"type": "thinking", "thinking": "", "signature": ""}, deltas)
        index += 1
    if answer.text:
        deltas = [{"type": "text_delta", "text": piece} for piece in _pieces(answer.text)]
        cut = 2 if answer.cut == "text" else None
        yield from _block(index, {"type": "text", "text": ""}, deltas, cut)
        index += 1
    if answer.cut == "silence" or answer.hold:
        yield "HOLD"
    for call_id, name, arguments in answer.calls:
        opened = {"type": "tool_use", "id": call_id, "name": name, "input": {}}
        deltas = [{"type": "input_json_delta", "partial_json": p} for p in _pieces(arguments, 5)]
        yield from _block(index, opened, deltas, 1 if answer.cut == "call" else None)
        index += 1
    if answer.cut == "no_end":
        raise _CutOff
    if answer.cut == "clean_end":
        return
    reason = answer.finish or ("tool_use" if answer.calls else "end_turn")
    out = {"output_tokens": usage["output_tokens"]}
    yield _event("message_delta", delta={"stop_reason": reason}, usage=out)
    yield _event("message_stop")


def _block(
    index: int, opened: dict[str, Any], deltas: list[dict[str, Any]], cut: int | None = None
) -> Iterator[str]:
    yield _event("content_block_start", index=index, content_block=opened)
    for number, delta in enumerate(deltas, 1):
        yield _event("content_block_delta", index=index, delta=delta)
        if number == cut:
            raise _CutOff
    yield _event("content_block_stop", index=index)


def _event(kind: str, **fields: Any) -> str:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n"
