"""A chat endpoint in this process that answers from a script, faults included: for tests and for `evals.faults`."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BufferedIOBase
from typing import Any


@dataclass(frozen=True)
class Answer:
    """What the endpoint does with one request.

    Args:
        text: the message; None for none.
        tool: arguments of a tool call.
        status: HTTP status; other than 200 the body is an error.
        finish: finish reason.
        cut: close the connection without an answer.
        broken: close it in the middle of the answer.
        choices: whether there are any.
        garbage: send this instead of JSON.
        message: fields that the message has besides or instead.
        completion: fields that the completion has besides or instead.
        error: the error that the body holds where the status is another than 200.
        delay: seconds before the answer.
        raw: the bytes of the body, as they are.
        drip: seconds before each byte of the body; with `drip_head`, of what comes before it as well.
    """

    text: str | None = None
    tool: str | None = None
    status: int = 200
    finish: str = "stop"
    cut: bool = False
    broken: bool = False
    choices: bool = True
    garbage: str | None = None
    headers: dict[str, str] = field(default_factory=dict)
    message: dict[str, Any] = field(default_factory=dict)
    completion: dict[str, Any] = field(default_factory=dict)
    error: dict[str, Any] = field(default_factory=dict)
    delay: float = 0.0
    raw: bytes | None = None
    drip: float = 0.0
    drip_head: bool = False


Script = Callable[[dict[str, Any], int], Answer]


@dataclass
class Stub:
    """A running endpoint.

    Args:
        requests: the bodies that came, in order.
        answered: those of them that were answered in whole, with status 200.
        repeated: those that came again after that.
    """

    url: str
    requests: list[dict[str, Any]]
    answered: list[dict[str, Any]] = field(default_factory=list)
    repeated: list[dict[str, Any]] = field(default_factory=list)


@contextmanager
def serving(script: Script) -> Iterator[Stub]:
    """Serve a script, which is given each request's body and its number from 0."""
    stub = Stub("", [])
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            """Answer by the script."""
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                number = len(stub.requests)
                stub.requests.append(body)
                if body in stub.answered:
                    stub.repeated.append(body)
            answer = script(body, number)
            time.sleep(answer.delay)
            if answer.cut:
                self.close_connection = True
                return
            if answer.drip_head:
                _drip(self.wfile, b"HTTP/1.1 200 OK\r\nX-Wait: " + b"." * 1000, answer.drip)
            data = answer.raw
            if data is None:
                data = (answer.garbage or json.dumps(completion(answer, body))).encode()
            self.send_response(answer.status)
            for name, value in {"Content-Type": "application/json", **answer.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if answer.drip:
                _drip(self.wfile, data, answer.drip)
            else:
                self.wfile.write(data[: len(data) // 2] if answer.broken else data)
            self.wfile.flush()
            if answer.broken:
                self.close_connection = True
            elif answer.status == 200:
                with lock:
                    stub.answered.append(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it
            """Say nothing."""

    class Server(ThreadingHTTPServer):
        request_queue_size = 128

        def handle_error(self, request: object, client_address: object) -> None:
            """Say nothing of a client that went away."""

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        stub.url = f"http://127.0.0.1:{server.server_port}/v1"
        yield stub
    finally:
        server.shutdown()
        server.server_close()


def _drip(file: BufferedIOBase, data: bytes, pause: float) -> None:
    for byte in data:
        time.sleep(pause)
        file.write(bytes([byte]))
        file.flush()


def mode_of(body: dict[str, Any]) -> str:
    """How a request asks for its form."""
    if body.get("tools"):
        return "tools"
    return "json_schema" if body.get("response_format", {}).get("type") == "json_schema" else "md_json"


def completion(answer: Answer, body: dict[str, Any]) -> dict[str, Any]:
    """The body of an answer."""
    if answer.status != 200:
        return {"error": {"message": "no", "type": "stub", "code": str(answer.status), **answer.error}}
    message: dict[str, Any] = {"role": "assistant", "content": answer.text, **answer.message}
    if answer.tool is not None:
        name = body["tools"][0]["function"]["name"]
        call = {"id": "c1", "type": "function", "function": {"name": name, "arguments": answer.tool}}
        message["tool_calls"] = [call]
    asked = sum(len(str(part["content"])) for part in body["messages"])
    sent = 11 if asked < 4000 else asked // 3  # of long questions, as many as a tokenizer would make of them
    choice = {"index": 0, "message": message, "finish_reason": answer.finish}
    return {
        "id": "x", "object": "chat.completion", "created": 1, "model": "stub-1",
        "choices": [choice] if answer.choices else [],
        "usage": {"prompt_tokens": sent, "completion_tokens": 7, "total_tokens": sent + 7},
        **answer.completion,
    }  # fmt: skip
