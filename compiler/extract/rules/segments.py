"""Where one procedure ends and another begins: the parts of a document, each read as a procedure of its own.

The sections of a document are either phases of one procedure (`Containment`, `Recovery`; `受理`, `审查`) or matters of
their own (`Annual leave`, `Expense claims`). Several signs are weighed, since none is safe alone: what the title calls
the document, what the headings call their sections, whether numbering begins anew, whether each section has an occasion
of its own, and whether the headings name acts on one thing.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise, takewhile

from compiler.extract.rules.en.words import words
from compiler.extract.rules.provisions import article_number
from compiler.extract.rules.readings import ProvisionReading
from compiler.extract.rules.statements import Act, Rule
from compiler.text.lexicon import Lexicon, lexicon
from ir.document import Block, Document

LEAST_STEPS = 3  # acts that make a procedure of its own beside others
LONG = 30  # acts beyond which one procedure over several matters is no help to anybody
# words of Chinese reports, which tell what was done or how much there is
_NARRATES = re.compile(
    r"[\u4e00-\u9fff]了(?!解|结|却)|同比|较上年|较去年|报告期|本年度?末?[，,]|截至|累计|占[^，。；]{0,12}百分之|增长|下降|主要(?:来自|是由于)|有所|预计|百分之[^，。；]{1,8}[，。；]|\d[\d,]*(?:名|人次|场|亿元|万元)[，。；]|已(?:于|在|整改|完成|投入|建成)"
)
FRONT = 8  # characters before the verb of a command
NEEDED = 3  # of the weight of the signs
FEWEST = 2  # acts that make one where they are numbered or the heading calls it a procedure
INHERITED, APART = 2, 2  # the weights of a collection further up, and of people and things that are others' nowhere
HEAD = 12  # blocks in which the head of a message stands
_SENDER = re.compile(r"\s*(?:from|to|sent|date|cc|发件人|收件人|发送时间|日期|抄送)\s*[:：]", re.IGNORECASE)
_SUBJECT = re.compile(r"\s*(?:subject|re|主题|标题)\s*[:：]\s*(?P<what>\S.*)", re.IGNORECASE)
_BELOW = "\n"  # between what is called what above sections that are beside others, and what they are called
_CHAPTER = re.compile(r"第.{1,4}[编章]|(?:chapter|part|title)\b", re.IGNORECASE)
_COMMAND = re.compile(r"[\s\d.:)]*([A-Za-z]+)")
PHASES = 3  # the weight of headings that name the phases of one matter


@dataclass(frozen=True)
class Segment:
    """A part of a document that is read as one procedure, with what it is called."""

    title: str
    told: tuple[ProvisionReading, ...]

    @property
    def steps(self) -> int:
        """How many acts it tells of."""
        return _steps(self.told)

    def stands(self, language: str) -> bool:
        """Whether it tells of enough acts to be a procedure beside others."""
        return _stands(self.told, self.title, lexicon(language))

    @property
    def prescribes(self) -> bool:
        """Whether it tells somebody what to do, rather than how a thing works or what there is.

        Enough of its acts are somebody's, are commands, or are bound by a modal word; a single act needs a case. What
        reports what was done and binds nobody does not prescribe.
        """
        acts = [s for each in self.told for s in each.statements if isinstance(s, Act)]
        if len(acts) == 1 and not acts[0].conditions and acts[0].step_kind == "task":
            return False
        states = (s for each in self.told for s in each.statements if isinstance(s, Rule) and s.kind == "a state")
        said = [*acts, *states]
        told = sum(narrates(statement.sentence.text) for statement in said)
        if told * 4 >= len(said) and not any(lexicon("zh").modal(act.sentence.text) for act in acts):
            return False
        return sum(map(_bound, acts)) * 3 >= len(said)


def narrates(text: str) -> bool:
    """Whether a Chinese sentence tells what was done or how much there is (`同比增长`, `召开了会议`)."""
    return _NARRATES.search(text) is not None


def _bound(act: Act) -> bool:
    if narrates(act.sentence.text):
        return False
    front = 0 if act.piece.text[:1] > "\u2e80" else FRONT
    begins = act.verb is not None and act.verb.start - act.piece.start <= front
    return act.actor is not None or begins or act.step_kind in ("approval", "notify", "check", "decision")


def segments(document: Document, told: Sequence[ProvisionReading]) -> tuple[Segment, ...]:
    """The parts of a document in reading order; every provision is in just one of them.

    A part may turn out to prescribe nothing.
    """
    cutter = _Cutter(document)
    parts = cutter.by_restart(tuple(told))
    return tuple(segment for part in parts for segment in cutter.cut(part.title, part.title, part.told, 0))


@dataclass(frozen=True)
class _Section:
    """The provisions under one heading (None for those before the first), with the parts found in them."""

    heading: Block | None
    told: tuple[ProvisionReading, ...]
    parts: tuple[Segment, ...]

    @property
    def steps(self) -> int:
        return _steps(self.told)


class _Cutter:
    """Cuts the sections of one document."""

    def __init__(self, document: Document) -> None:
        self.title = _subject(document) or document.title
        self.cues: Lexicon = lexicon(document.language)
        self.headings = {block.address: block for block in document.blocks}

    def by_restart(self, told: tuple[ProvisionReading, ...]) -> list[Segment]:
        """Several regulations in one file: the articles begin anew at 1."""
        cuts = []
        highest = 0
        for at, each in enumerate(told):
            number = _article(each)
            if number == 1 and highest > 1:
                cuts.append(self._beginning(told, at))
                highest = 0
            highest = max(highest, number or 0)
        if not cuts:
            return [Segment(self.title, told)]
        bounds = [0, *cuts, len(told)]
        new = {each: self._new_heading(told, each) for each in cuts}
        depth = next((told[at].provision.headings.index(name) for at, name in new.items() if name), 0)
        return [Segment(self._title_of(told[begin:end], depth), told[begin:end]) for begin, end in pairwise(bounds)]

    def _beginning(self, told: tuple[ProvisionReading, ...], at: int) -> int:
        """Where the regulation begins whose first article is told at `at`: with its outermost new heading."""
        new = self._new_heading(told, at)
        while new is not None and at and new in told[at - 1].provision.headings:
            at -= 1
        return at

    @staticmethod
    def _new_heading(told: tuple[ProvisionReading, ...], at: int) -> str | None:
        """The outermost heading above `told[at]` that does not stand above what is told before it."""
        last = next((n for n in range(at - 1, -1, -1) if _article(told[n]) is not None), None)
        before = told[last].provision.headings if last is not None else ()
        return next((heading for heading in told[at].provision.headings if heading not in before), None)

    def _title_of(self, told: tuple[ProvisionReading, ...], depth: int) -> str:
        first = next((each for each in told if _article(each) is not None), told[0])
        address = _at(first.provision.headings, depth)
        return self.headings[address].body if address else self.title

    def cut(self, title: str, called: str, told: tuple[ProvisionReading, ...], depth: int) -> list[Segment]:
        """The parts of the provisions under one heading.

        Args:
            called: the title with those above it that say no more than it, down from the document's.
            depth: how many headings stand above the sections that they may be cut into.
        """
        sections = self._sections(called, told, depth)
        if not sections or (len(sections) == 1 and sections[0].heading is None):
            return [Segment(title, told)]
        if self._separate(called, sections):
            return [part for section in sections for part in section.parts or self._whole(title, section)]
        apart = [section for section in sections if len(section.parts) > 1]
        if not apart:
            return [Segment(self._named_within(title, sections) if depth else title, told)]
        rest = tuple(each for section in sections if section not in apart for each in section.told)
        return [*([Segment(title, rest)] if rest else []), *(part for section in apart for part in section.parts)]

    def _named_within(self, title: str, sections: list[_Section]) -> str:
        """What a chapter's only procedure is called: its own heading, unless that only says that it is one."""
        bearing = [section for section in sections if section.steps]
        heading = bearing[0].heading if len(bearing) == 1 else None
        if heading is None:
            return title
        plain = self.cues.pattern("segments", "procedure").sub("", heading.body)
        own = re.sub(self.cues.pattern("segments", "filler"), "", plain).strip(" :：-–—")
        return heading.body if len(own) > 1 else title

    @staticmethod
    def _whole(title: str, section: _Section) -> tuple[Segment, ...]:
        return (Segment(section.heading.body if section.heading else title, section.told),)

    def _sections(self, called: str, told: tuple[ProvisionReading, ...], depth: int) -> list[_Section]:
        found = []
        groups = [(a, tuple(group)) for a, group in groupby(told, lambda each: _at(each.provision.headings, depth))]
        alone = sum(address is not None for address, _ in groups) == 1
        for address, inside in groups:
            heading = self.headings[address] if address else None
            name = heading.body if heading else ""
            within = f"{called} {name}" if alone else f"{called}{_BELOW}{name}"
            parts = self.cut(name, within, inside, depth + 1) if heading else []
            found.append(_Section(heading, inside, tuple(parts)))
        return found

    # --- are sections matters of their own? ---------------------------------------------------------------------------

    def _separate(self, called: str, sections: list[_Section]) -> bool:
        bearing = [s for s in sections if s.heading and _stands(s.told, s.heading.body, self.cues)]
        if len(bearing) < 2:
            return False
        names = [section.heading.body for section in bearing if section.heading]
        before = takewhile(lambda section: section is not bearing[0], sections)
        covered = sum(section.steps for section in bearing) * 6 >= sum(section.steps for section in sections) * 5
        above, _, called = called.rpartition(_BELOW)
        called = " ".join([called, *(section.heading.body for section in before if section.heading)])
        procedure = self.cues.pattern("segments", "procedure")
        several = sum(procedure.search(name) is not None for name in names) * 2 > len(names)
        numbered_anew = sum(_numbers_from_one(section.told) for section in bearing) >= 2
        occasioned = sum(_has_occasion(section.told) for section in bearing) * 2 > len(bearing)
        chapters = all(_CHAPTER.match(h.label.text) for s in bearing if (h := s.heading) and h.label)
        return (
            NEEDED * (self.cues.pattern("segments", "collection").search(called) is not None)
            + INHERITED * (self.cues.pattern("segments", "collection").search(above) is not None)
            + APART * (covered and _apart([section.told for section in bearing]))
            + NEEDED * several
            + numbered_anew
            + occasioned
            + (sum(section.steps for section in bearing) > LONG)
            + (chapters and sum(section.steps for section in bearing) > 2 * LONG)
            - PHASES * self._are_phases(names)
        ) >= NEEDED

    def _are_phases(self, names: list[str]) -> bool:
        """Whether headings name phases: they say so, or are acts on nothing or on one and the same thing."""
        said = self.cues.pattern("segments", "phase")
        if sum(said.search(name) is not None or self._commands(name) for name in names) * 2 >= len(names):
            return True
        things = [self._thing(name) for name in names]
        acts = [thing for thing in things if thing is not None]
        return len(acts) * 3 >= len(names) * 2 and len(set(acts)) * 2 <= len(acts) + 1

    def _commands(self, name: str) -> bool:
        """Whether an English heading is a command, as the steps of one procedure are named (`Collect evidence`)."""
        first = _COMMAND.match(name) if self.cues.language != "zh" else None
        if first is None or not words().is_base(first[1]):
            return False
        alone = first[1].lower() in words().noun_verbs and len(name.split()) < 3
        return not alone or first[1].lower() in words().kinds

    def _thing(self, name: str) -> str | None:
        """What the act that a heading names is done to, empty for none; None where it names no act."""
        act = self.cues.pattern("segments", "act")
        if not act.search(name):
            return None
        return re.sub(self.cues.pattern("segments", "filler"), "", act.sub("", name)).strip().lower()


def _subject(document: Document) -> str | None:
    """What a message is about, where it begins with lines that say from whom it is and to whom it goes."""
    if not _SENDER.match(document.title):
        return None
    lines = (line for block in document.blocks[:HEAD] for line in block.text.splitlines())
    return next((match["what"].strip() for line in lines if (match := _SUBJECT.match(line))), None)


def _at(headings: tuple[str, ...], depth: int) -> str | None:
    return headings[depth] if depth < len(headings) else None


def _steps(told: Iterable[ProvisionReading]) -> int:
    return sum(isinstance(s, Act) and not s.merges for each in told for s in each.statements)


def _stands(told: tuple[ProvisionReading, ...], title: str, cues: Lexicon) -> bool:
    steps = _steps(told)
    acting = [each.provision.block for each in told if any(isinstance(s, Act) for s in each.statements)]
    ordered = all(block.label is not None and block.label.ordered for block in acting)
    formal = (ordered and len(acting) >= FEWEST) or cues.pattern("segments", "procedure").search(title) is not None
    return steps >= LEAST_STEPS or (steps >= FEWEST and formal)


def _apart(parts: Iterable[tuple[ProvisionReading, ...]]) -> bool:
    """Whether other people act on other things in each of several parts; headings that name people do not count."""
    people, things = set[str](), set[str]()
    for told in parts:
        acts = [s for each in told for s in each.statements if isinstance(s, Act)]
        who = {act.actor.text.lower() for act in acts if act.actor and act.actor.block == act.piece.block}
        what = {_core(act.object.text) for act in acts if act.object}
        if not who or not what or who & people or what & things:
            return False
        people |= who
        things |= what
    return True


def _core(thing: str) -> str:
    """The word that a thing is called by, the last one: `new oil filters` and `the filter` are one."""
    plain = re.split(r"\b(?:of|for|from|to|in|at|with|and)\b|[，,、（(]", thing.lower())[0].strip()
    return plain.split(" ")[-1].removesuffix("s") if plain.isascii() else plain[-2:]


def _article(told: ProvisionReading) -> int | None:
    label = told.provision.block.label
    number = article_number(label.text) if label and label.text.startswith("第") and "条" in label.text else None
    return int(number) if number and number.isdigit() else None


def _numbers_from_one(told: tuple[ProvisionReading, ...]) -> bool:
    """Whether acts in it are numbered from 1 on."""
    labels = [each.provision.block.label for each in told if any(isinstance(s, Act) for s in each.statements)]
    numbers = [article_number(label.text) for label in labels if label and label.ordered]
    return numbers[:2] == ["1", "2"]


def _has_occasion(told: tuple[ProvisionReading, ...]) -> bool:
    """Whether the first act has a condition or an event of its own, or is somebody's request."""
    first = next((s for each in told for s in each.statements if isinstance(s, Act)), None)
    return first is not None and (bool(first.conditions or first.after) or first.step_kind == "input")
