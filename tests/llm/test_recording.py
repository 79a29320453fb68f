"""Answers that are kept: asked for once, replayed byte for byte, never for another question."""

from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import BaseModel

from llm import ModelFault, Reply, Request, Usage
from llm.recording import CachedModel, Recording, ReplayedModel


class Town(BaseModel):
    """A town."""

    name: str


class City(BaseModel):
    """A city."""

    name: str


ASKED = Request("extract", "towns.md#1", (("system", "Read."), ("user", "Which town?")), Town)
TEXT = '```json\n{"name": "Graz"}\n```'


class ProvisionReading:
    """A model that counts how often it is asked."""

    def __init__(self, name: str = "m@host") -> None:
        self.name, self.asked = name, 0

    def answer(self, request: Request) -> Reply:
        """Always the same."""
        self.asked += 1
        return Reply(Town(name="Graz"), TEXT, Usage(10, 4), "m-2026", "md_json", 2)


def test_an_answer_is_asked_for_once(tmp_path: Path) -> None:
    """By the same model with the same question; a second process finds it."""
    model = ProvisionReading()
    first = CachedModel(model, Recording(tmp_path)).answer(ASKED)
    assert CachedModel(model, Recording(tmp_path)).answer(ASKED) == first
    assert model.asked == 1
    CachedModel(ProvisionReading("other@host"), Recording(tmp_path)).answer(ASKED)
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize(
    "other",
    [
        replace(ASKED, messages=(("system", "Read."), ("user", "Which city?"))),
        replace(ASKED, messages=(("system", "Look."), ("user", "Which town?"))),
        replace(ASKED, messages=(*ASKED.messages, ("user", "Again."))),
        replace(ASKED, form=City),
        replace(ASKED, max_tokens=7),
    ],
    ids=["question", "instructions", "follow-up", "form", "length"],
)
def test_all_that_shapes_an_answer_is_part_of_the_question(other: Request, tmp_path: Path) -> None:
    """Another question is asked anew."""
    model = ProvisionReading()
    for request in (ASKED, other):
        CachedModel(model, Recording(tmp_path)).answer(request)
    assert model.asked == 2


def test_a_replay_gives_what_was_recorded(tmp_path: Path) -> None:
    """With its tokens, and without the model."""
    recorded = CachedModel(ProvisionReading(), Recording(tmp_path), of_any_model=True).answer(ASKED)
    assert ReplayedModel(Recording(tmp_path)).answer(ASKED) == recorded
    assert recorded.usage == Usage(10, 4)


def test_a_stale_recording_says_what_changed(tmp_path: Path) -> None:
    """The part, and the file that has the earlier one."""
    CachedModel(ProvisionReading(), Recording(tmp_path), of_any_model=True).answer(ASKED)
    (file,) = tmp_path.iterdir()
    changed = replace(ASKED, messages=(("system", "Look."), ("user", "Which town?")))
    with pytest.raises(ModelFault) as fault:
        ReplayedModel(Recording(tmp_path)).answer(changed)
    assert fault.value.kind == "stale"
    assert fault.value.detail == f"extract towns.md#1: the instructions changed since {file.name} was recorded"
    with pytest.raises(ModelFault, match="nothing was recorded for it"):
        ReplayedModel(Recording(tmp_path)).answer(replace(ASKED, subject="towns.md#2"))


def test_a_damaged_file_is_no_answer(tmp_path: Path) -> None:
    """It is asked for anew and mended."""
    model = ProvisionReading()
    CachedModel(model, Recording(tmp_path)).answer(ASKED)
    (file,) = tmp_path.iterdir()
    for broken in ("", "{", '{"format": 1, "parts": {}}', file.read_text().replace("Graz", '", "x": "')):
        file.write_text(broken)
        assert CachedModel(model, Recording(tmp_path)).answer(ASKED).value == Town(name="Graz")
    assert model.asked == 5
