"""Facts as a person names them, as references of a workflow."""

from collections.abc import Mapping

from pydantic import JsonValue

from compiler.report.readers_words import Reader
from ir.predicate import REFERENCE, Ref
from ir.walk import ERROR_KEY
from review.cases.errors import UnfitFact, UnknownFact
from validator.analysis.fit import value_misfit
from validator.examples.play import Facts
from validator.examples.search import deciding
from validator.examples.targets import Targets
from validator.suggest import did_you_mean


def facts_from(targets: Targets, reader: Reader, given: Mapping[str, JsonValue]) -> Facts:
    """The facts that are given by name: `amount`, `NODE.FIELD`, `运输数量`; `NODE.$error` is a failure.

    A value may be the word for it, as a case tells it: `一类`.

    Raises:
        UnknownFact: a name is of nothing that the workflow reads.
        UnfitFact: a value is not of its type.
    """
    workflow, scope = targets.analysis.workflow, targets.analysis.scope
    values: dict[Ref, JsonValue] = {}
    failing: dict[str, str] = {}
    for name, value in given.items():
        node, _, rest = name.partition(".")
        if rest == ERROR_KEY and node in workflow.nodes:
            failing[node] = str(value)
            continue
        text = name if name.startswith("$.") else f"$.inputs.{name}" if node in workflow.inputs else f"$.outputs.{name}"
        named = [one for one in deciding(targets) if reader.ref_name(one) == name]
        ref = named[0] if len(named) == 1 else Ref(text) if REFERENCE.fullmatch(text) else None
        spec = scope.spec(ref) if ref is not None else None
        if ref is None or spec is None:
            fields = (f"{one}.{field}" for one in workflow.nodes for field in scope.outputs(one) or ())
            known = [*workflow.inputs, *fields]
            raise UnknownFact(f'the workflow has no "{name}"{did_you_mean(name, known)}')
        value = next((one for one in spec.enum or (True, False) if reader.value(one, spec) == value), value)
        misfit = value_misfit(value, spec, null_fits=True)
        if misfit is not None:
            raise UnfitFact(f"{name}: {misfit}; give such a value")
        values[ref] = value
    return Facts(values, failing)
