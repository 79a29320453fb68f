"""The results of a procedure in its draft: nodes that compute them, rows that say how, what each end tells."""

from collections.abc import Collection, Sequence
from functools import reduce
from operator import and_

from catalog.node_type import NodeType
from compiler.draft.computations import Place, as_expression, known_first
from compiler.draft.mappings import DraftBuilder, node_name
from ir.fields import Fields, FieldSpec
from ir.formula import Call, Constant, Expression, Formula, Item, expression_references, parts, replace_parts
from ir.predicate import ALWAYS, OTHERWISE, AnyCondition, Compare, Literally, Null, Ref, Tree, parse_tree, references
from ir.procedure import Result, ResultRow, Step
from ir.workflow import CONTROL_COMPUTE, CONTROL_END, Edge, Node, ResultSpec, Rule, RulePack
from validator.analysis.implication import Logic


def field_of(result: Result) -> FieldSpec:
    """The field that holds a result."""
    items = FieldSpec(type="string") if result.type == "array" else None
    enum = result.enum if result.type not in ("array", "boolean") else None
    return FieldSpec(
        type=result.type, description=result.name, unit=result.unit, enum=enum, concept=result.concept, items=items
    )


def asked_fields(draft: DraftBuilder, step: Step, *, also_outcome: bool = False) -> Fields:
    """What a step is held to find out and something reads, as fields; its outcome too where it has several."""
    known = draft.computations
    own = [one for one in known.found.values() if one.step == step.id and known.reads(one.id)] if known else []
    fields: dict[str, FieldSpec] = {one.id: field_of(one) for one in own}
    if step.outcomes and (fields or also_outcome):
        fields["outcome"] = FieldSpec(type="string", enum=step.outcomes)
    return fields


def lacks_result(draft: DraftBuilder, step: Step, node_type: NodeType) -> bool:
    """Whether a system's Type cannot tell something that is found out at a step and read later."""
    if draft.computations is None or node_type.category in ("human", "control") or node_type.outputs_unsaid:
        return False
    own = [one for one in draft.computations.found.values() if one.step == step.id and draft.computations.reads(one.id)]
    return any(draft.output_for(one, node_type) is None for one in own)


def add_place(draft: DraftBuilder, step: Step, place: Place, by_hand: Collection[str]) -> None:
    """The node that computes the results of a place; it carries out the step where that does nothing else."""
    name = node_name("compute", draft.nodes, draft.numbers)
    node_type = draft.catalog.node_type(CONTROL_COMPUTE)
    carried = (step.id,) if step.id in by_hand else ()
    draft.nodes[name] = Node(
        type=CONTROL_COMPUTE, type_version=f"^{node_type.version}", label=_label(place.results), step_ids=carried,
        evidence=step.evidence,
    )  # fmt: skip
    draft.node_of[step.id] = name


def _label(results: Sequence[Result]) -> str:
    text = ", ".join(one.name for one in results)
    return text if len(text) <= 60 else text[:59] + "…"


def computing_packs(draft: DraftBuilder) -> dict[str, RulePack]:
    """The rows of each node that computes results."""
    packs: dict[str, RulePack] = {}
    for place in draft.computations.places.values() if draft.computations is not None else ():
        name = draft.node_of[place.step]
        alone = len(place.results) == 1
        rules = [rule for result in place.results for rule in _rules(draft, result, name, alone=alone)]
        numbered = tuple(rule.model_copy(update={"rule_id": f"R{n}"}) for n, rule in enumerate(rules, 1))
        outputs = {one.id: _given_field(one, rules) for one in place.results}
        packs[name] = RulePack(version="1.0.0", outputs=outputs, rules=numbered)
    return packs


def _given_field(result: Result, rules: Sequence[Rule]) -> FieldSpec:
    """The field of a result; it may be null where one formula says it and no row is for all other cases."""
    as_one = any(result.id in rule.formulas and rule.condition == ALWAYS for rule in rules)
    open_ = as_one and len(result.rows) > 0 and all(row.condition is not None for row in result.rows)
    open_ = open_ or any(_may_be_null(rule.formulas[result.id].formula) for rule in rules if result.id in rule.formulas)
    spec = field_of(result)
    return spec.model_copy(update={"nullable": True}) if open_ and result.type != "array" else spec


def _rules(draft: DraftBuilder, result: Result, name: str, *, alone: bool) -> list[Rule]:
    """A result's rows as those of the node; as one formula where several could hold and the first counts.

    So too where the node gives other results as well, and one row is for all other cases: `otherwise` holds where no
    row of the whole node does.
    """
    read: list[tuple[ResultRow, Tree | None, Expression]] = []
    for row in result.rows:
        tree = parse_tree(row.condition) if row.condition is not None else None
        condition = draft.condition(tree, name) if tree is not None else None
        formula = _formula(draft, row.formula, name) if row.formula is not None else None
        if formula is not None and (whole := _null_for_zero(formula, _weighed(formula))) != formula:
            draft.gap("undefined_exception", "zero_divisor", row.text, (name,), row.evidence)
            formula = whole
        if formula is None or (tree is not None and condition is None):
            if not _elsewhere(draft, row, name):
                draft.gap("unclear_condition", "condition", row.text, (name,), row.evidence)
            continue
        read.append((row, known_first(condition, _maybe(draft, condition, name)) if condition else None, formula))
    trees = [tree for _, tree, _ in read if tree is not None]
    logic = Logic()
    apart = all(logic.contradict(a, b) for at, a in enumerate(trees) for b in trees[at + 1 :])
    rest = [row for row, tree, _ in read if tree is None]
    if result.type != "array" and apart and len(rest) <= 1 and (alone or not (trees and rest)):
        return [_rule(result.id, row, tree or (OTHERWISE if trees else ALWAYS), formula) for row, tree, formula in read]
    lists = [Ref(f"$.results.{one.id}") for one in draft.procedure.results if one.type == "array"]
    return [_as_one(result, read, lists)] if read else []


def _weighed(tree: Expression) -> set[Expression]:
    """What the conditions inside a formula hold against a value."""
    conditions = [part.args[0] for part, _ in parts(tree) if isinstance(part, Call) and part.op == "if"]
    compared = [part.args for condition in conditions for part, _ in parts(condition) if isinstance(part, Call)]
    held = [args for args in compared if len(args) == 2 and any(isinstance(one, Constant) for one in args)]
    return {one for args in held for one in args}


def _null_for_zero(tree: Expression, weighed: Collection[Expression]) -> Expression:
    """A formula that is null where it would divide by zero, of which the words say nothing.

    Args:
        weighed: what it compares with something, so that its divisions by it are looked to.
    """
    if not isinstance(tree, Call):
        return tree
    args = tuple(_null_for_zero(arg, weighed) for arg in tree.args)
    if tree.op != "div" or not expression_references(args[1]) or tree.args[1] in weighed:
        return Call(tree.op, args)
    return Call("if", (Call("eq", (args[1], Constant(0))), Constant(None), Call("div", args)))


def _may_be_null(tree: Expression) -> bool:
    return any(part == Constant(None) for part, _ in parts(tree))


def _elsewhere(draft: DraftBuilder, row: ResultRow, name: str) -> bool:
    """Whether a row reads what never runs before this node, so that it cannot hold here; it stands at another."""
    refs = references(parse_tree(row.condition)) if row.condition is not None else ()
    nodes = [draft.node_of.get(ref.path[0]) for ref in refs if ref.root == "steps"]
    before = draft.earlier.before(name)
    return any(node is not None and not draft.earlier.holds(before, node) for node in nodes)


def _maybe(draft: DraftBuilder, tree: Tree, name: str) -> list[Ref]:
    """What a condition reads of nodes that need not have run."""
    surely = draft.earlier.before(name, surely=True)
    return [ref for ref in references(tree) if ref.root == "outputs" and not draft.earlier.holds(surely, ref.path[0])]


def _rule(name: str, row: ResultRow, condition: AnyCondition, formula: Expression) -> Rule:
    if isinstance(formula, Constant) and formula.unit is None:
        return Rule(rule_id="", condition=condition, outcome={name: formula.value}, evidence=row.evidence)
    told = {name: Formula(formula=formula, evidence=row.evidence)}
    return Rule(rule_id="", condition=condition, formulas=told, evidence=row.evidence)


def _as_one(
    result: Result, read: Sequence[tuple[ResultRow, Tree | None, Expression]], lists: Collection[Expression]
) -> Rule:
    """All rows as one formula.

    Args:
        lists: formulas of rows that are lists themselves, of which a list has the members.
    """
    evidence = tuple(dict.fromkeys(e for row, _, _ in read for e in row.evidence))
    if result.type == "array":
        parts = [
            Call("if", (as_expression(tree), member, Call("list"))) if tree is not None else member
            for row, tree, formula in read
            for member in [formula if row.formula in lists else Call("list", (formula,))]
        ]
        whole: Expression = parts[0] if len(parts) == 1 else Call("concatenate", tuple(parts))
    else:
        whole = Constant(None)
        for _, tree, formula in reversed(read):
            whole = Call("if", (as_expression(tree), formula, whole)) if tree is not None else formula
    told = {result.id: Formula(formula=whole, evidence=evidence)}
    return Rule(rule_id="", condition=ALWAYS, formulas=told, evidence=evidence)


def _formula(draft: DraftBuilder, tree: Expression, name: str) -> Expression | None:
    """A formula over facts, outcomes and results as one over inputs and outputs; None where something is not known."""
    lost: list[Ref] = []

    def told(part: Ref | Constant | Item) -> Expression:
        if not isinstance(part, Ref) or part.root in ("inputs", "outputs"):
            return part
        found = _read(draft, part, name)
        if found is None:
            lost.append(part)
        return found or part

    found = replace_parts(_with_outcomes(draft, tree, name), told)
    return None if lost else found


def _read(draft: DraftBuilder, ref: Ref, name: str) -> Ref | None:
    tree = draft.condition(Null(ref), name)
    return tree.ref if isinstance(tree, Null) else None


def _with_outcomes(draft: DraftBuilder, tree: Expression, name: str) -> Expression:
    """The formula with comparisons of how a step came out said of its node."""
    match tree:
        case Call("eq" | "ne" as op, (Ref() as ref, Constant(value, _, quote, status, source))) if ref.root == "steps":
            said = draft.condition(Compare(op, ref, Literally(value, quote, status, source)), name)
            return as_expression(said) if said is not None else tree
        case Call(op, args):
            return Call(op, tuple(_with_outcomes(draft, arg, name) for arg in args))
    return tree


# --- ends -----------------------------------------------------------------------------------------------------------


def tell_results(draft: DraftBuilder, edges: Sequence[Edge]) -> dict[str, ResultSpec]:
    """What runs tell in the end, and at each end where it stands; required where every end that completes tells it."""
    finals = [one for one in draft.procedure.results if one.final]
    ends = [name for name, node in draft.nodes.items() if node.type == CONTROL_END]
    told: dict[str, dict[str, Ref]] = {name: {} for name in ends}
    surely: dict[str, int] = {}
    for name in ends:
        sources = [edge.source for edge in edges if edge.target == name]
        passed = [draft.earlier.before(one, surely=True) | draft.earlier.alone(one) for one in sources]
        surely[name] = reduce(and_, passed) if passed else 0
        for result in finals:
            refs = {ref for source in sources if (ref := draft.result(result.id, source)) is not None}
            if len(refs) == 1:
                told[name][result.id] = refs.pop()
    for name, given in told.items():
        if given:
            draft.nodes[name] = draft.nodes[name].model_copy(update={"results": dict(given)})
    completed = [name for name in ends if draft.nodes[name].status == "completed"] or ends
    specs = {}
    for result in finals:
        if any(result.id in given for given in told.values()):
            always = all(
                result.id in told[name] and draft.earlier.holds(surely[name], told[name][result.id].path[0])
                for name in completed
            )
            fields = field_of(result).model_dump(exclude_none=True)
            always = always and not (result.rows and all(row.condition is not None for row in result.rows))
            specs[result.id] = ResultSpec(**fields | {"required": always, "evidence": result.evidence})
    return specs
