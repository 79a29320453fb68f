"""OpenAPI files as Node Types: what an operation takes, gives and does, and every fault with its place."""

import json
from pathlib import Path
from typing import Any

import pytest

from catalog.binding import HttpBinding
from catalog.importing import Import, Wanted, import_tools
from catalog.importing.errors import MalformedSource
from catalog.node_type import NodeType

FILES = Path(__file__).resolve().parents[3] / "fixtures" / "imports"


@pytest.fixture(scope="module")
def rental() -> Import:
    """An English service with references, unions, arrays and dates."""
    return import_tools(Wanted(str(FILES / "rental.openapi.yaml")))


@pytest.fixture(scope="module")
def permits() -> Import:
    """A Chinese one, of the older version 3.0."""
    return import_tools(Wanted(str(FILES / "permits.openapi.json")))


def binding(node_type: NodeType) -> HttpBinding:
    """How a Type is called."""
    assert isinstance(node_type.binding, HttpBinding)
    return node_type.binding


def test_every_operation_is_a_type(rental: Import, permits: Import) -> None:
    """33 operations; one without an id is called by method and path, a path item may be referred to."""
    assert (rental.namespace, len(rental.types)) == ("equipment_rental", 17)
    assert (permits.namespace, len(permits.types)) == ("permits_openapi", 16)
    assert {"equipment_rental.post_quotes", "equipment_rental.probe_depots"} <= set(rental.types)


def test_only_safe_methods_are_read_only(rental: Import, permits: Import) -> None:
    """GET and HEAD change nothing, DELETE is of high risk, and of POST nobody knows until a person says so."""
    for node_type in (*rental.types.values(), *permits.types.values()):
        method, can = binding(node_type).method, node_type.capabilities
        assert can.side_effect is (method not in ("GET", "HEAD"))
        assert can.retryable_default is (method in ("GET", "HEAD", "PUT", "DELETE"))
        assert node_type.governance.risk_level_default == {"DELETE": "high", "GET": "low", "HEAD": "low"}.get(
            method, "medium"
        )
        assert node_type.assumes("/capabilities/side_effect") is (method == "POST")
        assert node_type.assumes("/governance/risk_level_default") is (method in ("POST", "PUT", "PATCH"))


def test_arguments_know_their_place_and_name(rental: Import) -> None:
    """Path, query and body; of two with one name the later is told apart, and sent by its own name."""
    move = rental.types["equipment_rental.move_machine"]
    assert binding(move).places == {"machineId": "path", "depot": "body", "body_machineId": "body"}
    assert binding(move).names == {"inputs.body_machineId": "machineId"}
    check = rental.types["equipment_rental.check_credit_limit"]
    assert binding(check).names == {"inputs.customer_id": "customer.id"}
    assert binding(check).places["customer_id"] == "path"
    assert binding(check).server == "https://eu.rental.example/api"
    machines = rental.types["equipment_rental.list_machines"].inputs_schema
    assert (machines["depot"].required, machines["depot"].description) == (True, "Where it stands")
    assert machines["kind"].items is not None
    assert machines["kind"].items.enum == ("excavator", "crane", "pump")
    assert machines["free-from"].type == "date"
    assert machines["page"].default == 1


def test_combinations_become_fields(rental: Import, permits: Import) -> None:
    """allOf is all together; of oneOf what every alternative demands is required; null is told as nullable."""
    book = rental.types["equipment_rental.book_machine"]
    assert {name for name, one in book.inputs_schema.items() if one.required} == {"first_day", "last_day", "customer"}
    assert book.inputs_schema["insured"].enum == (True,)
    assert book.permissions == ("rental", "booking:write")
    assert {name for name, one in book.outputs_schema.items() if one.required} == set()
    assert book.outputs_schema["status"].enum == ("open", "no", "returned")
    machine = rental.types["equipment_rental.get_machine"].outputs_schema
    assert (machine["weight_t"].type, machine["weight_t"].nullable) == ("number", True)
    applicant = permits.types["permits_openapi.submit_application"].inputs_schema["applicant"].properties
    assert applicant is not None
    assert {name: one.required for name, one in applicant.items()} == {
        "name": True, "idNumber": None, "creditCode": None,
    }  # fmt: skip
    assert permits.types["permits_openapi.get_application"].outputs_schema["area"].nullable


def test_what_is_only_read_or_only_written_stands_on_its_side(rental: Import) -> None:
    """An id that the service gives is no argument, and a PIN that it takes is no output."""
    register = rental.types["equipment_rental.register_machine"]
    assert "id" not in register.inputs_schema
    assert "pin" in register.inputs_schema
    assert "id" in register.outputs_schema
    assert "pin" not in register.outputs_schema


def test_what_is_no_object_is_the_result(rental: Import, permits: Import) -> None:
    """A list that comes back is one output; a file that is sent is the body as a whole."""
    listed = rental.types["equipment_rental.list_inspections"]
    assert binding(listed).result == "result"
    assert listed.outputs_schema["result"].type == "array"
    material = permits.types["permits_openapi.add_material"]
    assert (binding(material).places["body"], binding(material).media_type) == (
        "whole-body",
        "application/octet-stream",
    )


def test_outputs_are_assumed_where_the_file_says_nothing(rental: Import, permits: Import) -> None:
    """An answer without content gives nothing; one that is not described is unknown."""
    assert not rental.types["equipment_rental.scrap_machine"].assumes("/outputs_schema")
    assert permits.types["permits_openapi.schedule_inspection"].assumes("/outputs_schema")


def test_rings_files_and_unions_are_followed_and_told(rental: Import, permits: Import) -> None:
    """An object within itself ends; a file beside is read; a field that is a text or an object is told."""
    quote = rental.types["equipment_rental.post_quotes"].outputs_schema
    assert quote["valid_until"].type == "date"
    assert quote["lines"].items is not None
    assert quote["lines"].items.properties is not None
    told = {one.location.pointer: one.message for one in rental.diagnostics if one.error_code == "schema-narrowed"}
    assert "found object or string" in told["/components/schemas/Settlement/properties/paid_with"]
    assert "an object within itself" in told["/components/schemas/Machine/properties/parts/items"]
    assert rental.types["equipment_rental.return_machine"].assumes("/outputs_schema/paid_with/type")
    assert [one.error_code for one in permits.diagnostics] == ["schema-narrowed"]


def test_chinese_names_are_found_again(permits: Import) -> None:
    """Words of the file are summary and aliases; names that references cannot hold stand in the binding."""
    review = permits.types["permits_openapi.record_review"]
    assert review.summary_i18n == {"zh": "登记审查意见"}
    assert set(binding(review).names.values()) == {"编号", "结论", "意见"}
    said = {one.description: one for one in review.inputs_schema.values()}
    assert said["结论"].enum == ("同意", "不同意")
    assert said["意见"].nullable


BASE: dict[str, Any] = {"openapi": "3.1.0", "info": {"title": "T", "version": "1"}}


def operation(**more: Any) -> dict[str, Any]:
    """A file with one operation."""
    return {**BASE, "paths": {"/a": {"get": {"operationId": "a", "description": "a", "responses": {}, **more}}}}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"swagger": "2.0", "paths": {}}, "/swagger: found '2.0', expected OpenAPI 3.x; convert"),
        ({"openapi": "4.0.0", "paths": {}}, "/openapi: found '4.0.0'"),
        ({**BASE, "paths": {}}, "/paths: found {}, expected an operation"),
        ({**BASE, "paths": []}, "/paths: found []"),
        ({**BASE, "paths": {"a": {}}}, "/paths/a: found 'a', expected a path that begins with /"),
        ({**BASE, "paths": {"/a": {"get": 3}}}, "/paths/~1a/get: found 3, expected an operation"),
        (operation(parameters=[{"in": "query"}]), "/paths/~1a/get/parameters/0/name: found None"),
        (operation(parameters=[{"name": "x", "in": "body"}]), "/parameters/0/in: found 'body'"),
        (operation(parameters=[{"$ref": "#/components/parameters/X"}]), "/parameters/0/$ref: found '#/components"),
        (operation(responses={"200": {"content": {"application/json": {"schema": {"type": "str"}}}}}), "found str"),
        (operation(responses={"200": {"$ref": "../else.yaml#/X"}}), "an address elsewhere"),
        (operation(responses={"200": {"$ref": "https://x.example/y"}}), "an address elsewhere"),
        (operation(requestBody={"content": []}), "/requestBody/content: found []"),
        ({**BASE, "paths": {"/a/{b}": {"get": {"responses": {}}}}}, "{b} in '/a/{b}'"),
        (
            {**operation(parameters=[{"name": "x", "in": "query", "schema": {"$ref": "#/components/schemas/A"}}]),
             "components": {"schemas": {"A": {"$ref": "#/components/schemas/A"}}}},
            "round in a ring",
        ),
    ],
)  # fmt: skip
def test_what_is_broken_is_told_with_its_path(data: Any, said: str, tmp_path: Path) -> None:
    """Where in the file, what was found, what was expected, and what to do."""
    path = tmp_path / "x.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(MalformedSource) as caught:
        import_tools(Wanted(str(path)))
    assert said in str(caught.value)


def test_a_line_is_told_of_yaml(tmp_path: Path) -> None:
    """In a file for people the line is found without counting."""
    path = tmp_path / "x.yaml"
    path.write_text("openapi: 3.0.1\npaths:\n  /a:\n    get: []\n", encoding="utf-8")
    with pytest.raises(MalformedSource, match=r"x\.yaml:4: /paths/~1a/get"):
        import_tools(Wanted(str(path)))


def test_malformed_operations_can_be_left_out(tmp_path: Path) -> None:
    """A faulty schema costs its own tool where a person says so, and is listed."""
    schema = {"type": "object", "properties": {"b": {"type": "nothing"}}}
    data = operation(responses={"200": {"content": {"application/json": {"schema": schema}}}})
    data["paths"]["/b"] = {"get": {"operationId": "b", "description": "b", "responses": {}}}
    path = tmp_path / "x.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(MalformedSource, match="properties/b/type"):
        import_tools(Wanted(str(path)))
    found = import_tools(Wanted(str(path)), skip_faulty=True)
    assert list(found.types) == ["t.b"]
    assert [one.error_code for one in found.diagnostics] == ["tool-left-out"]


def test_yaml_of_other_systems_is_that_of_version_1_2(tmp_path: Path) -> None:
    """Country codes and dates are texts; anchors may be used."""
    path = tmp_path / "x.yaml"
    path.write_text(
        "openapi: 3.0.1\ninfo: {title: t, version: 1.0.0}\npaths:\n  /a:\n    get:\n      operationId: a\n"
        "      description: a\n      parameters:\n        - name: c\n          in: query\n"
        "          schema: &c {type: string, enum: [NO, SE], default: NO}\n"
        "        - {name: d, in: query, schema: *c}\n      responses: {200: {description: since 2020-01-01}}\n",
        encoding="utf-8",
    )
    (node_type,) = import_tools(Wanted(str(path))).types.values()
    assert node_type.inputs_schema["c"].enum == node_type.inputs_schema["d"].enum == ("NO", "SE")


def test_what_grows_without_end_is_cut(tmp_path: Path) -> None:
    """Schemas that refer to each other make as many fields as a person can look through, and no more."""
    names = [f"S{n}" for n in range(12)]
    refs = {name: {"$ref": f"#/components/schemas/{name}"} for name in names}
    schemas = {name: {"type": "object", "properties": refs} for name in names}
    data = operation(responses={"200": {"content": {"application/json": {"schema": refs["S0"]}}}})
    path = tmp_path / "x.json"
    path.write_text(json.dumps({**data, "components": {"schemas": schemas}}), encoding="utf-8")
    found = import_tools(Wanted(str(path)))
    assert len(found.types["t.a"].model_dump_json()) < 200_000
    assert "schema-narrowed" in {one.error_code for one in found.diagnostics}
