"""Words by which an English account of a process is read: closed classes, and verbs of general meaning."""

from functools import cache
from typing import Any, get_args

from compiler.text.lexicon import lexicon
from ir.procedure import StepKind


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


IF = _set("if unless")  # openers of a condition
IF_PHRASES = tuple(
    tuple(phrase.split())
    for phrase in ("provided that", "assuming that", "as long as", "in the event that", "on condition that")
)
OCCASION = _set("when whenever once after upon as")  # openers of what has happened by then
BESIDE = _set("while whilst")
OTHERWISE = _set("otherwise else")
MEANWHILE = (
    "in the meantime",
    "meantime",
    "meanwhile",
    "at the same time",
    "in parallel",
    "simultaneously",
    "concurrently",
)
PERSONS = _set("i you he she we they who him her us them somebody someone everybody everyone anybody anyone")
IT = _set("it this that these those which what all there each both such")  # subjects that name nobody
PROCESS = _set("process procedure workflow subprocess sub-process case instance step phase task activity work")
WHOLE = _set("process procedure workflow subprocess sub-process instance")  # what begins and ends by itself
STEP = _set("step phase task activity action stage")  # `the next step is to …`
BOUND = _set(
    "begin start end finish terminate complete close stop conclude continue repeat create trigger initiate run resume"
)
ENDS = _set("end finish terminate complete close stop conclude")
REFUSALS = _set("reject refuse decline deny cancel abort terminate dismiss")  # what follows is for the other case
# verbs that only say how another one is done: `starts calling`, `has to choose`, `tries to acquire`
ASPECT = _set(
    "begin start continue try attempt need have want go happen proceed wish intend plan use seek help get manage"
)
ABLE = _set("able responsible ready charge possible necessary required obliged allowed supposed due free")
STATES = _set(
    "be have include contain consist comprise exist depend belong concern involve mean remain cost stay seem appear "
    "become need want require know like contain last lie differ vary deserve resemble own possess hope believe think "
    "relate correspond lack matter suffice entail"
)
# whom these have as an object is told something
TOLD = _set("inform notify tell ask call contact remind advise alert consult instruct invite warn phone brief thank")
# who does this is the one to whom something goes
GETS = _set("receive get obtain")
# what these lead to with `to` receives, whatever it is called
GIVES = _set(
    "send give deliver submit forward hand return transfer transmit pass provide report ship assign present offer "
    "issue communicate dispatch route mail email e-mail post propose explain announce show grant pay lend sell refer "
    "delegate escalate supply distribute release confirm go suggest recommend allocate"
)
# they lead to what is worked on where the verb has no object of its own
ABOUT = _set("for on about of with")
# into what, by what means and by when it is done
HOW = _set("into onto by within via through depending according based")
PURPOSE = _set("in order so as")  # `in order to`
DENIALS = _set("not no")  # `if not`


@cache
def role_words() -> tuple[frozenset[str], tuple[str, ...], frozenset[str]]:
    """Last words of what acts, the endings of words for people, and the words with such endings that name none."""
    cues = lexicon("en")
    things = set(cues.words("roles", "things"))
    return (
        frozenset(set(cues.words("roles", "endings")) - things),
        cues.words("roles", "suffixes"),
        frozenset(cues.words("roles", "not_people")),
    )


def names_people(noun: str) -> bool:
    """Whether a noun in lower case names somebody who can act, as far as the word alone tells.

    >>> [names_people(noun) for noun in ("clerk", "department", "letter", "claim")]
    [True, True, False, False]
    """
    known, endings, not_people = role_words()
    if noun in known or noun in PERSONS:
        return True
    return len(noun) > 4 and noun.endswith(endings) and noun not in not_people


@cache
def acting_things() -> frozenset[str]:
    """Things that may be said to act: `the system`."""
    return frozenset(lexicon("en").words("roles", "things")) - IT


@cache
def phrasal_verbs() -> frozenset[str]:
    """Verbs whose preposition leads to their object: `fill in`, `look at`."""
    cues = lexicon("en")
    known = {*kind_of_verb(), *(str(verb) for verbs in cues.table("verbs").values() for verb in verbs)}
    return frozenset(verb for verb in known if verb.count(" ") == 1)


@cache
def kind_of_verb() -> dict[str, StepKind]:
    """The kind of a step by the plain form of its verb."""
    kinds: dict[str, Any] = lexicon("en").table("kinds")
    return {str(verb): kind for kind in get_args(StepKind) for verb in kinds.get(kind, ())}
