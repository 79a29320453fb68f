"""What a question about a document says of the user's own systems."""

from dataclasses import replace

import pytest
from test_reading_by_model import CATALOG, PRIMERS, context, document

from catalog.binding import PythonBinding
from catalog.embedders import load_embedder
from catalog.embedders.cache import VectorCache
from catalog.index import NodeIndex
from catalog.load import Catalog
from catalog.node_type import Imported
from compiler.context import Context
from compiler.extract.model import systems
from compiler.extract.model.systems import systems_told

BASE = CATALOG.node_type("io.check_filing_status")


def with_systems(number: int, **changes: object) -> Catalog:
    """The catalog with Types behind which functions stand."""
    own = {
        f"own.look_up_{at}": BASE.model_copy(
            update={
                "type": f"own.look_up_{at}",
                "summary": f"Look up the rating of supplier {at}",
                "summary_i18n": {},
                "binding": PythonBinding(kind="python", name=f"lookUp{at}"),
                **changes,
            }
        )
        for at in range(number)
    }
    return Catalog({**CATALOG.node_types, **own}, CATALOG.concepts)


def test_without_systems_nothing_is_said() -> None:
    """What comes with flowc has no system behind it."""
    assert systems_told(context(), document()) == ""


def test_each_system_stands_with_what_it_takes_and_gives() -> None:
    """Values of a field beside its name."""
    told = systems_told(replace(context(), catalog=with_systems(2)), document())
    lines = [line for line in told.split("\n") if line.startswith("own.")]
    assert [line.split(":")[0] for line in lines] == ["own.look_up_0", "own.look_up_1"]
    takes = ", ".join(name + ("#" if spec.type == "number" else "") for name, spec in BASE.inputs_schema.items())
    assert f"Look up the rating of supplier 0 ({takes} → has_filing?, " in lines[0]
    assert "filing_status{approved|missing|unknown}" in lines[0]


def test_what_nobody_said_that_it_gives_is_not_made_up() -> None:
    """Nor that it gives nothing."""
    unsaid = Imported(source="s", at="f", assumed=("/outputs_schema",))
    catalog = with_systems(1, outputs_schema={}, imported=unsaid)
    assert "→ not said)" in systems_told(replace(context(), catalog=catalog), document())


def test_of_many_the_nearest_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """By what the document says."""
    monkeypatch.setattr(systems, "MOST", 3)
    catalog = with_systems(5, summary="Reserve a parking space")
    order = catalog.node_type("own.look_up_4").model_copy(update={"summary": "Issue the order to the supplier"})
    catalog = Catalog({**catalog.node_types, order.type: order}, catalog.concepts)
    ctx = Context(
        catalog,
        PRIMERS,
        lambda: NodeIndex(catalog, load_embedder("default", fallback=False).embedder, VectorCache(None)),
        "policy.md",
    )
    lines = [line for line in systems_told(ctx, document()).split("\n") if line.startswith("own.")]
    assert len(lines) == 3
    assert any("Issue the order" in line for line in lines)
