"""Does null, which says that something is not known, ever arrive where nobody expects it?"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pydantic import JsonValue

from ir.diagnostics import Diagnostic, Fix, Location, Related
from ir.predicate import (
    AnyCondition,
    Compare,
    Junction,
    Literally,
    Not,
    Null,
    Ref,
    Tree,
    condition_json,
    evaluate,
    leaves,
    references,
)
from validator.analysis.branch_outcomes import Stuck
from validator.analysis.enumeration import Assignment, space_of
from validator.analysis.graph import exits
from validator.analysis.locations import arrows, at_edge, at_node, at_workflow, pointer
from validator.analysis.types import Scope, whole_output
from validator.analysis.uses import Use, conditions, rule_conditions, uses
from validator.analysis.wording import condition_words
from validator.check_input import CheckInput, error
from validator.fixes.exception_paths import exception_patch
from validator.fixes.patched import patched
from validator.proofs.branches import Answer
from validator.proofs.runs import Example
from validator.runs.workflow_analysis import Analysis


def null_comparison(given: CheckInput) -> Iterator[Diagnostic]:
    """A condition compares with the literal null.

    What: a side of a comparison, or a member of the list of an `in`, is null.
    Why: a comparison with null is never true, only unknown; it stops the run.
    Bad: `{"eq": ["$.outputs.filing.filing_id", null]}`
    Good: `{"is_null": "$.outputs.filing.filing_id"}`
    """
    of_rules = ((condition, place) for _, condition, place in rule_conditions(given.workflow))
    for condition, place in (*conditions(given.workflow), *of_rules):
        faulty = [leaf for leaf in leaves(condition) if isinstance(leaf, Compare) and _compares_null(leaf)]
        if not faulty:
            continue
        mended = condition_json(_with_null_tests(condition))
        patch = {"op": "replace", "path": place.pointer, "value": mended}
        certain = all(_null_test(leaf) is not leaf for leaf in faulty)
        yield error(
            "null-comparison",
            f"{condition_words(faulty[0])}: nothing equals null; "
            "whether a value is there is asked with is_null or exists",
            place,
            found=condition_json(faulty[0]),
            fixes=(Fix(title="ask with is_null or exists", patch=(patch,)),) if certain else (),
        )


def skipped_read(given: CheckInput) -> Iterator[Diagnostic]:
    """A node that may be skipped is read where a value is needed.

    What: some path comes to the reader past a node whose output it needs, in an input that is required and not nullable
        or in a condition that decides the way.
    Why: a skipped node gives null; the reader would fail, or the run would stop undecided.
    Bad: `check→notify` and `check→record→notify`, and `notify` requires `$.outputs.record.number`.
    Good: read something that every path has, or let each path have its own reader.
    """
    done = set[tuple[str, str]]()
    for read in _needed(given):
        source = Ref(".".join(read.ref.text.split(".")[:3]))
        own = read.by == "edge" and source.node == read.at  # its edges for success are chosen when it succeeded
        past = given.analysis.nodes_running_without([source.path[0]]) if source.node and not own else {}
        if read.at is None or read.at not in past or (read.by == "edge" and not _stuck(given.analysis, read, source)):
            continue
        if read.by == "edge" and (read.at, source.text) in done:
            continue
        run = _without(given, read, source.path[0])
        if run is False:
            continue
        done.add((read.at, source.text))
        route = run.route(read.at) if isinstance(run, Example) else given.analysis.graph.route(past, read.at)
        yield error(
            "skipped-read",
            f'{read.ref.text} is needed here, but a run can come to "{read.at}" without "{source.node}" '
            f"having succeeded: {arrows(route)}",
            read.location,
            found=read.ref.text,
            witness=_witness(run, route),
            related=(Related(message="the node that may give nothing", location=_giver(given, source)),),
        )


def unproduced_output(given: CheckInput) -> Iterator[Diagnostic]:
    """A run can complete without having produced an output of the workflow.

    What: an output of the workflow reads a node past which some path comes to an end that completes.
    Why: whoever called the workflow waits for what it says it gives.
    Bad: `"outputs": {"receipt": "$.outputs.report.receipt"}` where `report` is on one of two branches.
    Good: an output that every completing path produces, or an end of another status on the path that does not.
    """
    graph, nodes = given.analysis.graph, given.workflow.nodes
    last = [name for name in exits(given.workflow) if nodes[name].status in (None, "completed")]
    worse = [name for name in exits(given.workflow) if name not in last]
    for read in uses(given.workflow):
        if read.by != "output" or read.ref.node not in nodes or read.ref.root != "outputs":
            continue
        result = given.workflow.results.get(read.field or "")
        if result is not None and (not result.is_required or result.default is not None):
            continue
        past = given.analysis.nodes_running_without([read.ref.node])
        relying = [name for name in last if name in past and read.field not in (nodes[name].results or {})]
        runs = {name: given.analysis.proofs.reached_without(name, read.ref.node, worse) for name in relying}
        end = next((name for name, run in runs.items() if run is not False), None)
        if end is not None:
            run = runs[end]
            route = run.route(end) if isinstance(run, Example) else graph.route(past, end)
            yield error(
                "unproduced-output",
                f'a run can complete at "{end}" without "{read.ref.node}" having given {read.ref.text}: '
                + arrows(route),
                read.location,
                found=read.ref.text,
                witness=_witness(run, route),
                related=(Related(message="the node that gives it", location=_giver(given, read.ref)),),
            )


def null_unguarded(given: CheckInput) -> Iterator[Diagnostic]:
    """A value that may be null is needed where it can be null.

    What: a nullable field is read by an input that is required and not nullable, or decides the way, at a node that a
        run can reach with the field null; or several are null together, each of which would do no harm alone.
    Why: null says "not found" or "not available"; unknown is not false, so nobody may go on as if it were.
    Bad: `identify→level` where `level` requires `$.outputs.identify.entity.cas_number`, and `entity` may be null.
    Good: `{"is_null": "$.outputs.identify.entity.cas_number"}`, priority 1, to a `human.input`; `otherwise` to `level`.
    """
    done = set[tuple[str, str]]()
    for read in _needed(given):
        for source in given.analysis.scope.null_sources(read.ref):
            stuck = _arrives(given.analysis, read, source)
            if stuck is None or (read.by == "edge" and (str(read.at), source.text) in done):
                continue
            run = _with_null(given, read, source)
            if run is False:
                continue
            done.add((str(read.at), source.text))
            yield error(
                "null-unguarded",
                f"{read.ref.text} is needed here and can be null"
                + (f": {source.text} may be" if source != read.ref else "")
                + ("; then the way on is unknown" if read.by == "edge" else ""),
                read.location,
                found=read.ref.text,
                expected=f"an edge with is_null({read.ref.text}) that leads to a person before this",
                witness={source.text: None} | (run.values() if isinstance(run, Example) else stuck.values or {}),
                related=(Related(message="where it comes from", location=_giver(given, source)),),
                fixes=_guarding(given, read, source),
            )
            break
    told = {at for at, _ in done}
    yield from (one for name in given.analysis.graph.order if name not in told for one in _together(given, name))
    yield from _unguarded_guards(given)


def _together(given: CheckInput, name: str) -> Iterator[Diagnostic]:
    """A node that cannot choose where several of the values that it reads are null, or not given, at once."""
    analysis, proofs = given.analysis, given.analysis.proofs
    if not any(case.why == "unknown" for case in analysis.branch_outcomes(name).stuck):
        return
    run = proofs.stuck_unknown(name)
    if not isinstance(run, Example) or run.stuck is None:
        return
    read = dict.fromkeys(ref for tree in proofs.runs.trees(name) for ref in references(tree))
    nulls = [ref for ref in read if run.value(ref) is None]
    skipped = dict.fromkeys(whole_output(ref) for ref in nulls if ref.node not in (None, *run.succeeded))
    if any(
        case.why == "unknown" for one in skipped for case in analysis.branch_outcomes(name, {one: None}, "none").stuck
    ):
        return  # that alone is enough, of which skipped-read tells
    if not nulls:
        return
    yield error(
        "null-unguarded",
        f"{' and '.join(ref.text for ref in nulls)} can be null together; then the way on is unknown",
        at_edge(given.workflow, run.stuck.edges[0], "condition"),
        found=[ref.text for ref in nulls],
        expected="edges that say where to go then, or an otherwise behind tests with is_null or exists",
        witness=run.values(),
        related=tuple(
            Related(message="where it comes from", location=place)
            for place in dict.fromkeys(_giver(given, ref) for ref in nulls)
        ),
    )


def _needed(given: CheckInput) -> Iterator[Use]:
    """The reads that need a value: edges, inputs of the Type that are required and not nullable, results likewise."""
    for read in uses(given.workflow):
        if (
            read.at is None
            or read.at not in given.analysis.graph.position
            or read.ref.root not in ("inputs", "outputs")
        ):
            continue
        if read.ref.root == "outputs" and read.ref.node not in given.workflow.nodes:
            continue
        if read.by == "input":
            spec = (given.analysis.scope.inputs(read.at) or {}).get(read.field or "")
            if spec is None or not spec.required or spec.nullable:
                continue
        if read.by == "result":
            result = given.workflow.results.get(read.field or "")
            if result is None or not result.is_required or result.default is not None:
                continue
        upstream = given.analysis.graph.ancestors[read.at] | ({read.at} if read.by == "edge" else frozenset())
        if read.ref.node is None or read.ref.node in upstream:
            yield read


def _stuck(analysis: Analysis, read: Use, source: Ref) -> Stuck | None:
    """The case in which an edge is unknown because a field is null, with all others known."""
    assert read.at is not None and read.edge is not None
    if not isinstance(analysis.workflow.edges[read.edge].condition, Tree):
        return None
    known = {case.edges for case in analysis.branch_outcomes(read.at, nulls="none").stuck if case.why == "unknown"}
    for case in analysis.branch_outcomes(read.at, {source: None}, nulls="none").stuck:
        if case.why == "unknown" and read.edge in case.edges and case.edges not in known:
            return case
    return None


def _arrives(analysis: Analysis, read: Use, source: Ref) -> Stuck | None:
    """How a null field does harm where it is read, or None where it does none."""
    if read.at not in analysis.nodes_running_with_null(source):
        return None
    return _stuck(analysis, read, source) if read.by == "edge" else Stuck("unknown", (), {})


def _without(given: CheckInput, read: Use, missing: str) -> Answer:
    """A run in which a node that is read has given nothing."""
    assert read.at is not None
    proofs = given.analysis.proofs
    return proofs.stuck_without(read.at, missing) if read.by == "edge" else proofs.reached_without(read.at, missing)


def _with_null(given: CheckInput, read: Use, source: Ref) -> Answer:
    """A run in which a field is null where it is read."""
    assert read.at is not None
    proofs = given.analysis.proofs
    return proofs.stuck_on_null(read.at, source) if read.by == "edge" else proofs.reached_with_null(read.at, source)


def _witness(run: Answer, route: Iterable[str]) -> dict[str, Any]:
    return (run.values() if isinstance(run, Example) else {}) | {"path": list(route)}


def _guarding(given: CheckInput, read: Use, source: Ref) -> tuple[Fix, ...]:
    """The fix, where it is known to help."""
    scope = given.analysis.scope
    if source.node is None:
        if len(source.path) > 1:
            return ()
        patch = (
            {"op": "add", "path": pointer("inputs", *source.path, "required"), "value": True},
            {"op": "add", "path": pointer("inputs", *source.path, "nullable"), "value": False},
        )
        return (Fix(title=f'require the input "{source.path[0]}"', patch=patch),)
    leading = exception_patch(scope, read.ref)
    only_first = len(leading) == 1 and str(leading[0]["path"]).endswith("/priority")
    title = (
        f"look first whether {read.ref.text} is null" if only_first else f"ask a person where {read.ref.text} is null"
    )
    fix = Fix(title=title, patch=leading)
    after = CheckInput(patched(given.workflow, fix.patch), given.catalog, workflows=given.workflows).analysis
    return () if any(_arrives(after, read, other) for other in scope.null_sources(read.ref)) else (fix,)


def _unguarded_guards(given: CheckInput) -> Iterator[Diagnostic]:
    """Guards of the workflow that null inputs leave unknown, where all guards before them hold."""
    scope, guards = given.analysis.scope, [guard.condition for guard in given.workflow.guards]
    for index, guard in enumerate(guards):
        refs = tuple(dict.fromkeys(ref for ref in references(guard) if ref.root == "inputs"))
        unknown = _unknown_guard(scope, guards[:index], guard)
        alone = [(ref, case) for ref in refs if (case := next((one for one in unknown if _only(one, ref, refs)), None))]
        place = at_workflow(given.workflow, "guards", index, "condition")
        for ref, case in alone:
            source = next(one for one in scope.null_sources(ref) if case.values.get(one, case(ref)) is None)
            yield error(
                "null-unguarded",
                f"{ref.text} decides whether a run may start, and can be null; then the guard is unknown",
                place,
                found=ref.text,
                witness=case.witness(),
                fixes=_guarding(given, Use(ref, "guard", place), source),
            )
        if unknown and not alone:
            case = min(unknown, key=lambda one: sum(one(ref) is None for ref in refs))
            nulls = [ref.text for ref in refs if case(ref) is None]
            yield error(
                "null-unguarded",
                f"{' and '.join(nulls)} decide whether a run may start, and can be null together; then the guard is "
                "unknown",
                place,
                found=nulls,
                witness=case.witness(),
            )


def _unknown_guard(scope: Scope, before: Sequence[Tree], guard: Tree) -> list[Assignment]:
    """Values for which a guard is unknown; without what is before it where that cannot be tried on all its values."""
    before = [one for one in before if space_of([one], scope.spec).exact]
    space = space_of((*before, guard), scope.spec, nulls=scope.null_sources)
    if before and not space.small:
        return _unknown_guard(scope, (), guard)
    tried = space if space.small else ()
    return [
        values for values in tried if evaluate(guard, values) is None and all(evaluate(one, values) for one in before)
    ]


def _only(values: Assignment, ref: Ref, refs: Iterable[Ref]) -> bool:
    """Whether of references this one is null alone."""
    return [one for one in refs if values(one) is None] == [ref]


def _giver(given: CheckInput, source: Ref) -> Location:
    if source.node is not None:
        return at_node(given.workflow, source.node)
    return at_workflow(given.workflow, "inputs", source.path[0])


def _compares_null(leaf: Compare) -> bool:
    sides = [side.value for side in (leaf.left, leaf.right) if isinstance(side, Literally)]
    return any(value is None or (isinstance(value, list) and None in value) for value in sides)


def _null_test(leaf: Compare) -> Tree:
    """The comparison as it was meant, where that is plain."""
    refs = [side for side in (leaf.left, leaf.right) if isinstance(side, Ref)]
    nulls = [side for side in (leaf.left, leaf.right) if isinstance(side, Literally) and side.value is None]
    if leaf.op in ("eq", "ne") and len(refs) == len(nulls) == 1:
        return Null(refs[0], negated=leaf.op == "ne")
    if leaf.op == "in" and isinstance(leaf.right, Literally) and isinstance(leaf.right.value, list) and refs:
        rest: list[JsonValue] = [value for value in leaf.right.value if value is not None]
        null = Null(refs[0])
        return Junction("or", (null, Compare("in", leaf.left, Literally(rest)))) if rest else null
    return leaf


def _with_null_tests(condition: AnyCondition) -> AnyCondition:
    match condition:
        case Compare():
            return _null_test(condition) if _compares_null(condition) else condition
        case Not(item):
            return Not(_tree(_with_null_tests(item)))
        case Junction(op, items):
            return Junction(op, tuple(_tree(_with_null_tests(item)) for item in items))
    return condition


def _tree(condition: AnyCondition) -> Tree:
    assert isinstance(condition, Tree)
    return condition


CHECKS = (null_comparison, skipped_read, unproduced_output, null_unguarded)
