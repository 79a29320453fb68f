"""Concepts that imported fields may hold, by what their names mean: proposed to a person, used by nothing before."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from catalog.concept import Concept
from catalog.contract import fold
from catalog.importing.fields import fields_at
from catalog.importing.names import identifier_words
from catalog.importing.node_types import Import
from catalog.load import Catalog
from catalog.node_type import NodeType
from ir.fields import FieldSpec

if TYPE_CHECKING:
    from catalog.embedders.protocol import Embedder

ALIKE, LEAD = 0.80, 0.05
"""Likeness of a field's words to a concept's name from which it is proposed, and by which the next is behind."""


def propose_concepts(imported: Import, catalog: Catalog, embedder: Embedder) -> Import:
    """An import with a concept proposed for each field whose words mean about one, and whose type may hold it.

    Raises:
        EmbedderError: the embedder failed.
    """
    import numpy as np

    from catalog.embedders.cache import user_cache

    names = [(concept, name) for concept in catalog.concepts.values() for name in concept.names()]
    fields = [(name, at, spec) for name, one in imported.types.items() for at, spec in _open_fields(one)]
    if not names or not fields:
        return imported
    words = list(dict.fromkeys(_words(at) for _, at, _ in fields))
    known = user_cache().vectors(embedder, [name for _, name in names])
    likeness = embedder.embed(words) @ known.T
    best = {word: likeness[place] for place, word in enumerate(words)}
    proposed: dict[str, dict[str, str]] = {}
    for name, at, spec in fields:
        word = _words(at)
        exact = catalog.concept_named(word)
        found = exact if exact is not None and _may_hold(spec, exact) else None
        if found is None:
            scores: dict[str, float] = {}
            for place in np.argsort(-best[word])[:20]:
                concept = names[int(place)][0]
                if _may_hold(spec, concept):
                    scores[concept.id] = max(scores.get(concept.id, 0.0), float(best[word][place]))
            ranked = sorted(scores, key=lambda one: -scores[one])
            near = [one for one in ranked if scores[one] >= ALIKE]
            lead = scores[ranked[0]] - scores[ranked[1]] if len(ranked) > 1 else 1.0
            found = catalog.concepts[near[0]] if near and lead >= LEAD else None
        if found is not None:
            proposed.setdefault(name, {})[at] = found.id
    types = {name: _with(one, proposed.get(name, {})) for name, one in imported.types.items()}
    return replace(imported, types=types)


def _open_fields(node_type: NodeType) -> list[tuple[str, FieldSpec]]:
    sides = (("/inputs_schema", node_type.inputs_schema), ("/outputs_schema", node_type.outputs_schema))
    return [(at, spec) for side, fields in sides for at, spec in fields_at(fields, side) if spec.concept is None]


def _words(pointer: str) -> str:
    """What a field is called, as words."""
    return " ".join(identifier_words(pointer.rsplit("/", 1)[-1])) or fold(pointer)


def _may_hold(spec: FieldSpec, concept: Concept) -> bool:
    """Whether a field of a concept could have this type and these values."""
    numbers = {"integer", "number"}
    if spec.type != concept.type and not {spec.type, concept.type} <= numbers:
        return False
    return not (spec.enum and concept.values) or set(map(repr, spec.enum)) == {repr(v.value) for v in concept.values}


def _with(node_type: NodeType, proposed: dict[str, str]) -> NodeType:
    if not proposed or node_type.imported is None:
        return node_type
    return node_type.model_copy(update={"imported": node_type.imported.model_copy(update={"proposed": proposed})})
