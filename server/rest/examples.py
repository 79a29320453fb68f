"""Examples of the description: a consignment of sulphuric acid that asks whether it may go."""

from collections.abc import Mapping
from typing import Any

from server.rest.turns import next_of

RUN, TASK = "e-0a1b2c3d4e5f60718293a4b5", "t-0a1b2c3d4e5f"
WORKFLOW = "transport-compliance"
INPUTS = {"shipment_id": "SHIP-2026-00019", "substance_name": "硫酸", "quantity_kg": 5000, "transport_mode": "公路"}
DIGEST = "sha256:" + "0" * 64
_WAITING: Mapping[str, Any] = {
    "run": RUN, "workflow": f"{WORKFLOW}@v1", "state": "waiting", "end": None, "reason_code": None,
    "text": "危险化学品运输合规检查: 正在等待人工处理", "because": [], "outputs": {},
    "waits": [{
        "task": TASK, "kind": "approval", "asks": "安全总监审批合规结论", "who": ["安全总监"],
        "address": f"flowc task show {TASK}",
    }],
    "next": next_of("person", RUN),
}  # fmt: skip
_ENDED = {
    **_WAITING, "state": "completed", "end": "completed", "reason_code": "NOT_COMPLIANT_MISSING_FILING",
    "text": "不合规：缺少备案", "outputs": {"compliant": False}, "waits": [], "next": next_of("completed", RUN),
}  # fmt: skip
_TASK = {
    "task": TASK, "run": RUN, "workflow": f"{WORKFLOW}@v1", "kind": "approval", "title": "安全总监审批合规结论",
    "status": "open", "for_roles": ["安全总监"], "claimed_by": None, "opened_at": "2026-11-02T08:00:00.000000Z",
    "due_at": None, "overdue": False, "mine": False,
}  # fmt: skip
_BEFORE: Mapping[str, Any] = {
    "node": "summary", "title": "汇总合规结论", "performer": "system", "by": None,
    "at": "2026-11-02T08:00:00.000000Z", "gave": {"compliant": False, "missing_requirements": ["公安备案"]},
    "error": None, "message": None, "words": ["系统汇总合规结论"],
}  # fmt: skip
BODIES: Mapping[str, Any] = {
    "find_workflow": {"task": "用公路运输5吨硫酸是否合规", "limit": 3},
    "dry_run": {"inputs": {"transport_mode": "公路"}},
    "start_run": {"workflow": WORKFLOW, "inputs": INPUTS, "ask": False},
    "pause_run": {"reason": "the carrier called"},
    "resume_run": {"reason": "the carrier called back"},
    "cancel_run": {"reason": "the order was withdrawn"},
    "give_value": {"values": {"shipment_id": "SHIP-2026-00019"}},
    "what_if_run": {"changes": {"$.outputs.filing.has_filing": True}},
    "delegate_task": {"to": "wu", "reason": "on leave"},
    "answer_task": {"values": {"approved": True, "comment": "seen"}, "shown": DIGEST},
}
"""By operation what a request brings."""
ANSWERS: Mapping[str, Any] = {
    "start_run": _WAITING,
    "see_run": _ENDED,
    "list_tasks": {"items": [_TASK], "next_page": None},
    "see_task": {
        **_TASK, "shown": {"inputs": INPUTS}, "before": [_BEFORE], "digest": DIGEST,
        "answer": {
            "type": "object", "properties": {"approved": {"type": "boolean"}}, "required": ["approved"],
            "additionalProperties": False,
        },
    },
}  # fmt: skip
"""By operation what it tells where nothing is refused."""
