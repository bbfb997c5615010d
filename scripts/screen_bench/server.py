"""A model server that streams as many words as the prompt asks for."""

import json
import re
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PIECE = (
    "The **parser** reads the first row of the table and keeps `rows[0]` as its heading. What "
    "follows is taken line by line, so that a file without a line end at its last row is read "
    "like any other. The change is small, and the tests that were there before still pass: they "
    "never looked at such a file, which is why nobody saw that its last row was lost.\n\n"
    "- the heading stays as it was\n- the rows are split by `splitlines()`\n- one new test\n\n"
    "```python\ndef rows(text: str) -> list[str]:\n    return text.splitlines()\n```\n\n"
)
WORDS = re.findall(r"\s*\S+", PIECE * 80)


class Server(ThreadingHTTPServer):
    """Answers "TOKENS n" with n words and an end mark END-k; "PAUSE ms" waits between words."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.count = 0
        self.url = f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Readers that go away are no fault."""


class Handler(BaseHTTPRequestHandler):
    """OpenAI's chat completions, streamed."""

    protocol_version = "HTTP/1.1"
    server: Any

    def log_message(self, format: str, *args: Any) -> None:
        """Silent."""

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        body = json.loads(self.rfile.read(length) or b"{}")
        prompt = str([m for m in body["messages"] if m["role"] == "user"][-1]["content"])
        self.server.count += 1
        tokens = re.search(r"TOKENS (\d+)", prompt)
        pause = re.search(r"PAUSE (\d+)", prompt)
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for text in self._words(int(tokens[1]) if tokens else 30):
            self._send({"content": text})
            if pause:
                time.sleep(int(pause[1]) / 1000)
        self._send({}, finish="stop")
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True

    def _words(self, count: int) -> list[str]:
        return [*WORDS[: count - 1], f"\n\nEND-{self.server.count}."]

    def _send(self, delta: dict[str, str], finish: str | None = None) -> None:
        chunk = {
            "id": "c", "object": "chat.completion.chunk", "created": 1, "model": "bench",
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        }  # fmt: skip
        self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())


if __name__ == "__main__":
    server = Server()
    print(server.url, flush=True)
    server.serve_forever()
