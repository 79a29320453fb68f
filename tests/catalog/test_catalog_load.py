"""Loading a catalog: what a sound one gives, and every way in which one can be unsound."""

import pickle
from pathlib import Path

import pytest

from catalog.errors import CatalogClash, CatalogError
from catalog.load import load_catalog, parse_node_type

NODE_TYPE = """\
type: io.weigh
version: 1.0.0
category: io
summary: Weigh a parcel
inputs_schema:
  parcel_id: {type: string, required: true, concept: parcel_id}
outputs_schema:
  weight: {type: number, required: true, concept: weight, unit: kg}
  size: {type: string, enum: [small, large], concept: size}
capabilities: {side_effect: false, idempotent_default: true, retryable_default: true}
governance: {risk_level_default: low}
aliases: [weigh_parcel, put it on the scales]
"""
CONCEPTS = """\
- id: parcel_id
  labels: {zh: 包裹编号, en: parcel number}
  type: string
- id: weight
  labels: {zh: 重量, en: weight}
  type: number
  unit: kg
- id: price
  labels: {zh: 价格, en: price}
  type: number
  measure: money
- id: size
  labels: {zh: 尺寸, en: size}
  type: string
  values:
    - {value: small, words: {en: [small]}}
    - {value: large, words: {en: [large]}}
"""


def write(root: Path, node_type: str = NODE_TYPE, concepts: str = CONCEPTS, **more: str) -> Path:
    """A catalog folder; `more` are further Node Types of namespace `io` by name."""
    files = {"node_types/io/weigh.yaml": node_type, "concepts/all.yaml": concepts}
    files |= {f"node_types/io/{name}.yaml": text for name, text in more.items()}
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def faults(root: Path) -> list[tuple[str, str, str]]:
    """(pointer, found, expected) of every fault of a folder."""
    with pytest.raises(CatalogError) as caught:
        load_catalog(root)
    return [(fault.pointer, fault.found, fault.expected) for fault in caught.value.faults]


def test_sound_catalog_loads(tmp_path: Path) -> None:
    """Types by type, concepts by id, older names resolved, ordinary aliases not."""
    catalog = load_catalog(write(tmp_path))
    assert list(catalog.node_types) == ["io.weigh"]
    assert catalog.concepts["weight"].unit == "kg"
    assert catalog.node_type("io.weigh") is catalog.resolve("weigh_parcel")
    assert catalog.resolve("put it on the scales") is None
    assert catalog.resolve("io.wiegh") is None
    with pytest.raises(KeyError):
        catalog.node_type("weigh_parcel")


def test_concept_is_found_by_any_name(tmp_path: Path) -> None:
    """Label and case do not matter; an unknown name gives None."""
    catalog = load_catalog(write(tmp_path))
    found = [catalog.concept_named(name) for name in ("包裹编号", " Parcel  Number ", "parcel")]
    assert [concept and concept.id for concept in found] == ["parcel_id", "parcel_id", None]


def test_broader_concepts(tmp_path: Path) -> None:
    """All that are broader, the nearest first; an unknown concept has none."""
    catalog = load_catalog(
        write(
            tmp_path,
            concepts=CONCEPTS + "- {id: tare, labels: {en: tare}, type: number, broader: net}\n"
            "- {id: net, labels: {en: net}, type: number, broader: weight}\n",
        )
    )
    assert catalog.broader("tare") == ("net", "weight")
    assert catalog.broader("weight") == catalog.broader("colour") == ()


@pytest.mark.parametrize("unit", ["", ", unit: EUR"])
def test_money_has_any_currency_or_one(tmp_path: Path, unit: str) -> None:
    """A field of money has no unit, or a currency of its own, whatever the other fields of the concept have."""
    price = "  price: {type: number, concept: price" + unit + "}\n  size:"
    catalog = load_catalog(write(tmp_path, NODE_TYPE.replace("  size:", price, 1)))
    assert catalog.node_type("io.weigh").outputs_schema["price"].unit == (unit[-3:] or None)


def test_catalog_is_frozen_and_crosses_processes(tmp_path: Path) -> None:
    """Nothing can be put in; a pickled copy has the same content and digest."""
    catalog = load_catalog(write(tmp_path))
    with pytest.raises(TypeError):
        catalog.node_types["x.y"] = catalog.node_type("io.weigh")  # type: ignore[index]  # the refusal is tested
    copy = pickle.loads(pickle.dumps(catalog))
    assert copy.node_types == catalog.node_types
    assert copy.digest == catalog.digest


def test_digest_follows_content_alone(tmp_path: Path) -> None:
    """Comments and key order leave the digest; any change of content changes it."""
    digest = load_catalog(write(tmp_path / "a")).digest
    lines = NODE_TYPE.splitlines()
    reordered = "# a comment\n" + "\n".join([*lines[1:4], lines[0], *lines[4:]]) + "\n"
    assert load_catalog(write(tmp_path / "b", reordered)).digest == digest
    assert load_catalog(write(tmp_path / "c", NODE_TYPE.replace("low", "medium"))).digest != digest
    assert load_catalog(write(tmp_path / "d", concepts=CONCEPTS.replace("尺寸", "规格"))).digest != digest


def test_all_faults_are_told_with_place_and_next_step(tmp_path: Path) -> None:
    """Faults of several files come in one error, each with file, line, pointer, found, expected and next step."""
    broken = NODE_TYPE.replace("category: io", "category: oi").replace("concept: size", "concpt: size")
    write(tmp_path, broken, CONCEPTS.replace("type: number", "type: nmber", 1))
    with pytest.raises(CatalogError) as caught:
        load_catalog(tmp_path)
    text = str(caught.value)
    assert f"{tmp_path}/node_types/io/weigh.yaml:3: /category: found 'oi', expected " in text
    assert "/outputs_schema/size/concpt: found 'concpt', expected a known key; did you mean 'concept'?" in text
    assert f"{tmp_path}/concepts/all.yaml:6: /1/type: found 'nmber', expected " in text
    assert text.startswith("the catalog has 3 faults:")


@pytest.mark.parametrize("key", ["next", "branch", "terminate", "retry_algorithm", "logic", "prompt"])
def test_flow_and_algorithm_are_refused(tmp_path: Path, key: str) -> None:
    """A contract has no key for what comes next or how it is done."""
    assert (f"/{key}", repr(key), "a known key") in faults(write(tmp_path, NODE_TYPE + f"{key}: io.other\n"))


def test_what_a_type_changes_is_told_by_required_inputs(tmp_path: Path) -> None:
    """`writes` goes with side effects, and names inputs that every node of the Type has."""
    text = NODE_TYPE + "writes: {parcel: [], scales: [nowhere]}\n"
    found = faults(write(tmp_path, text))
    assert ("/writes/parcel", "[]", "the inputs that say which one") in found
    assert ("/writes/scales/0", "'nowhere'", "a required input of the Type") in found
    assert ("/writes/scales", "'scales'", "side_effect true beside `writes`") in found


def test_a_unit_is_said_by_an_input(tmp_path: Path) -> None:
    """`units` names inputs of the Type."""
    assert ("/units/nowhere", "'nowhere'", "an input of the Type") in faults(
        write(tmp_path, NODE_TYPE + "units: {nowhere: nothing}\n")
    )


def test_missing_key_is_told(tmp_path: Path) -> None:
    """A Type without version says which key is missing."""
    found = faults(write(tmp_path, NODE_TYPE.replace("version: 1.0.0\n", "")))
    assert found == [("/version", "None", "the required key 'version'")]


def test_repeated_key_is_a_fault(tmp_path: Path) -> None:
    """YAML would keep the second silently."""
    found = faults(write(tmp_path, NODE_TYPE + "version: 2.0.0\n"))
    assert found == [("/version", "the key 'version', which line 2 has already", "each key once")]


@pytest.mark.parametrize(
    "text", ["a: [1", "a: 2026-02-31", "!!python/object/apply:os.getcwd []", "&a [*a]", "a: 1\n---\nb: 2\n", "\tx: 1"]
)
def test_bad_yaml_is_a_fault_and_runs_nothing(tmp_path: Path, text: str) -> None:
    """Broken, impossible, tagged, circular and doubled documents are told as such."""
    assert ("", "one valid YAML document") in [
        (where, expected) for where, _, expected in faults(write(tmp_path, text))
    ]


def test_duplicates_among_types(tmp_path: Path) -> None:
    """Types, aliases (whatever their case) and an alias that is another's type are faults."""
    other = NODE_TYPE.replace("type: io.weigh", "type: io.scale", 1)
    other = other.replace("aliases: [weigh_parcel, put it on the scales]", "aliases: [Put it on the Scales, io.weigh]")
    write(tmp_path, scale=other, weigh2=NODE_TYPE)
    found = faults(tmp_path)
    assert ("/type", "'io.weigh'", "a type of its own") in found
    assert ("/type", "'io.weigh'", "the file node_types/io/weigh.yaml") in found
    assert ("/aliases/1", "'io.weigh'", "an alias, not the name of a Node Type") in found
    assert any(pointer == "/aliases/1" and "put it on" in text for pointer, text, _ in found)


@pytest.mark.parametrize(
    ("old", "new", "pointer", "expected"),
    [
        ("concept: parcel_id", "concept: parcel", "/inputs_schema/parcel_id/concept", "the id of a concept"),
        ("unit: kg", "unit: t", "/outputs_schema/weight/unit", "'kg', as the concept 'weight' has it"),
        (", unit: kg", "", "/outputs_schema/weight", "'kg', as the concept 'weight' has it"),
        ("[small, large]", "[small, big]", "/outputs_schema/size/enum", "['small', 'large'], as the concept"),
        ("[small, large]", "[small, 1]", "/outputs_schema/size/enum/1", "a value of type string"),
        ("{type: string, enum", "{type: array, enum", "/outputs_schema/size", "an array with `items`"),
        ("type: number", "type: string", "/outputs_schema/weight/type", "number, as the concept 'weight' has it"),
        ("governance:", "concepts: [mass]\ngovernance:", "/concepts/0", "the id of a concept"),
        ("required: true", "default: 3", "/inputs_schema/parcel_id/default", "a value of type string"),
        (", concept: parcel_id", ", concept: price, unit: kg", "/inputs_schema/parcel_id/unit", "a currency"),
        ("required: true", "properties: {}", "/inputs_schema/parcel_id/properties", "type object beside `properties`"),
    ],
)  # fmt: skip
def test_fields_must_agree_with_concepts(tmp_path: Path, old: str, new: str, pointer: str, expected: str) -> None:
    """Unknown concepts, another unit, other values and another type are faults."""
    found = faults(write(tmp_path, NODE_TYPE.replace(old, new, 1)))
    assert any(where.startswith(pointer) and wanted.startswith(expected) for where, _, wanted in found), found


@pytest.mark.parametrize(
    ("old", "new", "pointer"),
    [
        ("id: weight", "id: parcel_id", "/1/id"),
        ("en: weight", "en: Parcel Number", "/1/labels/en"),
        ("unit: kg", "unit: kg\n  broader: mass", "/1/broader"),
        ("unit: kg", "unit: kg\n  broader: weight", "/1/broader"),
        ("unit: kg", "unit: kg\n  measure: money", "/1/unit"),
        ("type: number\n  measure", "type: string\n  measure", "/2/measure"),
        ("value: large", "value: 3", "/3/values/1/value"),
        ("value: large", "value: small", "/3/values/1/value"),
        ("value: large", "value: true", "/3/values/1/value"),
    ],
)
def test_concepts_must_be_sound(tmp_path: Path, old: str, new: str, pointer: str) -> None:
    """Repeated ids, names and values, values of another type, unknown and circular broader concepts are faults."""
    found = faults(write(tmp_path, concepts=CONCEPTS.replace(old, new, 1)))
    assert pointer in [where for where, _, _ in found]


def test_stray_files_are_not_passed_over(tmp_path: Path) -> None:
    """A file that would be ignored because of its name is told; so is one that is no UTF-8; a read-me is fine."""
    write(tmp_path)
    (tmp_path / "node_types/io/other.yml").write_text(NODE_TYPE)
    (tmp_path / "node_types/io/README.md").write_text("About these types.")
    (tmp_path / "concepts/bad.yaml").write_bytes("- id: 重".encode("gb18030"))
    found = faults(tmp_path)
    assert ("", "'other.yml'", "a name that ends in .yaml") in found
    assert [expected for _, _, expected in found].count("readable UTF-8 text") == 1
    assert len(found) == 2


def test_missing_folder_is_told(tmp_path: Path) -> None:
    """A catalog that is not there names both folders."""
    assert [found for _, found, _ in faults(tmp_path / "none")] == ["no such folder"] * 2


def test_design_example_loads_verbatim() -> None:
    """EX-13, in JSON as the design has it, is a Node Type."""
    path = Path(__file__).parent / "ex13_lookup_hazard_level.json"
    node_type = parse_node_type(path.read_text(encoding="utf-8"), path.name)
    assert node_type.type == "ontology.lookup_hazard_level"
    assert node_type.inputs_schema["cas_number"].required is True
    assert node_type.governance.requires_allowlist is False
    with pytest.raises(CatalogError, match="did you mean 'category'"):
        parse_node_type(path.read_text(encoding="utf-8").replace("category", "categry"), path.name)


def second(root: Path, **replaced: str) -> Path:
    """A catalog that stands beside the first: it has no concepts of its own, and names those of the other."""
    text = NODE_TYPE.replace("io.weigh", "scales.weigh").replace("weigh_parcel", "weigh_goods")
    for one, other in replaced.items():
        text = text.replace(one, other)
    path = root / "node_types" / "scales" / "weigh.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    return root


def test_several_catalogs_are_used_as_one(tmp_path: Path) -> None:
    """Types may name the concepts of any of them, and are found whatever the order; one given twice counts once."""
    one, other = write(tmp_path / "a"), second(tmp_path / "b")
    both = load_catalog(one, other)
    assert list(both.node_types) == ["io.weigh", "scales.weigh"]
    assert both.concepts.keys() == load_catalog(one).concepts.keys()
    assert load_catalog(other, one, other).digest == both.digest
    with pytest.raises(CatalogError, match="define 'parcel_id' under concepts/"):
        load_catalog(other)


def test_the_shipped_catalog_may_be_one_of_several(tmp_path: Path) -> None:
    """`builtin` names it; alone it is what none means."""
    assert load_catalog("builtin") is load_catalog()
    text = NODE_TYPE.replace(", concept: parcel_id", "").replace(", concept: weight", "").replace(", concept: size", "")
    root = tmp_path / "mine"
    (root / "node_types" / "io").mkdir(parents=True)
    (root / "node_types" / "io" / "weigh.yaml").write_text(text, encoding="utf-8")
    both = load_catalog(root, "builtin")
    assert set(both.node_types) == {"io.weigh", *load_catalog().node_types}
    assert both.concepts == load_catalog().concepts


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"scales.weigh": "io.weigh"}, "/type: found 'io.weigh'"),
        ({"weigh_goods": "weigh_parcel"}, "/aliases/0: found 'weigh_parcel'"),
        ({"weigh_goods": "io.weigh"}, "/aliases/0: found 'io.weigh'"),
    ],
)
def test_catalogs_that_give_a_name_to_two_things_clash(changed: dict[str, str], said: str, tmp_path: Path) -> None:
    """What workflows call a Type means one; words by which texts find it may be alike."""
    one, other = write(tmp_path / "a"), second(tmp_path / "b", **changed)
    if "scales.weigh" in changed:
        (other / "node_types" / "scales").rename(other / "node_types" / "io")
    with pytest.raises(CatalogClash) as caught:
        load_catalog(one, other)
    (fault,) = caught.value.faults
    assert said in str(fault)
    assert str(one) in fault.next_step


def test_concepts_of_two_catalogs_clash_by_any_name(tmp_path: Path) -> None:
    """A word that means two concepts could not be read in a document."""
    one, other = write(tmp_path / "a"), second(tmp_path / "b")
    (other / "concepts").mkdir()
    mass = "- {id: mass, labels: {en: Weight}, type: number, unit: kg}\n"
    (other / "concepts" / "own.yaml").write_text(mass, encoding="utf-8")
    with pytest.raises(CatalogClash, match="found 'weight'"):
        load_catalog(one, other)
