"""Forms of verbs, and which nouns can act."""

import pytest

from compiler.extract.rules.en.predicates import Clause
from compiler.extract.rules.en.words import noun_phrase, role, words
from compiler.text.act_words import act_words
from compiler.text.lexicon import lexicon
from compiler.text.sentences import Piece
from ir.procedure import Step


def piece(text: str) -> Piece:
    """A piece that is a whole block."""
    return Piece("b", 0, len(text), text)


@pytest.mark.parametrize(
    ("form", "verb"),
    [("notifies", "notify"), ("searches", "search"), ("sends", "send"), ("runs", "run"), ("does", "do")],
)
def test_third_persons(form: str, verb: str) -> None:
    """Regular and irregular."""
    assert words().third(form) == verb


@pytest.mark.parametrize(
    ("form", "verb"),
    [
        ("logged", "log"),
        ("notified", "notify"),
        ("submitted", "submit"),
        ("cancelled", "cancel"),
        ("canceled", "cancel"),
        ("sent", "send"),
        ("withdrawn", "withdraw"),
        ("stored", "store"),
    ],
)
def test_participles(form: str, verb: str) -> None:
    """Doubled, irregular, and in both spellings."""
    assert words().participle(form) == verb


@pytest.mark.parametrize(
    ("phrase", "name"),
    [
        ("The Chief Risk Officer", "Chief Risk Officer"),
        ("the head of the department", "head of the department"),
        ("any employee who travels", "employee"),
        ("the nurse in charge", "nurse in charge"),
        ("HR and Legal", "HR and Legal"),
        ("their line manager", "line manager"),
        ("during the audit the inspector", "inspector"),
        ("the beekeeper", "beekeeper"),
        ("the Registry", "Registry"),
    ],
)
def test_roles_keep_their_modifiers(phrase: str, name: str) -> None:
    """As written, without article and relative clause."""
    found = role(piece(phrase), opening=True)
    assert found is not None
    assert found.text == name


@pytest.mark.parametrize("phrase", ["the order form", "the container", "the checklist", "noon", "The parcel", "email"])
def test_things_do_not_act(phrase: str) -> None:
    """A thing is no role, though it may end like one."""
    assert role(piece(phrase), opening=True) is None


def test_a_noun_phrase_loses_its_article() -> None:
    """Whatever it names; a pronoun names nothing."""
    found = noun_phrase(piece("the steersman of the boat"))
    assert found is not None
    assert found.text == "steersman"
    assert noun_phrase(piece("they")) is None


def test_brackets_and_quotations_hide_their_words() -> None:
    """What stands in brackets is no predicate, but belongs to the piece."""
    clause = Clause(piece("The clerk (who must sign) weighs the box (see table)"), stops=True)
    found = clause.predicate(0)
    assert found is not None
    assert found.lemma == "weigh"
    assert clause.part(found.begin).text == "The clerk (who must sign) weighs the box (see table)"


def test_an_unknown_verb_is_one_between_a_role_and_an_object() -> None:
    """`The baker reproves the dough` needs no list."""
    found = Clause(piece("The baker reproves the dough"), stops=True).predicate(0)
    assert found is not None
    assert (found.lemma, found.form) == ("reprove", "third")


def test_an_unknown_command_stands_before_an_article() -> None:
    """`Decoke the oven`, but not `Unlike the oven`."""
    assert Clause(piece("Decoke the oven"), stops=True).is_imperative(0)
    assert not Clause(piece("Unlike the oven the stove smokes"), stops=True).is_imperative(0)


def test_act_words_leave_out_who_and_must() -> None:
    """What a step does, for the search of node types."""
    step = Step(id="s1", text="The toll clerk must weigh the truck", kind="task", actor="toll clerk")
    assert act_words(step, "en") == "weigh the truck"


def test_both_languages_have_the_same_cues() -> None:
    """Whatever the shared modules read stands in both files, apart from what only a reader uses."""
    zh, en = lexicon("zh").data, lexicon("en").data
    assert set(zh) - set(en) <= {"approval_by", "commands"}
    for key in (
        "kinds",
        "deadline",
        "sections",
        "comparators",
        "comparators_after",
        "verdict",
        "questions",
        "conditions",
    ):
        assert set(zh[key]) - {"back"} <= set(en[key])


def test_every_cue_is_text() -> None:
    """YAML reads a bare `no` as false."""
    stack: list[object] = [lexicon("en").data]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            stack += [*item, *item.values()]
        elif isinstance(item, list):
            stack += item
        else:
            assert isinstance(item, str)
