"""Search: the right Node Type comes up, in both languages, and filters hold."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import yaml
from numpy.typing import NDArray

from catalog.embedders import load_embedder
from catalog.embedders.cache import VectorCache
from catalog.index import NodeIndex, Scope, searchable_texts
from catalog.load import Catalog, load_catalog

pytestmark = pytest.mark.slow

PHRASES: dict[str, dict[str, list[tuple[str, str]]]] = yaml.safe_load(
    (Path(__file__).parent / "search_phrases.yaml").read_text(encoding="utf-8")
)
NOWHERE = VectorCache(None)


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    """The shipped catalog."""
    return load_catalog()


@pytest.fixture(scope="module")
def index(catalog: Catalog) -> NodeIndex:
    """The shipped catalog under the default embedder."""
    return NodeIndex(catalog, load_embedder("default", fallback=False).embedder, NOWHERE)


@pytest.fixture(scope="module")
def by_letters(catalog: Catalog) -> NodeIndex:
    """The shipped catalog under the lexical embedder, which needs no model."""
    return NodeIndex(catalog, load_embedder("lexical").embedder, NOWHERE)


def hits(index: NodeIndex, rows: Sequence[tuple[str, str]], within: int) -> float:
    """Share of phrases whose Type is among the first `within` candidates."""
    found = index.search_many([phrase for phrase, _ in rows], limit=within)
    pairs = zip(rows, found, strict=True)
    return sum(name in [item.type for item in items] for (_, name), items in pairs) / len(rows)


@pytest.mark.parametrize(
    ("phrase", "name"),
    [
        ("核对危险等级", "ontology.lookup_hazard_level"),
        ("check whether the shipment was filed", "io.check_filing_status"),
        ("应当由安全环保部按照任务编号在运输备案系统中核查该批次运输的备案情况", "io.check_filing_status"),
        ("应当依据CAS号在目录中查询该物质的危险等级", "ontology.lookup_hazard_level"),
    ],
)
def test_first_hit(index: NodeIndex, phrase: str, name: str) -> None:
    """The design's own phrases find their Type first."""
    assert index.search(phrase)[0].type == name


def test_ontology_query_is_recalled_with_its_concept(index: NodeIndex, catalog: Catalog) -> None:
    """`核对危险等级` recalls a Type with the tag `ontology_query` and the concept `hazard_level`."""
    best = catalog.node_type(index.search("核对危险等级")[0].type)
    assert "ontology_query" in best.tags
    assert "hazard_level" in best.concepts


def test_phrases_are_not_the_catalogs_own(catalog: Catalog) -> None:
    """No test phrase is a text of the catalog, and every expected Type exists."""
    texts = {text for node_type in catalog.node_types.values() for text in searchable_texts(node_type)}
    rows = [row for part in PHRASES.values() for group in part.values() for row in group]
    assert not texts & {phrase for phrase, _ in rows}
    assert {name for _, name in rows} <= set(catalog.node_types)


@pytest.mark.parametrize("part", ["tuned", "untouched"])
@pytest.mark.parametrize("language", ["zh", "en"])
def test_hits_at_five(index: NodeIndex, part: str, language: str) -> None:
    """At least 92 in 100 phrases find their Type among five, and 72 in 100 at once."""
    rows = PHRASES[part][language]
    assert hits(index, rows, 5) >= 0.92
    assert hits(index, rows, 1) >= 0.72


@pytest.mark.parametrize("language", ["zh", "en"])
def test_hits_across_languages(index: NodeIndex, catalog: Catalog, language: str) -> None:
    """A catalog written in one language alone is still found in the other: 80 in 100 among five."""
    own = {"zh": "\u4e00", "en": "a"}[language]

    def foreign(text: str) -> bool:
        return any(character >= "\u3400" for character in text) != (own >= "\u3400")

    stripped = {
        node_type.type: node_type.model_copy(
            update={
                "summary": "",
                "summary_i18n": {key: text for key, text in node_type.summary_i18n.items() if foreign(text)},
                "aliases": tuple(filter(foreign, node_type.aliases)),
                "examples": tuple(filter(foreign, node_type.examples)),
            }
        )
        for node_type in catalog.node_types.values()
    }
    other = NodeIndex(Catalog(stripped, catalog.concepts), index.embedder, NOWHERE)
    rows = [row for part in PHRASES.values() for row in part[language]]
    assert hits(other, rows, 5) >= 0.80


def test_letters_alone_still_serve(by_letters: NodeIndex) -> None:
    """The last resort finds most phrases within a language."""
    rows = [row for part in PHRASES.values() for group in part.values() for row in group]
    assert hits(by_letters, rows, 5) >= 0.85


def test_batch_equals_single(by_letters: NodeIndex) -> None:
    """Batching, repeats and blanks change nothing for the others."""
    batch = by_letters.search_many(["付款", " ", "付款", "check the budget"], limit=3)
    assert batch[0] == batch[2]
    assert batch[1] == ()
    for found, alone in (
        (batch[0], by_letters.search("付款", limit=3)),
        (batch[3], by_letters.search("check the budget", limit=3)),
    ):
        assert [item.type for item in found] == [item.type for item in alone]
        assert [item.score for item in found] == pytest.approx([item.score for item in alone], abs=1e-5)
    assert by_letters.search_many([]) == ()


def test_human_and_control_only_when_asked(by_letters: NodeIndex) -> None:
    """`审批` finds no human Type by chance, but does where the category is asked for."""
    free = by_letters.search("提交审批", limit=100)
    assert {item.type.split(".")[0] for item in free} & {"human", "control"} == set()
    asked = by_letters.search("提交审批", categories={"human"})
    assert asked[0].type == "human.approval"
    assert {item.type.split(".")[0] for item in asked} == {"human"}


def test_deprecated_types_are_not_found(by_letters: NodeIndex) -> None:
    """Their summary word for word finds others."""
    best = by_letters.search("send an email", 1)[0].type
    gone = by_letters.catalog.node_types[best].model_copy(update={"lifecycle": "deprecated"})
    later = Catalog({**by_letters.catalog.node_types, best: gone}, by_letters.catalog.concepts)
    found = NodeIndex(later, by_letters.embedder, NOWHERE).search(gone.summary, 5)
    assert found and best not in {one.type for one in found}


def test_candidate_tells_why(by_letters: NodeIndex, catalog: Catalog) -> None:
    """Scores lie from 0 to 1 in falling order, and the matched text is one of the Type's own."""
    found = by_letters.search("check_filing_status", limit=20)
    assert found[0].type == "io.check_filing_status"
    assert found[0].matched == "check_filing_status"
    scores = [item.score for item in found]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= value <= 1 for item in found for value in (item.score, item.dense, item.lexical))
    assert all(item.matched in searchable_texts(catalog.node_type(item.type)) for item in found)


def test_domain_and_permission_filter(catalog: Catalog) -> None:
    """Types of another domain or beyond the caller's permissions are left out; those of any domain stay."""
    limited = dict(catalog.node_types)
    payment, refund = limited["finance.make_payment"], limited["finance.refund"]
    limited[payment.type] = payment.model_copy(update={"domains": ("banking",)})
    limited[refund.type] = refund.model_copy(update={"permissions": ("finance:refund",)})
    index = NodeIndex(Catalog(limited, catalog.concepts), load_embedder("lexical").embedder, NOWHERE)

    def found(**filters: object) -> set[str]:
        return {item.type for item in index.search("付款 退款", limit=100, **filters)} & {payment.type, refund.type}  # type: ignore[arg-type]  # keyword filters

    assert found() == {payment.type, refund.type}
    assert found(domain="logistics") == {refund.type}
    assert found(domain="banking") == {payment.type, refund.type}
    assert found(permissions=[]) == {payment.type}
    assert found(permissions=["finance:refund"]) == {payment.type, refund.type}
    index = NodeIndex(index.catalog, index.embedder, NOWHERE, scope=Scope("logistics", ()))
    assert found() == found(domain="banking", permissions=["finance:refund"]) == set()


class Refusing:
    """An embedder that must not be needed."""

    def __init__(self, model_id: str) -> None:
        self.model_id = model_id

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed only queries: the catalog's texts are many."""
        assert len(texts) == 1, "the catalog's texts were embedded again"
        return load_embedder("lexical").embedder.embed(texts)


def test_unchanged_catalog_needs_no_model(tmp_path: Path, catalog: Catalog) -> None:
    """A second index over the same catalog takes its vectors from the cache."""
    embedder = load_embedder("lexical").embedder
    first = NodeIndex(catalog, embedder, VectorCache(tmp_path)).search("付款")
    assert NodeIndex(catalog, Refusing(embedder.model_id), VectorCache(tmp_path)).search("付款") == first


def test_heavy_letters_are_refused(catalog: Catalog) -> None:
    """A lexical weight that harms recall is an error of setup."""
    with pytest.raises(ValueError, match=r"expected 0 to 0\.15"):
        NodeIndex(catalog, load_embedder("lexical").embedder, NOWHERE, lexical_weight=0.5)
