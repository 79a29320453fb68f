"""A procedure whose parts were asked about one by one is one procedure, with nothing lost and nothing mistaken."""

from typing import Any

from compiler.extract.model.continued import merged
from compiler.extract.model.form import AnsweredProcedure


def part(steps: list[str], flows: list[tuple[str, ...]], **more: Any) -> AnsweredProcedure:
    """A part with steps that quote themselves and flows (from, to, condition)."""
    return AnsweredProcedure.model_validate(
        {
            "title": "Leaks",
            "steps": [
                {"id": name.split()[0], "kind": "check", "at": [{"b": "1", "q": name.split(maxsplit=1)[1]}]}
                for name in steps
            ],
            "flows": [{"a": one[0], "z": one[1], "when": one[2] if len(one) > 2 else None} for one in flows],
            **more,
        }
    )


def test_a_second_part_goes_on_after_the_first() -> None:
    """Its steps and joints get free names in flows, conditions, rules, gaps and results; what starts it counts, too."""
    first = part(["s1 reports", "s3 looks"], [("start", "s1"), ("s1", "j1"), ("j1", "s3"), ("s3", "end")])
    then = part(
        ["s1 hears", "s2 pays"],
        [("start", "s1"), ("s1", "j1", 's1.outcome == "pass"'), ("s1", "end", "otherwise"), ("j1", "s2")],
        rules=[{"modality": "must_not", "steps": ["s1"], "when": "s1.outcome == 's1'", "at": {"b": "1", "q": "never"}}],
        gaps=[{"kind": "loop", "question": "?", "about": ["s2"]}],
        triggers=[{"b": "1", "q": "upon a leak"}],
        results=[
            {"id": "fee", "name": "fee", "type": "number", "step": "s2", "at": [],
             "rows": [{"value": "1", "when": 's1.outcome == "pass"', "at": {"b": "1", "q": "one"}}]}
        ],
    )  # fmt: skip
    (one,) = merged([first], [then])
    ids = [step.id for step in one.steps]
    assert len(set(ids)) == 4 and ids[:2] == ["s1", "s3"]
    hears, pays = ids[2:]
    ways = [(flow.a, flow.z, flow.when) for flow in one.flows]
    (joint,) = [z for a, z, when in ways if a == hears and z != "end"]
    assert ("s3", hears, None) in ways and (joint, pays, None) in ways and joint not in ("j1", *ids)
    assert (hears, joint, f'{hears}.outcome == "pass"') in ways and (hears, "end", "otherwise") in ways
    assert ("s3", "end", None) not in ways
    assert one.rules[0].steps == [hears] and one.rules[0].when == f"{hears}.outcome == 's1'"
    assert one.gaps[0].about == [pays] and one.triggers[0].q == "upon a leak"
    assert one.results[0].step == pays and one.results[0].rows[0].when == f'{hears}.outcome == "pass"'


def test_a_step_that_is_told_again_is_the_same_step() -> None:
    """What follows it in the second part follows it."""
    first = part(["s1 reports", "s2 looks"], [("start", "s1"), ("s1", "s2"), ("s2", "end")])
    then = part(["s1 looks", "s2 pays"], [("start", "s1"), ("s1", "s2"), ("s2", "end")])
    (one,) = merged([first], [then])
    assert [step.at[0].q for step in one.steps] == ["reports", "looks", "pays"]
    pays = one.steps[2].id
    ways = [(flow.a, flow.z) for flow in one.flows]
    assert ("s2", pays) in ways and ("s2", "end") not in ways and (pays, "end") in ways
    assert all(flow.a != flow.z for flow in one.flows)


def test_procedures_without_a_title_are_not_one() -> None:
    """Nobody said so."""
    nameless = part(["s1 reports"], [("start", "s1")]).model_copy(update={"title": " "})
    assert len(merged([nameless], [nameless])) == 2
