"""The tools as the protocol lists them: stable names, titles in the workflow's language, what they take and give."""

from collections.abc import Iterator

import mcp_types as types

from agents.desk import Desk, scopes_of
from agents.forms import Refusal
from agents.offers import Offer
from agents.schemas import Schema, answer_schema, form_schema, inputs_schema
from agents.tools import FIXED
from ir.workflow import Workflow
from registry.forms import Version
from runtime.host import Host
from store.users import READ, User

WORDS = {
    "en": {
        "when": "When: ", "risk": "Risk: ", "held": "It waits for a person to let it begin.", "between": "; ",
        "replaced": "Its callers should move to {tool}: ",
    },
    "zh": {
        "when": "适用情形：", "risk": "风险等级：", "held": "启动前须由人员准许。", "between": "；",
        "replaced": "已有不兼容的新版本，请改用 {tool}：",
    },
}  # fmt: skip
RISKS = {"en": {"low": "low", "medium": "medium", "high": "high"}, "zh": {"low": "低", "medium": "中", "high": "高"}}


def listed(desk: Desk) -> list[types.Tool]:
    """The tools of the agent of this moment, but those that its token is not good for.

    Raises:
        NotAnAgent, UnknownUser: see `Desk.agent`.
        OutOfScope: the token shows nothing.
    """
    acts = desk.acts()
    acts.agent.must_hold(READ)
    workflows = (_of_workflow(desk.host, acts.agent, one) for one in acts.offers() if one.version is not None)
    grant = acts.agent.grant
    return [one for one in (*_fixed(), *workflows) if grant is None or grant.scopes.issuperset(scopes_of(one.name))]


def _fixed() -> Iterator[types.Tool]:
    for name, tool in FIXED.items():
        yield types.Tool(
            name=name,
            title=tool.title,
            description=tool.description,
            input_schema=tool.schema,
            output_schema=or_refusal(form_schema(tool.gives)),
            annotations=types.ToolAnnotations(read_only_hint=tool.reads, open_world_hint=False),
        )


def _of_workflow(host: Host, agent: User, offer: Offer) -> types.Tool:
    version = offer.version
    assert version is not None, "only what runs is listed"
    workflow = version.definition
    return types.Tool(
        name=offer.tool,
        title=workflow.metadata.title or workflow.workflow_id,
        description=description(workflow, offer),
        input_schema=inputs_schema(version),
        output_schema=or_refusal(answer_schema(host, version, agent)),
        annotations=types.ToolAnnotations(read_only_hint=False, destructive_hint=_acts(host, version)),
    )


def or_refusal(schema: Schema) -> Schema:
    """What a tool tells, or with what it refuses; some clients hold refusals against it too."""
    refusal = form_schema(Refusal)
    return {
        **schema,
        "properties": {**refusal["properties"], **schema["properties"]},
        "required": [],
        "anyOf": [{"required": schema.get("required", [])}, {"required": refusal["required"]}],
    }


def description(workflow: Workflow, offer: Offer) -> str:
    """What a workflow is for and when, in its language; nothing of its steps."""
    language = workflow.metadata.language or "en"
    words, risks = WORDS.get(language, WORDS["en"]), RISKS.get(language, RISKS["en"])
    policy = workflow.execution_policy
    when = words["between"].join(dict.fromkeys(one.text for one in workflow.triggers if one.text))
    lines = [
        workflow.metadata.description or workflow.metadata.title or workflow.workflow_id,
        words["when"] + when if when else "",
        words["risk"] + risks[policy.risk_level],
        "" if policy.allow_auto else words["held"],
    ]
    if offer.replaced_by is not None:
        lines.append(words["replaced"].format(tool=offer.replaced_by) + words["between"].join(offer.breaks))
    return "\n".join(line for line in lines if line)


def _acts(host: Host, version: Version) -> bool:
    """Whether a run may change something in another system; where a Type is not known here, it may."""
    found = [host.node_type(node) for node in version.definition.nodes.values()]
    return any(one is None or one.capabilities.side_effect for one in found)
