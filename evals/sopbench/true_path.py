"""Which tools a row's true path needs, found without the procedure.

The benchmark ships no traces. What it ships is, for each row, the columns that its own run filled in. So each tool is
called with the row's inputs and with what other tools gave, and a tool is said to *tell* a column where its result has
a part of that name, or where its result is the column's value in every row. The true path of a row then needs the tools
that tell something that the row records, and those whose results they take. Where no tool tells anything that is
recorded, it needs all that can be called. A row whose path ended early has the later columns empty in most procedures;
in those that record them all the same this is an upper bound.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from pydantic import JsonValue

from catalog.node_type import NodeType
from evals.sopbench.benchmark import Benchmark, Row
from evals.sopbench.names import plain
from evals.sopbench.tools import RESULT, Tools
from evals.sopbench.values import Unfit, iso_dates, same, typed
from ir.fields import FieldSpec

NONE = "None"
_ROUNDS = 12


@dataclass(frozen=True)
class Observed:
    """What tools gave in one row: by tool its result, and the tools that gave what it takes."""

    row: Row
    results: Mapping[str, Mapping[str, JsonValue]]
    suppliers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def input_columns(benchmark: Benchmark, types: Iterable[NodeType], tools: Tools) -> tuple[str, ...]:
    """The columns that a run is given: those that the benchmark names; else those that tools take and no tool tells.

    A tool that takes a column only says it back. One whose own name says what it gives (`calculateUserTrustScore`)
    tells the column `user_trust_score`, whatever its result. So no run is given what it has to find out.
    """
    types = tuple(types)
    if benchmark.inputs is not None:
        return tuple(name for name in benchmark.inputs if name not in benchmark.outputs)
    takes = {tool_name(one): {plain(argument) for argument in one.inputs_schema} for one in types}
    taken = set().union(*takes.values())
    columns = [name for name in benchmark.columns if plain(name) in taken and name not in benchmark.outputs]
    columns = [name for name in columns if not any(_is_named_for(one, name) for one in types)]
    rows = tuple(observe(row, columns, types, tools) for row in benchmark.rows)
    told = {
        column
        for tool, arguments in takes.items()
        for column in _told(tool, rows, columns)
        if plain(column) not in arguments
    }
    return tuple(name for name in columns if name not in told)


def _is_named_for(node_type: NodeType, column: str) -> bool:
    words = plain(column).split()
    return len(words) > 1 and " ".join(words) in plain(tool_name(node_type))


def observed_rows(
    benchmark: Benchmark, inputs: Iterable[str], types: Iterable[NodeType], tools: Tools
) -> tuple[Observed, ...]:
    """What the tools give in all rows; a result without a name is taken by others under the column that it tells."""
    types, inputs = tuple(types), tuple(inputs)
    columns = [name for name in benchmark.columns if name not in inputs]
    told: dict[str, dict[str, str]] = {}
    for _ in range(_ROUNDS):
        found = tuple(observe(row, inputs, types, tools, told) for row in benchmark.rows)
        now = {tool: _told(tool, found, columns) for tool in {name for one in found for name in one.results}}
        if now == told:
            break
        told = now
    return found


def observe(
    row: Row,
    inputs: Iterable[str],
    types: Iterable[NodeType],
    tools: Tools,
    told: Mapping[str, Mapping[str, str]] | None = None,
) -> Observed:
    """What the tools give in a row: each is called as soon as its required arguments are known.

    Args:
        told: by tool the columns that it is known to tell, each with the part of its result that does.
    """
    known: dict[str, JsonValue] = {plain(name): row.values[name] for name in inputs}
    came_of: dict[str, tuple[str, ...]] = {}
    results: dict[str, Mapping[str, JsonValue]] = {}
    suppliers: dict[str, tuple[str, ...]] = {}
    waiting = {tool_name(one): one for one in types}
    for _ in range(_ROUNDS):
        callable_now = [name for name, one in waiting.items() if _arguments(one, known) is not None]
        if not callable_now:
            break
        for name in callable_now:
            arguments = _arguments(waiting[name], known) or {}
            outcome = tools.call(name, arguments, str(row.number))
            takes = waiting.pop(name).inputs_schema
            suppliers[name] = tuple(dict.fromkeys(one for key in takes for one in came_of.get(plain(key), ())))
            if outcome.output is None:
                continue
            results[name] = outcome.output
            names = {plain(part): part for part in outcome.output if part != RESULT}
            names |= {plain(column): part for column, part in (told or {}).get(name, {}).items()}
            if RESULT in outcome.output:  # `calculateUserTrustScore` gives the user trust score
                names.setdefault(plain(name).partition(" ")[2], RESULT)
            for key, part in names.items():
                if key not in known:
                    known[key], came_of[key] = outcome.output.get(part), (name,)
    return Observed(row, results, suppliers)


def needed_tools(
    benchmark: Benchmark, observed: Iterable[Observed], inputs: Iterable[str]
) -> dict[int, frozenset[str]]:
    """By row the tools that its true path needs."""
    rows, given = tuple(observed), set(inputs)
    columns = [name for name in benchmark.columns if name not in given]
    told = {tool: set(_told(tool, rows, columns)) for tool in {t for one in rows for t in one.results}}
    found: dict[int, frozenset[str]] = {}
    for one in rows:
        recorded = {name for name in columns if one.row.values[name].strip()}
        needed = {tool for tool in one.results if told[tool] & recorded}
        reached = set[str]()
        while needed - reached:
            reached |= (more := needed - reached)
            needed |= {supplier for tool in more for supplier in one.suppliers.get(tool, ())}
        found[one.row.number] = frozenset(needed or one.results)
    return found


def _told(tool: str, rows: Iterable[Observed], columns: Iterable[str]) -> dict[str, str]:
    """The columns that a tool tells, each with the part of its result that does."""
    calls = [(one.row, one.results[tool]) for one in rows if tool in one.results]
    parts = tuple(dict.fromkeys(part for _, result in calls for part in result))
    found: dict[str, str] = {}
    for column in columns:
        varies = len({row.values[column] for row, _ in calls}) > 1
        named = [part for part in parts if plain(part) == plain(column)]
        telling = named or ([part for part in parts if _is_the_value(part, column, calls)] if varies else [])
        if telling:
            found[column] = telling[0]
    return found


def _is_the_value(part: str, column: str, calls: Iterable[tuple[Row, Mapping[str, JsonValue]]]) -> bool:
    return all(same(result.get(part), row.values[column]) for row, result in calls)


def _arguments(node_type: NodeType, known: Mapping[str, JsonValue]) -> dict[str, JsonValue] | None:
    """The arguments of a tool, as far as they are known; None where one that it requires is not, or does not fit."""
    names = system_names(node_type)
    found: dict[str, JsonValue] = {}
    for key, spec in node_type.inputs_schema.items():
        try:
            value = typed(known.get(plain(names.get(key, key))), _loose(spec))
        except Unfit:
            value = None
        if value is None and spec.required:
            return None
        if value is not None:
            found[names.get(key, key)] = value
    return found


def with_nones(benchmark: Benchmark, types: Iterable[NodeType]) -> Benchmark:
    """The benchmark with `None` in the empty cells of columns of which a tool says that `None` is one of the values.

    What wrote the rows took that text for a missing value.
    """
    listed = {
        plain(name)
        for one in types
        for name, spec in one.inputs_schema.items()
        if spec.type == "string" and NONE in (spec.enum or ())
    }
    columns = [name for name in benchmark.columns if plain(name) in listed and name not in benchmark.outputs]
    rows = tuple(
        replace(row, values={**row.values, **{name: row.values[name] or NONE for name in columns}})
        for row in benchmark.rows
    )
    return replace(benchmark, rows=rows)


def with_dates(benchmark: Benchmark, types: Iterable[NodeType]) -> Benchmark:
    """The benchmark with dates as ISO 8601 has them, in columns that a tool takes as dates.

    How a column writes them is told by all of its rows; one that leaves open which number is the month stays as it is.
    """
    taken = {plain(name) for one in types for name, spec in one.inputs_schema.items() if spec.type == "date"}
    columns = [name for name in benchmark.columns if plain(name) in taken and name not in benchmark.outputs]
    dates = {name: iso_dates(row.values[name] for row in benchmark.rows if row.values[name]) for name in columns}
    rows = tuple(
        replace(row, values={name: dates.get(name, {}).get(text, text) for name, text in row.values.items()})
        for row in benchmark.rows
    )
    return replace(benchmark, rows=rows)


def _loose(spec: FieldSpec) -> FieldSpec:
    """A field without its enumeration, which the benchmark's own data do not keep to."""
    return spec.model_copy(update={"enum": None})


def system_names(node_type: NodeType) -> dict[str, str]:
    """What the tool calls the inputs of a Type that could not keep their names."""
    renamed = node_type.binding.names if node_type.binding is not None else {}
    return {path.removeprefix("inputs."): name for path, name in renamed.items() if path.startswith("inputs.")}


def tool_name(node_type: NodeType) -> str:
    """The name of the tool behind a Type."""
    binding = node_type.binding
    return binding.name if binding is not None and binding.kind == "python" else node_type.type.rpartition(".")[2]
