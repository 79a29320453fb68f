"""Binds the facts of a form to the inputs of a workflow, and looks bound values up in reference tables."""

from compiler.extract.forms.folder_facts import FolderFacts, FormFact
from ir.facts import Binding, Bindings, Found, Reference
from ir.source import Evidence
from ir.workflow import Workflow


def bind(workflow: Workflow, linked: FolderFacts) -> tuple[Bindings, ...]:
    """One set of bindings for each form that gives any input a value; one empty set where no form does."""
    by_form: dict[str, list[FormFact]] = {}
    for fact in linked.facts:
        by_form.setdefault(fact.doc_id, []).append(fact)
    sets = [_bound(workflow, doc_id, facts, linked.references) for doc_id, facts in by_form.items()]
    found = tuple(item for item in sets if item.bindings)
    return found or (_bound(workflow, None, [], ()),)


def _bound(workflow: Workflow, form: str | None, facts: list[FormFact], references: tuple[Reference, ...]) -> Bindings:
    bindings: list[Binding] = []
    for name, spec in workflow.inputs.items():
        fact = next((f for f in facts if f.concept and f.concept == spec.concept), None)
        fact = fact or next((f for f in facts if f.key in (name, spec.description)), None)
        if fact is not None and (fact.unit is None or spec.unit is None or fact.unit == spec.unit):
            bindings.append(
                Binding(
                    input=name,
                    value=fact.value,
                    unit=fact.unit,
                    converted_from=fact.converted_from,
                    evidence=fact.evidence,
                )
            )
    given = {binding.input for binding in bindings}
    unbound = tuple(name for name, spec in workflow.inputs.items() if spec.is_required and name not in given)
    looked_up = tuple(found for b in bindings for found in _looked_up(workflow, b, references))
    return Bindings(
        workflow_id=workflow.workflow_id, form=form, bindings=tuple(bindings), unbound=unbound, found=looked_up
    )


def _looked_up(workflow: Workflow, binding: Binding, references: tuple[Reference, ...]) -> list[Found]:
    """Rows of reference tables that a bound name stands in: under the concept of the input, or as another name."""
    concept = workflow.inputs[binding.input].concept
    found = []
    for reference in references:
        if not isinstance(binding.value, str) or not any(spec.concept for spec in reference.columns.values()):
            continue
        for row in reference.rows:
            cells = [e for e in row.evidence if _names(e, binding.value)]
            if cells and (concept is None or _is_name(concept, reference)):
                evidence: tuple[Evidence, ...] = row.evidence
                found.append(
                    Found(
                        input=binding.input,
                        value=binding.value,
                        reference=reference.id,
                        row=row.values,
                        evidence=evidence,
                    )
                )
    return found


def _names(cell: Evidence, value: str) -> bool:
    parts = [part.strip() for part in cell.quote.replace("；", ";").replace("、", ";").split(";")]
    return value in parts


def _is_name(concept: str, reference: Reference) -> bool:
    """Whether values of a concept may stand in the reference as names: it has that column, or it is a text's name."""
    concepts = {spec.concept for spec in reference.columns.values()}
    return concept in concepts or concept.endswith("_name")
