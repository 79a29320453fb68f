"""Advice on the catalog: entries that break no contract, but that search or people will not tell apart or find."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pydantic import JsonValue

from catalog.concept import Concept
from catalog.index import NOT_SEARCHED, plain, searchable_texts
from catalog.load import Catalog
from catalog.node_type import NodeType
from ir.diagnostics import Diagnostic, Location, Severity
from ir.fields import Fields

if TYPE_CHECKING:
    from catalog.embedders.protocol import Embedder

LANGUAGES = ("zh", "en")
MIN_ALIASES, MIN_EXAMPLES = 4, 2
MIN_WORDS = {"zh": 6, "en": 4}
OUTPUTS = "/outputs_schema"
TOO_SIMILAR = {"texts": 0.9, "letters": 0.9}
_HAN = re.compile(r"[\u3400-\u9fff]")
_GENERIC = re.compile(
    r"(?i)名称|编号|日期|时间|数量值|内容|状态|结果|情况|类型|等级|级别|单位|人员|部门|文件|材料|信息|数据"
    r"|names?|numbers?|dates?|time|values?|contents?|status|results?|types?|levels?|units?|persons?|people|documents?"
    r"|data|information|codes?|ids?|items?"
)


def lint(catalog: Catalog, embedder: Embedder | None = None) -> tuple[Diagnostic, ...]:
    """What could be better in the catalog.

    Args:
        embedder: finds Types whose texts mean the same; without one, only those whose letters are alike are found.

    Returns:
        Diagnostics, Types first, then concepts; all are warnings or info, since faults raise when loading.
    """
    return (
        *(item for node_type in catalog.node_types.values() for item in _type_advice(node_type)),
        *_alike(catalog, embedder),
        *(item for concept in catalog.concepts.values() for item in _concept_advice(concept)),
    )


def language(text: str) -> str:
    """`zh` where the text has a Han character, else `en`.

    >>> language("查询CAS号"), language("CAS lookup")
    ('zh', 'en')
    """
    return "zh" if _HAN.search(text) else "en"


def _type_advice(node_type: NodeType) -> Iterator[Diagnostic]:
    name = node_type.type
    tongues = _languages_of(node_type)
    yield from _import_advice(node_type)
    for tongue in tongues:
        summary = node_type.summary_i18n.get(tongue, "")
        least = MIN_WORDS[tongue]
        if not summary.strip():
            yield _advice("missing-language", name, f"/summary_i18n/{tongue}", None, f"a summary in {tongue!r}")
        elif _length(summary, tongue) < least:
            measure = "characters" if tongue == "zh" else "words"
            yield _advice("poor-summary", name, f"/summary_i18n/{tongue}", summary, f"at least {least} {measure}")
    aliases = [alias for alias in node_type.aliases if "_" not in alias]
    for key, texts, least in (
        ("aliases", aliases, MIN_ALIASES),
        ("examples", list(node_type.examples), MIN_EXAMPLES),
    ):
        count = Counter(language(text) for text in texts)
        for tongue in tongues:
            if count[tongue] < least:
                expected = f"at least {least} {key} in {tongue!r}"
                yield _advice(f"few-{key}", name, f"/{key}", count[tongue], expected)
    can = node_type.capabilities
    if can.retryable_default and not can.idempotent_default:
        expected = "a Type that may be repeated safely, or no retry"
        yield _advice("retry-not-idempotent", name, "/capabilities/retryable_default", True, expected)
    if node_type.category not in NOT_SEARCHED and not node_type.outputs_schema and not node_type.assumes(OUTPUTS):
        yield _advice("no-outputs", name, "/outputs_schema", {}, "at least one output for later nodes to read")
    judged = [key for key, spec in node_type.outputs_schema.items() if spec.type == "boolean" or spec.enum]
    lacking = sorted({"reason_code", "evidence"} - set(node_type.outputs_schema))
    if node_type.category == "decision" and judged and lacking:
        yield _advice("decision-without-reason", name, "/outputs_schema", list(lacking), "reason_code and evidence")
    if (status := _status_without_null(node_type)) is not None:
        expected = "an output that may be null, or no such status: what cannot be found makes the node fail"
        yield _advice("status-without-null", name, "/outputs_schema/evidence/properties/status", status, expected)
    for side in ("inputs_schema", "outputs_schema") if node_type.imported is None else ():
        yield from _fields_advice(name, getattr(node_type, side), f"/{side}")


def _languages_of(node_type: NodeType) -> tuple[str, ...]:
    """The languages in which a Type should be found: an imported one in those that its texts have already."""
    if node_type.imported is None:
        return LANGUAGES
    spoken = {language(text) for text in (*node_type.summary_i18n.values(), *node_type.examples)}
    return tuple(tongue for tongue in LANGUAGES if tongue in spoken)


def _import_advice(node_type: NodeType) -> Iterator[Diagnostic]:
    """What a person has to see to of an imported Type, and what is proposed to them."""
    name, about = node_type.type, node_type.imported
    if about is None:
        return
    effects = [at for at in about.assumed if at not in (OUTPUTS, "/category")]
    if effects:
        expected = (
            "what a person holds of them: correct them where they are wrong, and take them out of imported.assumed"
        )
        yield _advice("assumed-by-import", name, "/imported/assumed", ", ".join(effects), expected)
    if OUTPUTS in about.assumed and not node_type.outputs_schema:
        expected = "outputs: import again with --samples, or write them, since no condition can read what is not known"
        yield _advice("outputs-unknown", name, OUTPUTS, None, expected)
    elif OUTPUTS in about.assumed:
        found = f"outputs learnt from {about.samples or 0} samples"
        expected = f"what a person holds of them: correct them, and take {OUTPUTS} out of imported.assumed"
        yield _advice("assumed-by-import", name, OUTPUTS, found, expected, Severity.INFO)
    for at, concept in about.proposed.items():
        expected = "the concept at the field, or nothing: write it there where it is meant, and take it out of imported"
        yield _advice("proposed-concept", name, at, concept, expected, Severity.INFO, field=at.rsplit("/", 1)[-1])


def _status_without_null(node_type: NodeType) -> list[JsonValue] | None:
    """The statuses of evidence that say that nothing was found, where every other output must have a value."""
    evidence = node_type.outputs_schema.get("evidence")
    status = (evidence.properties or {}).get("status") if evidence is not None else None
    others = [spec for name, spec in node_type.outputs_schema.items() if name != "evidence"]
    if status is None or not status.enum or any(spec.nullable for spec in others):
        return None
    return list(status.enum) if "not_found" in status.enum else None


def _fields_advice(name: str, fields: Fields, pointer: str) -> Iterator[Diagnostic]:
    """Fields that align with nothing; what lies inside a field with a concept is that concept's matter."""
    for key, spec in fields.items():
        if spec.concept is not None:
            continue
        inside = spec.items if spec.items is not None else spec
        if inside.properties:
            yield from _fields_advice(name, inside.properties, f"{pointer}/{key}/properties")
        elif not (spec.items is not None and spec.items.concept):
            yield _advice(
                "field-without-concept",
                name,
                f"{pointer}/{key}",
                None,
                "a concept, so that the field can be mapped by itself",
                Severity.INFO,
                field=key,
            )


def _alike(catalog: Catalog, embedder: Embedder | None) -> Iterator[Diagnostic]:
    """Pairs of Types that a text can hardly tell apart: one text each, the most similar pair of texts."""
    import numpy as np

    from catalog.embedders.lexical import LexicalEmbedder

    owned = [
        (node_type.type, text)
        for node_type in catalog.node_types.values()
        if node_type.category not in NOT_SEARCHED
        for text in searchable_texts(node_type)
    ]
    if not owned:
        return
    used = embedder or LexicalEmbedder()
    limit = TOO_SIMILAR["texts" if embedder else "letters"]
    vectors = used.embed([plain(text) for _, text in owned])
    likeness = vectors @ vectors.T
    worst: dict[tuple[str, str], tuple[float, str, str]] = {}
    for left, right in zip(*np.nonzero(np.triu(likeness, k=1) > limit), strict=True):
        (one, text), (other, other_text) = owned[left], owned[right]
        pair, found = (one, other), float(likeness[left, right])
        if one != other and found > worst.get(pair, (0.0, "", ""))[0]:
            worst[pair] = (found, text, other_text)
    for (one, other), (found, text, other_text) in sorted(worst.items()):
        message = (
            f"{one!r} and {other!r} are hard to tell apart: {text!r} and {other_text!r} have similarity {found:.2f}, "
            f"expected at most {limit:.2f}; reword one of them or merge the Types"
        )
        yield Diagnostic(
            error_code="indistinguishable-types",
            severity=Severity.WARNING,
            message=message,
            location=Location(file=_file(one)),
            found=round(found, 3),
            expected=f"at most {limit:.2f}",
        )


def _concept_advice(concept: Concept) -> Iterator[Diagnostic]:
    place = f"concept {concept.id}"
    for tongue in LANGUAGES:
        if not concept.labels.get(tongue, "").strip():
            yield _advice("missing-language", place, f"/labels/{tongue}", None, f"a label in {tongue!r}")
    for name in concept.names():
        if _GENERIC.fullmatch(name.strip()) or len(name.strip()) < 2:
            yield _advice(
                "generic-concept-word", place, "/synonyms", name, "a word that names this concept and no other"
            )
    if concept.type == "boolean" and {value.value for value in concept.values} != {True, False}:
        found = [value.value for value in concept.values]
        yield _advice("values-without-words", place, "/values", found, "words for both true and false")
    for value in concept.values:
        for tongue in LANGUAGES:
            if not value.words.get(tongue):
                expected = f"the words that documents use for it in {tongue!r}"
                yield _advice("values-without-words", place, "/values", value.value, expected)


def _length(text: str, tongue: str) -> int:
    return len(text.split()) if tongue == "en" else len(_HAN.findall(text))


def _file(name: str) -> str:
    return name if name.startswith("concept ") else f"node_types/{name.replace('.', '/')}.yaml"


def _advice(
    code: str,
    name: str,
    pointer: str,
    found: object,
    expected: str,
    severity: Severity = Severity.WARNING,
    field: str | None = None,
) -> Diagnostic:
    shown = "nothing" if found is None else repr(found)
    return Diagnostic(
        error_code=code,
        severity=severity,
        message=f"found {shown}, expected {expected}",
        location=Location(file=_file(name), pointer=pointer or None, field=field),
        found=found if isinstance(found, str | int | float | bool | None) else str(found),
        expected=expected,
    )
