"""Random conditions and workflows for property tests."""

from hypothesis import strategies as st

from ir.predicate import (
    ALWAYS,
    COMPARE_OPS,
    OTHERWISE,
    Compare,
    Junction,
    Literally,
    Not,
    Null,
    Operand,
    Ref,
    Tree,
)
from ir.walk import RecordedOutput
from ir.workflow import Edge, ExecutionPolicy, InputSpec, Node, Workflow

scalars = st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | st.text()
literals = st.recursive(scalars, lambda below: st.lists(below, max_size=3), max_leaves=4)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda below: st.lists(below, max_size=4) | st.dictionaries(st.text(), below, max_size=4),
    max_leaves=12,
)
names = st.sampled_from(["a", "b", "c", "amount", "level_2", "node-1"])
refs = st.builds(lambda root, path: Ref(f"$.{root}.{'.'.join(path)}"), st.sampled_from(["inputs", "outputs", "facts"]),
                 st.lists(names, min_size=1, max_size=3))  # fmt: skip
operands: st.SearchStrategy[Operand] = refs | literals.map(Literally)
leaves: st.SearchStrategy[Tree] = st.builds(Compare, st.sampled_from(COMPARE_OPS), operands, operands) | st.builds(
    Null, refs, st.booleans()
)
conditions: st.SearchStrategy[Tree] = st.recursive(
    leaves,
    lambda below: (
        st.builds(Not, below)
        | st.builds(Junction, st.sampled_from(["and", "or"]), st.lists(below, min_size=2, max_size=3).map(tuple))
    ),
    max_leaves=8,
)


@st.composite
def workflows(draw: st.DrawFn) -> Workflow:
    """An acyclic workflow of a few nodes whose edges read two inputs and the nodes' field `x`."""
    count = draw(st.integers(1, 6))
    order = draw(st.permutations([f"n{index}" for index in range(count)]))
    nodes = {}
    for name in draw(st.permutations(order)):
        kind = draw(st.sampled_from(["demo.task", "demo.task", "control.end"]))
        status = draw(st.sampled_from(["completed", "rejected", "returned", "failed", "cancelled"]))
        split = draw(st.sampled_from([None, "exclusive", "inclusive"]))
        ended = kind == "control.end"
        nodes[name] = Node(type=kind, split=split, status=status if ended else None)
    edges = []
    for later in range(1, count):
        for earlier in draw(st.sets(st.integers(0, later - 1), max_size=3)):
            test = st.builds(
                Compare,
                st.sampled_from(["eq", "ne", "lt"]),
                st.sampled_from([Ref("$.inputs.a"), Ref("$.inputs.b"), Ref(f"$.outputs.{order[earlier]}.x")]),
                st.integers(0, 2).map(Literally),
            )
            condition = draw(st.sampled_from([ALWAYS, OTHERWISE]) | test)
            edge = Edge(
                source=order[earlier],
                target=order[later],
                condition=condition,
                priority=draw(st.sampled_from([None, 1, 2])),
                on=draw(st.sampled_from(["success", "success", "success", "error"])),
            )
            edges.append(edge)
    return Workflow(
        workflow_id="demo",
        version="v1",
        inputs={"a": InputSpec(type="integer"), "b": InputSpec(type="integer", default=1)},
        nodes=nodes,
        edges=tuple(edges),
        execution_policy=ExecutionPolicy(risk_level="low"),
    )


def records(workflow: Workflow) -> st.SearchStrategy[dict[str, RecordedOutput]]:
    """Recorded outputs for some of the nodes, failures among them."""
    choices: list[RecordedOutput] = [{"x": 0}, {"x": 1}, {"x": None}, {}, {"$error": "TIMEOUT"}]
    record = st.sampled_from(choices)
    return st.dictionaries(st.sampled_from(sorted(workflow.nodes)), record)
