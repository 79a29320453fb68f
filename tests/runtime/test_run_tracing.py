"""Runs as traces: what the audit tells becomes spans, which a collector takes."""

import os
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hazmat import INPUTS, NOT_FILED, gold, scenario
from plant import Recorded, host_in, open_tasks, published, user

from catalog.importing.errors import MissingExtra
from ir.errors import BadSetting
from runtime.advance import advance
from runtime.commands import answer, begin, steer
from runtime.errors import NotExported, UnknownExecution
from runtime.host import Host
from runtime.tracing import TraceSpan, export_trace, spans_of
from store import audit

ID, FILING = "transport-compliance", "io.check_filing_status"
GIVES = scenario(NOT_FILED).outputs
with_otel = pytest.mark.skipif(
    find_spec("opentelemetry") is None or (find_spec("opentelemetry.sdk") is None and os.environ.get("CI") != "true"),
    reason="no OpenTelemetry: pip install 'flowc[otel]'",
)


@pytest.fixture
def recorded() -> Recorded:
    """What the systems give where nothing is filed."""
    return Recorded(GIVES)


@pytest.fixture
def host(tmp_path: Path, recorded: Recorded, monkeypatch: pytest.MonkeyPatch) -> Host:
    """The first case, published."""
    for name in [name for name in os.environ if name.startswith("OTEL_")]:
        monkeypatch.delenv(name)
    found = host_in(tmp_path, recorded)
    published(found, gold())
    return found


class Collector:
    """What was sent to a collector, and the status that it answers with."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, bytes]] = []
        self.status, self.port = 200, 0


@pytest.fixture
def collector() -> Iterator[Collector]:
    """A collector on this machine."""
    found = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            found.requests.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(found.status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        found.port = server.server_address[1]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield found
        server.shutdown()


def ended(host: Host, *, approved: bool | None = True) -> str:
    """A run that ended: approved, refused, or called off while it waited."""
    found = begin(host, user(host, "li"), ID, 1, INPUTS)
    advance(host, found.id)
    if approved is None:
        steer(host, user(host, "li"), found.id, "cancel")
    for task in open_tasks(host, found.id) if approved is not None else ():
        answer(host, user(host, "wen"), task.id, {"approved": approved}, task.digest)
    advance(host, found.id)
    return found.id


def spans(host: Host, execution: str) -> list[TraceSpan]:
    """The spans of a run."""
    with host.workspace.transaction() as connection:
        return spans_of(f"{ID}@v1", audit.events(connection, execution))


def test_each_node_is_a_span_of_its_kind(host: Host) -> None:
    """A call, a task, all else at its moment, each once and within the run; nothing that was given is in them."""
    root, *below = spans(host, ended(host))
    assert (root.key, root.name, root.error) == ("", f"{ID}@v1", None)
    assert [(one.name, one.attributes["flowc.kind"]) for one in sorted(below, key=lambda one: one.end)] == [
        ("identify", "call"), ("level", "call"), ("mode_check", "node"), ("filing", "call"), ("summary", "call"),
        ("approve", "task"),
    ]  # fmt: skip
    assert all(root.begin <= one.begin <= one.end <= root.end for one in below)
    (filing,) = [one for one in below if one.name == "filing"]
    assert filing.outward and filing.attributes["flowc.type"] == FILING and filing.begin < filing.end
    assert len({one.key for one in below}) == len(below)
    told = repr([root, *below])
    assert not any(str(value) in told for value in INPUTS.values())


def test_failures_and_what_nobody_answered_are_told(host: Host, recorded: Recorded) -> None:
    """The call that failed with its code, and the run; a task that was open when the run was called off."""
    off = spans(host, ended(host, approved=None))
    assert off[0].attributes["flowc.status"] == "cancelled"
    (task,) = [one for one in off if one.attributes.get("flowc.kind") == "task"]
    assert task.attributes["flowc.answered"] is False and task.end == off[0].end
    recorded.gives = {**GIVES, "filing": {"$error": "NO_FILE"}}
    failed = spans(host, ended(host))
    assert failed[0].error is not None
    assert [(one.name, one.error) for one in failed[1:] if one.error] == [("filing", "NO_FILE")]


@with_otel
def test_a_collector_takes_the_trace(host: Host, collector: Collector) -> None:
    """One trace, all spans below the run's; handed over twice it has the same ids."""
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    execution = ended(host)
    for address in (f"http://127.0.0.1:{collector.port}", f"http://127.0.0.1:{collector.port}/v1/traces"):
        assert export_trace(host, execution, address) == 7
    assert [path for path, _ in collector.requests] == ["/v1/traces"] * 2
    assert collector.requests[0][1] == collector.requests[1][1]
    (resource,) = ExportTraceServiceRequest.FromString(collector.requests[0][1]).resource_spans
    assert {one.key: one.value.string_value for one in resource.resource.attributes}["service.name"] == "flowc"
    sent: list[Any] = [one for scope in resource.scope_spans for one in scope.spans]
    (root,) = [one for one in sent if not one.parent_span_id]
    assert {one.parent_span_id for one in sent if one is not root} == {root.span_id}
    assert len({one.trace_id for one in sent}) == 1 and len({one.span_id for one in sent}) == 7
    assert root.name == f"{ID}@v1" and root.end_time_unix_nano > root.start_time_unix_nano


@with_otel
def test_the_environment_says_where_to(host: Host, collector: Collector, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the variable that every exporter reads; without it nothing is sent."""
    execution = ended(host)
    with pytest.raises(BadSetting, match="OTEL_EXPORTER_OTLP_ENDPOINT"):
        export_trace(host, execution)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{collector.port}")
    export_trace(host, execution)
    assert len(collector.requests) == 1


@with_otel
def test_a_collector_that_refuses_is_told(host: Host, collector: Collector) -> None:
    """With its address."""
    collector.status = 400
    with pytest.raises(NotExported, match=f"127.0.0.1:{collector.port}"):
        export_trace(host, ended(host), f"http://127.0.0.1:{collector.port}")


def test_what_cannot_be_handed_over_is_refused(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that waits, one that there is not, and all where OpenTelemetry is not installed."""
    waits = begin(host, user(host, "li"), ID, 1, INPUTS).id
    advance(host, waits)
    with pytest.raises(NotExported, match="waiting_human"):
        export_trace(host, waits, "http://127.0.0.1:1")
    with pytest.raises(UnknownExecution):
        export_trace(host, "e-0", "http://127.0.0.1:1")
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    with pytest.raises(MissingExtra, match=r"pip install 'flowc\[otel\]'"):
        export_trace(host, ended(host), "http://127.0.0.1:1")
