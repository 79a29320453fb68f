"""Does the policy hold what the nodes need, and may none of them do more than its Type allows?"""

from collections.abc import Iterator

from catalog.node_type import NodeType
from ir.diagnostics import Diagnostic, Fix, Related
from ir.duration import duration_length
from ir.predicate import AnyCondition, Compare, Ref, leaves
from ir.workflow import HUMAN_APPROVAL, RISK_ORDER, Node, PolicyDefaults, RiskLevel
from validator.analysis.locations import at_edge, at_node, at_workflow, edge_name, pointer
from validator.analysis.policy import has_side_effects, highest_risk, may_be_retried, node_risk, unmapped_tasks
from validator.check_input import CheckInput, error, warning
from validator.runs.model_outputs import model_behind


def relaxed_policy(given: CheckInput) -> Iterator[Diagnostic]:
    """A node's policy is laxer than its Type, or than the workflow's defaults.

    What: `policy` lowers the risk, drops the allowlist, or calls a Type idempotent that is not; or it allows more time
        or more attempts than `execution_policy.defaults`, or less time between them.
    Why: governance belongs to the Type and the workflow; a node may only tighten it.
    Bad: `"policy": {"requires_allowlist": false}` where the Type requires one.
    Good: no such key, or a stricter value.
    """
    for name, node in given.workflow.nodes.items():
        node_type = given.analysis.scope.type_of(name)
        for key, value, most in _beyond_defaults(node, given.workflow.execution_policy.defaults):
            place = at_node(given.workflow, name, "policy", key)
            yield error(
                "relaxed-policy",
                f'"{name}" sets {key} to {value}, laxer than {most} of the workflow; a policy may only tighten',
                place,
                found=value,
                expected=most,
                fixes=(Fix(title=f"leave {key} to the workflow", patch=({"op": "remove", "path": place.pointer},)),),
            )
        for key, found, floor in _relaxations(node, node_type) if node_type else ():
            place = at_node(given.workflow, name, "policy", key)
            yield error(
                "relaxed-policy",
                f'"{name}" sets {key} to {_setting_text(found)}, laxer than {_setting_text(floor)} of {node.type}; '
                "a policy may only tighten",
                place,
                found=found,
                expected=floor,
                fixes=(Fix(title=f"leave {key} to the Type", patch=({"op": "remove", "path": place.pointer},)),),
            )


def retry_not_idempotent(given: CheckInput) -> Iterator[Diagnostic]:
    """A node that must not be repeated is to be retried.

    What: `max_attempts` above 1, of the node or by default, on a node that is not idempotent or not retryable.
    Why: a second call may pay twice, notify twice, or file twice.
    Bad: `"policy": {"max_attempts": 3}` on a payment.
    Good: no retry, and an edge with `on: error` to a person.
    """
    default = given.workflow.execution_policy.defaults.max_attempts
    for name, node in given.workflow.nodes.items():
        node_type = given.analysis.scope.type_of(name)
        attempts = node.policy.max_attempts or default or 1
        if node_type is None or attempts == 1 or may_be_retried(node, node_type):
            continue
        if node_type.category in ("human", "control") and node.policy.max_attempts is None:
            continue  # the default is for what the engine executes
        place = at_node(given.workflow, name, *(("policy", "max_attempts") if node.policy.max_attempts else ()))
        value = node.policy.to_json() | {"max_attempts": 1}
        own = "" if node.policy.max_attempts else " by default"
        yield error(
            "retry-not-idempotent",
            f'"{name}" is tried up to {attempts} times{own}, but {node.type} is not safe to repeat',
            place,
            found=attempts,
            expected=1,
            fixes=(
                Fix(
                    title="do not retry it",
                    patch=({"op": "add", "path": pointer("nodes", name, "policy"), "value": value},),
                ),
            ),
        )


def risk_understated(given: CheckInput) -> Iterator[Diagnostic]:
    """The workflow's risk is below that of a node.

    What: `execution_policy.risk_level` is lower than the highest effective risk of a node; a step that no Type fits
        counts as medium.
    Why: whether the workflow may run by itself is decided by its risk.
    Bad: `"risk_level": "low"` with a node whose Type has risk high.
    Good: `"risk_level": "high"`
    """
    risks: dict[str, RiskLevel] = {}
    unmapped = unmapped_tasks(given.workflow)
    for name, node in given.workflow.nodes.items():
        risk = node_risk(node, given.analysis.scope.type_of(name))
        risks[name] = highest_risk((risk, "medium" if name in unmapped else "low"))
    needed, stated = highest_risk(risks.values()), given.workflow.execution_policy.risk_level
    if RISK_ORDER[stated] >= RISK_ORDER[needed]:
        return
    place = at_workflow(given.workflow, "execution_policy", "risk_level")
    because = [name for name, risk in risks.items() if risk == needed]
    patch = {"op": "replace", "path": place.pointer, "value": needed}
    yield error(
        "risk-understated",
        f"the workflow states risk {stated}, but its risk is {needed} because of {', '.join(because)}",
        place,
        found=stated,
        expected=needed,
        related=tuple(Related(message=f"risk {needed}", location=at_node(given.workflow, name)) for name in because),
        fixes=(Fix(title=f"state risk {needed}", patch=(patch,)),),
    )


def auto_with_high_risk(given: CheckInput) -> Iterator[Diagnostic]:
    """A workflow of high risk may start by itself.

    What: `risk_level` is high and `allow_auto` true.
    Why: nothing of high risk may be set off by a program or a batch, without a person.
    Bad: `{"risk_level": "high", "allow_auto": true}`
    Good: `{"risk_level": "high", "allow_auto": false, "require_approval": true}`
    """
    policy = given.workflow.execution_policy
    if policy.risk_level == "high" and policy.allow_auto:
        yield _policy_fault(
            given, "auto-with-high-risk", "allow_auto", False, "risk is high, so it may not run by itself"
        )


def approval_not_required(given: CheckInput) -> Iterator[Diagnostic]:
    """A workflow of high risk does not require an approval.

    What: `risk_level` is high and `require_approval` not true.
    Why: high risk asks for a person who answers for it, and the policy must say so.
    Bad: `{"risk_level": "high", "allow_auto": false}`
    Good: `{"risk_level": "high", "allow_auto": false, "require_approval": true}`
    """
    policy = given.workflow.execution_policy
    if policy.risk_level == "high" and not policy.require_approval:
        yield _policy_fault(
            given, "approval-not-required", "require_approval", True, "risk is high, so a person must approve"
        )


def approval_not_demanded(given: CheckInput) -> Iterator[Diagnostic]:
    """A workflow holds an approval, and its policy does not demand one.

    What: a node is a `human.approval`, and `require_approval` is not true; below high risk, where it must be.
    Why: whoever takes the approval out later breaks no rule that anybody sees.
    Bad: a `human.approval` and `"require_approval": false`.
    Good: `"require_approval": true`
    """
    policy, key = given.workflow.execution_policy, "require_approval"
    names = [name for name, node in given.workflow.nodes.items() if node.type == HUMAN_APPROVAL]
    if policy.risk_level == "high" or policy.require_approval or not names:
        return
    place = at_workflow(given.workflow, "execution_policy", key)
    patch = {"op": "add", "path": place.pointer, "value": True}
    yield warning(
        "approval-not-demanded",
        f'{key} is false, but "{names[0]}" is an approval',
        place,
        found=False,
        expected=True,
        fixes=(Fix(title=f"set {key} to true", patch=(patch,)),),
    )


def auto_with_side_effects(given: CheckInput) -> Iterator[Diagnostic]:
    """A workflow of medium risk runs by itself and changes the world before anybody approved.

    What: `risk_level` is medium, `allow_auto` true, and a node with side effects can be reached without an approval.
    Why: by itself such a workflow may only look things up; what it changes needs an approval before.
    Bad: `allow_auto: true`, and the first node sends a notice.
    Good: `allow_auto: false`, or a `human.approval` before the node.
    """
    policy = given.workflow.execution_policy
    if policy.risk_level != "medium" or not policy.allow_auto:
        return
    free = [
        name
        for name in given.analysis.unapproved_nodes
        if has_side_effects(given.analysis.scope.type_of(name)) and given.analysis.unapproved_run(name) is not False
    ]
    if free:
        yield _policy_fault(
            given,
            "auto-with-side-effects",
            "allow_auto",
            False,
            f"risk is medium, and {', '.join(free)} would change the world before anybody approved",
        )


def model_steered_branch(given: CheckInput) -> Iterator[Diagnostic]:
    """A model's output decides the way.

    What: a condition compares an output of a Type that is not deterministic, or of a node or called workflow that was
        given such an output and is neither a person nor a decision that gives its reason (`reason_code`) and its
        `evidence`. Whether an output is there at all may be asked (`is_null`): what was not found says so itself.
    Why: a branch must be explicable; a judgement goes through a decision node with reason and evidence, or a person.
    Bad: `{"eq": ["$.outputs.classify.kind", "complaint"]}` where a model classifies.
    Good: a `human.approval` or a decision node between, whose output is read.
    """
    for index, edge in enumerate(given.workflow.edges):
        for ref in dict.fromkeys(_compared(edge.condition)):
            behind = model_behind(given.analysis, ref)
            if behind is None:
                continue
            model, names = behind
            passed_on = f', which rests on "{names[-1]}"' if len(names) > 1 else ""
            yield error(
                "model-steered-branch",
                f'edge {edge_name(edge)} is chosen by an output of "{names[0]}"{passed_on}, and {model} is not '
                "deterministic; expected a decision with reason_code and evidence, or a person, between",
                at_edge(given.workflow, index, "condition"),
                found=model,
                related=(Related(message="the node it reads", location=at_node(given.workflow, names[0])),),
            )


def _compared(condition: AnyCondition) -> Iterator[Ref]:
    """What a condition reads, but for what it only asks to be there."""
    for leaf in leaves(condition):
        if isinstance(leaf, Compare):
            yield from (side for side in (leaf.left, leaf.right) if isinstance(side, Ref))


def _relaxations(node: Node, node_type: NodeType) -> Iterator[tuple[str, str | bool, str | bool]]:
    governance, policy = node_type.governance, node.policy
    floor = governance.risk_level_default
    if policy.risk_level is not None and RISK_ORDER[policy.risk_level] < RISK_ORDER[floor]:
        yield "risk_level", policy.risk_level, floor
    if policy.requires_allowlist is False and governance.requires_allowlist:
        yield "requires_allowlist", False, True
    if policy.idempotent and not node_type.capabilities.idempotent_default:
        yield "idempotent", True, False


def _beyond_defaults(node: Node, defaults: PolicyDefaults) -> Iterator[tuple[str, str | int, str | int]]:
    """The limits of a node that are laxer than the workflow's."""
    own = node.policy
    if own.max_attempts is not None and defaults.max_attempts is not None and own.max_attempts > defaults.max_attempts:
        yield "max_attempts", own.max_attempts, defaults.max_attempts
    for key, longer in (("timeout", True), ("backoff", False)):
        value, most = getattr(own, key), getattr(defaults, key)
        lengths = [duration_length(text) for text in (value, most) if text is not None]
        if len(lengths) < 2 or lengths[0] is None or lengths[1] is None or lengths[0][1] != lengths[1][1]:
            continue
        if (lengths[0][0] > lengths[1][0]) if longer else (lengths[0][0] < lengths[1][0]):
            yield key, value, most


def zero_timeout(given: CheckInput) -> Iterator[Diagnostic]:
    """A node, or every node by default, has no time at all.

    What: `timeout` is a duration of zero.
    Why: it could never succeed; who wants no limit leaves the key out.
    Bad: `"policy": {"timeout": "PT0S"}`
    Good: `"policy": {"timeout": "PT30S"}`
    """
    workflow = given.workflow
    places = [
        (node.policy.timeout, at_node(workflow, name, "policy", "timeout")) for name, node in workflow.nodes.items()
    ]
    default = workflow.execution_policy.defaults.timeout
    places.append((default, at_workflow(workflow, "execution_policy", "defaults", "timeout")))
    for value, place in places:
        length = duration_length(value) if value is not None else None
        if length is not None and length[0] == 0:
            patch = {"op": "remove", "path": place.pointer}
            fix = Fix(title="leave it without a limit of its own", patch=(patch,))
            yield error("zero-timeout", f"a timeout of {value} leaves no time at all", place, found=value, fixes=(fix,))


def _policy_fault(given: CheckInput, code: str, key: str, value: bool, why: str) -> Diagnostic:
    place = at_workflow(given.workflow, "execution_policy", key)
    fix = Fix(
        title=f"set {key} to {_setting_text(value)}", patch=({"op": "add", "path": place.pointer, "value": value},)
    )
    return error(
        code, f"{key} is {_setting_text(not value)}, but {why}", place, found=not value, expected=value, fixes=(fix,)
    )


def _setting_text(value: str | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else value


CHECKS = (
    relaxed_policy,
    retry_not_idempotent,
    risk_understated,
    auto_with_high_risk,
    approval_not_required,
    approval_not_demanded,
    auto_with_side_effects,
    model_steered_branch,
    zero_timeout,
)
