"""A small procedure with tools and rows of its own, in the form in which SOP-Bench ships them."""

import csv
import json
from pathlib import Path
from typing import Any

SOP = """Quoting of parcels

1. The clerk weighs the parcel.
2. The clerk looks up the zone of the destination.
3. If the parcel weighs more than 30 kg, it is refused. Otherwise the clerk quotes the price for weight and zone.
"""
TOOLS = """
import csv, os, random, time

print("loaded")


class Desk:
    def __init__(self):
        here = os.path.dirname(os.path.abspath(__file__))
        with open(os.path.join(here, "test_set_with_outputs.csv")) as file:
            self.rows = {row["parcel_id"]: row for row in csv.DictReader(file)}

    def weigh_parcel(self, parcel_id):
        print("weighing", parcel_id)
        return {"parcel_id": parcel_id, "weight_kg": float(self.rows[parcel_id]["weight_kg"])}

    def lookUpZone(self, destination, packing):
        if packing not in ("Box", "None"):
            raise ValueError("unknown packing")
        return {"Berlin": "near", "Oslo": "far"}[destination]

    def quote_price(self, weight_kg, zone):
        if not isinstance(weight_kg, (int, float)):
            raise TypeError("no number")
        return {"price": str(weight_kg * {"near": 2, "far": 5}[zone])}

    def draw_lot(self, parcel_id):
        return {"lot": random.random()}

    def sleep(self, seconds):
        time.sleep(seconds)

    def environment(self):
        return {"names": sorted(os.environ), "folder": os.getcwd()}

    def exit(self):
        os._exit(3)
"""
COLUMNS = ("parcel_id", "destination", "packing", "weight_kg", "zone", "price", "verdict")
ROWS = (
    ("P1", "Berlin", "Box", "10", "near", "20.0", "Quoted"),
    ("P2", "Oslo", "", "4", "far", "20", "Quoted"),
    ("P3", "Oslo", "Box", "31", "far", "", "Refused"),
)


def _spec(name: str, description: str, **fields: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": fields, "required": list(fields)}
    return {"toolSpec": {"name": name, "description": description, "inputSchema": {"json": schema}}}


SPECS = [
    _spec("weigh_parcel", "Weigh a parcel", parcel_id={"type": "string"}),
    _spec(
        "lookUpZone",
        "Look up the zone of a destination",
        destination={"type": "string"},
        packing={"type": "string", "enum": ["Box", "None"]},
    ),
    _spec("quote_price", "Quote the price of a parcel", weight_kg={"type": "number"}, zone={"type": "string"}),
]


def sop_bench(folder: Path, *, inputs: bool = True, **files: str) -> Path:
    """Write the sample; `files` stand for others of it, empty ones are left out."""
    about: dict[str, Any] = {"name": "parcels", "output_columns": ["price", "verdict"]}
    about |= {"input_columns": ["parcel_id", "destination", "packing"]} if inputs else {}
    texts = {
        "sop_txt": SOP, "tools_py": TOOLS, "toolspecs_json": json.dumps(SPECS), "metadata_json": json.dumps(about)
    } | files  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        if text:
            (folder / name.replace("_", ".")).write_text(text, encoding="utf-8")
    with (folder / "test_set_with_outputs.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([COLUMNS, *ROWS])
    return folder


def quoting(**changes: Any) -> dict[str, Any]:
    """The procedure as a workflow, written by hand; `changes` stand for nodes of it."""
    given = {"price": "$.outputs.quote.price", "verdict": "Quoted"}
    nodes = {
        "weigh": {"type": "tools.weigh_parcel", "inputs": {"parcel_id": "$.inputs.parcel"}},
        "zone": {
            "type": "tools.look_up_zone",
            "inputs": {"destination": "$.inputs.destination", "packing": "$.inputs.packing"},
        },
        "quote": {
            "type": "tools.quote_price",
            "inputs": {"weight_kg": "$.outputs.weigh.weight_kg", "zone": "$.outputs.zone.name"},
        },
        "refused": {
            "type": "control.end",
            "status": "rejected",
            "reason_code": "HEAVY",
            "results": {"verdict": "Refused"},
        },
        "done": {"type": "control.end", "status": "completed", "results": given},
    }
    heavy = {"gt": ["$.outputs.weigh.weight_kg", 30]}
    return {
        "workflow_id": "quoting",
        "version": "v1",
        "inputs": {
            "parcel": {"type": "string", "description": "parcel id"},
            "destination": {"type": "string"},
            "packing": {"type": "string"},
            "amount": {"type": "number", "required": False},
        },
        "results": {"price": {"type": "number", "required": False}, "verdict": {"type": "string"}},
        "nodes": nodes | changes,
        "edges": [
            {"from": "weigh", "to": "refused", "condition": heavy},
            {"from": "weigh", "to": "zone", "condition": "otherwise"},
            {"from": "zone", "to": "quote"},
            {"from": "quote", "to": "done"},
        ],
        "execution_policy": {"risk_level": "low"},
    }
