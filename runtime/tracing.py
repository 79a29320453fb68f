"""A run that ended as a trace: spans of its calls, tasks and nodes, made from the audit, for OpenTelemetry.

What was given and what came of it stays here; a span has names, codes and times. Ids follow from the run's, so that a
trace that is handed over twice is one.
"""

import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from catalog.importing.errors import MissingExtra
from ir.errors import BadSetting
from runtime.errors import NotExported
from runtime.executions import execution_of
from runtime.host import Host
from store import audit

ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
PATH = "/v1/traces"


@dataclass(frozen=True)
class TraceSpan:
    """One thing that went on in a run.

    Args:
        key: tells it from the others of its run; empty for the run itself.
        begin, end: moments.
        error: the code of its failure; None where it has none.
        outward: whether another system was called.
    """

    key: str
    name: str
    begin: str
    end: str
    attributes: Mapping[str, str | int | bool]
    error: str | None = None
    outward: bool = False


def spans_of(name: str, events: Iterable[audit.Event]) -> list[TraceSpan]:
    """The spans of a run that ended, itself first: each call, each task, and each other node at its moment.

    Args:
        name: of its version.
        events: what the audit tells of it.
    """
    told = [*events]
    began, ended = told[0], next(one for one in reversed(told) if one.kind == "ended")
    failure = ended.body["reason_code"] or "failed" if ended.body["status"] == "failed" else None
    whole: dict[str, str | int | bool] = {"flowc.execution": str(began.execution), "flowc.status": ended.body["status"]}
    if ended.body["reason_code"]:
        whole["flowc.reason_code"] = ended.body["reason_code"]
    found = [TraceSpan("", name, began.at, ended.at, whole, failure)]
    opened: dict[str, audit.Event] = {}
    late = {one.body["task"] for one in told if one.kind == "overdue"}
    for event in told:
        body = event.body
        match event.kind:
            case "call-intended" | "call-repeated":
                opened[f"call {body['key']}"] = event
            case "call-answered" | "call-parked" if f"call {body['key']}" in opened:
                begin = opened.pop(f"call {body['key']}")
                found.append(_call(begin, event.at, body.get("error") or _parked(event)))
            case "task-opened":
                opened[f"task {body['task']}"] = event
            case "answered" if f"task {body['task']}" in opened:
                begin = opened.pop(f"task {body['task']}")
                found.append(_task(begin, event.at, late=body["task"] in late, answered=True))
            case "node-succeeded" | "node-failed" if body["node"] not in {one.name for one in found[1:]}:
                kind: dict[str, str | int | bool] = {"flowc.kind": "node"}
                found.append(TraceSpan(f"node {body['node']}", body["node"], event.at, event.at, kind, body["error"]))
            case _:
                pass
    for key, event in opened.items():
        if key.startswith("task "):
            late_one = event.body["task"] in late
            found.append(_task(event, ended.at, late=late_one, answered=False))
        else:
            found.append(_call(event, ended.at, "no-outcome"))
    return found


def _parked(event: audit.Event) -> str | None:
    return "parked" if event.kind == "call-parked" else None


def _call(begin: audit.Event, end: str, error: str | None) -> TraceSpan:
    body = begin.body
    told: dict[str, str | int | bool] = {
        "flowc.kind": "call", "flowc.type": body["type"], "flowc.attempt": body["attempt"],
    }  # fmt: skip
    return TraceSpan(f"call {begin.sequence}", body["node"], begin.at, end, told, error, outward=True)


def _task(begin: audit.Event, end: str, *, late: bool, answered: bool) -> TraceSpan:
    body = begin.body
    told: dict[str, str | int | bool] = {
        "flowc.kind": "task", "flowc.task": body["kind"], "flowc.roles": " ".join(body["roles"]),
        "flowc.overdue": late, "flowc.answered": answered,
    }  # fmt: skip
    return TraceSpan(f"task {body['task']}", body["node"] or "start", begin.at, end, told)


def export_trace(host: Host, execution_id: str, endpoint: str | None = None) -> int:
    """Hand a run that ended over as a trace, by OTLP over HTTP.

    Args:
        endpoint: of the collector, as `http://127.0.0.1:4318`; None for what the environment says.

    Returns:
        how many spans.

    Raises:
        UnknownExecution: there is none such.
        NotExported: it has not ended, or the collector did not take it.
        BadSetting: neither endpoint nor environment says where to.
        MissingExtra: OpenTelemetry is not installed.
    """
    if endpoint is None and not any(os.environ.get(name) for name in ENDPOINTS):
        raise BadSetting(f"say where the trace goes, with --otlp URL or {ENDPOINTS[1]}")
    with host.workspace.database.transaction() as connection:
        execution = execution_of(connection, execution_id)
        told = [*audit.events(connection, execution_id)]
    if not execution.ended:
        raise NotExported(f"{execution_id} is {execution.status}; a trace is made of what ended")
    spans = spans_of(f"{execution.workflow_id}@v{execution.number}", told)
    _hand_over(execution_id, spans, endpoint)
    return len(spans)


def _hand_over(execution_id: str, spans: list[TraceSpan], endpoint: str | None) -> None:
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import ReadableSpan
        from opentelemetry.sdk.trace.export import SpanExportResult
        from opentelemetry.trace import SpanContext, SpanKind, TraceFlags
        from opentelemetry.trace.status import Status, StatusCode
    except ImportError as error:
        raise MissingExtra("traces need OpenTelemetry; install it: pip install 'flowc[otel]'") from error
    resource = Resource.create({"service.name": os.environ.get("OTEL_SERVICE_NAME") or "flowc"})
    trace = _number(execution_id, 16)

    def context(key: str) -> Any:
        return SpanContext(trace, _number(f"{execution_id} {key}", 8), False, TraceFlags(TraceFlags.SAMPLED))

    readable = [
        ReadableSpan(
            name=one.name,
            context=context(one.key),
            parent=context("") if one.key else None,
            resource=resource,
            attributes={**one.attributes, **({"error.type": one.error} if one.error is not None else {})},
            kind=SpanKind.CLIENT if one.outward else SpanKind.INTERNAL,
            status=Status(StatusCode.ERROR, one.error) if one.error is not None else Status(StatusCode.OK),
            start_time=_nanoseconds(one.begin),
            end_time=max(_nanoseconds(one.begin), _nanoseconds(one.end)),
        )
        for one in spans
    ]
    whole = endpoint and (endpoint if endpoint.endswith(PATH) else endpoint.rstrip("/") + PATH)
    exporter = OTLPSpanExporter(endpoint=whole or None)
    try:
        taken = exporter.export(readable)
    finally:
        exporter.shutdown()
    if taken is not SpanExportResult.SUCCESS:
        raise NotExported(f"{whole or 'the collector of the environment'} did not take the trace; see whether it runs")


def _number(text: str, size: int) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:size])


def _nanoseconds(at: str) -> int:
    time = datetime.fromisoformat(at)
    return int(time.timestamp()) * 10**9 + time.microsecond * 1000
