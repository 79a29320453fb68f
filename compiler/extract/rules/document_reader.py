"""Reads a document's provisions one by one: what each says, before it is known which procedure it belongs to."""

import re
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

from compiler.extract.rules.en.lists import led_agents, with_common_agent
from compiler.extract.rules.en.narrated import NarratedReader, is_account
from compiler.extract.rules.en.norms import EnglishNorms
from compiler.extract.rules.en.sentences import EnglishReader
from compiler.extract.rules.presupposed.presuppositions import in_their_cases
from compiler.extract.rules.provisions import (
    ANNEX,
    Provision,
    intro_kind,
    label_shape,
    provisions,
)
from compiler.extract.rules.readings import ProvisionReading, descriptive, states, tells_a_course, without_summaries
from compiler.extract.rules.repeats import without_next_run
from compiler.extract.rules.statements import (
    Act,
    ConditionCue,
    End,
    Introduction,
    Norm,
    Statement,
)
from compiler.extract.rules.tables import read_table
from compiler.extract.rules.zh.norms import ChineseNorms
from compiler.extract.rules.zh.sentences import ChineseReader
from compiler.text.addressed import DOCUMENTS_AT_HAND
from compiler.text.lexicon import Lexicon, lexicon
from compiler.text.limits import limits_in
from compiler.text.sentences import LONGEST, MOST_PAUSES, Piece, is_overlong, sentences
from compiler.text.syntax import Parser, Tagger
from ir.document import Document

MOSTLY = 0.4  # share of the acts that are passives without agent, from which on they are acts
_HEADING_PART = re.compile(r"[^\s　:：–—|·()（）](?:[^　:：–—|·()（）\s]|\s(?=[A-Za-z]))*")


_MAY_PRESCRIBE = frozenset({"purpose", "recurring"})
"""Kinds of sections that tell of acts now and then."""
_MAY_BE_CALLED_SO = frozenset({"purpose", "closing"})
"""Kinds of sections whose headings may name a procedure as well: `Application`, `Charges`, 概述."""


def _reader(
    document: Document, cues: Lexicon, tagger: Tagger | None, parser: Parser | None
) -> ChineseReader | EnglishReader:
    """Who reads the sentences of a document."""
    if document.language == "zh":
        return ChineseReader()
    return NarratedReader(document, parser) if parser and is_account(document, cues) else EnglishReader(tagger)


class DocumentReader:
    """Reads the provisions of one document with the lists that they introduce.

    Args:
        tagger: for English, tells verbs from nouns where the cue words do not.
        parser: for English, reads accounts.
    """

    def __init__(self, document: Document, tagger: Tagger | None = None, parser: Parser | None = None) -> None:
        self.language, self.title = document.language, document.title
        self.cues: Lexicon = lexicon(document.language)
        self.reader = _reader(document, self.cues, tagger, parser)
        self.norms = ChineseNorms(self.cues) if document.language == "zh" else EnglishNorms(self.cues)
        self.provisions = provisions(document, self.cues)
        self._read_too: frozenset[str] = frozenset()  # kinds of sections that are not set aside
        first = next((block for block in document.body() if block.kind == "heading"), None)
        self._title = first.address if first else None  # names organisations and matters, not who acts
        self._headings = {block.address: block for block in document.blocks}
        body = list(document.body())
        whole = {b.address: Piece(b.address, 0, len(b.text), b.text) for b in body if b.kind != "table"}
        self._above = {
            b.address: whole[a.address] for a, b in pairwise(body) if b.kind == "table" and a.address in whole
        }
        bodies = whole.values()
        self._operator = next((who for body in bodies if (who := self._operates(body)) is not None), None)

    def read(self) -> list[ProvisionReading]:
        """Every provision in reading order with what it says.

        Sections of other matter are set aside, unless nothing is left: some documents have all under `General rules`.
        """
        told = self._read_all()
        if not any(isinstance(s, Act) for each in told for s in each.statements):
            self._read_too = _MAY_PRESCRIBE
            told = self._read_all()
        told = self._with_tables_in_place(without_summaries(self._with_tables_led(told)))
        return [self._with_overlong(self._with_actor(each)) for each in self._without_states(told)]

    def _read_all(self) -> list[ProvisionReading]:
        told: list[ProvisionReading] = []
        at = 0
        courses = self._courses()
        while at < len(self.provisions):
            here, members = self.provisions[at], self._members(at)
            aside = here.section is not None and here.section not in self._read_too and here.headings not in courses
            if aside and not (here.section == ANNEX and here.block.kind == "table"):
                told += self._set_aside((here, *members))
            elif here.block.kind == "table":
                told.append(self._table(here))
            else:
                told += self._listed(here, members)
            at += 1 + len(members)
        return told

    def _courses(self) -> set[tuple[str, ...]]:
        """The sections, by their headings, that tell what people do although their headings speak of other matter."""
        found: dict[tuple[str, ...], list[list[Statement]]] = {}
        for each in self.provisions:
            if each.section in _MAY_BE_CALLED_SO and each.block.kind != "table":
                told = [self._read_sentence(sentence, each) for sentence in sentences(each.piece, self.language)]
                found.setdefault(each.headings, []).extend(told)
        return {headings for headings, told in found.items() if tells_a_course(told, self.cues)}

    def _with_overlong(self, told: ProvisionReading) -> ProvisionReading:
        """What a provision says, with its sentences that are too long to be read as text without a place."""
        block = told.provision.block
        cells = [Piece(cell.address, 0, len(cell.text), cell.text) for cell in block.cells]
        pieces = cells if block.kind == "table" else [told.provision.piece]
        reason = str(self.cues.table("reasons")["overlong"]).format(what=f"{LONGEST:,}")
        known = {piece for piece, _ in told.unplaced}
        found = [
            (sentence, reason)
            for piece in pieces
            if len(piece.text) > MOST_PAUSES
            for sentence in sentences(piece, self.language)
            if is_overlong(sentence.text) and sentence not in known
        ]
        return replace(told, unplaced=(*told.unplaced, *found)) if found else told

    def _with_tables_in_place(self, told: list[ProvisionReading]) -> list[ProvisionReading]:
        """Approvals that an annex lists stand where the text sends the reader to it (`按照附表一规定的权限报批`)."""
        placed, says = list(told), self.cues.patterns("document_reader")
        for table in told:
            approves = any(isinstance(s, Act) and s.step_kind == "approval" for s in table.statements)
            headings = [self._headings[address].text for address in table.provision.headings]
            named = (says.annexed.match(text.strip()) for text in reversed(headings))
            name = next((match[0] for match in named if match is not None), None)
            if table.provision.section != ANNEX or not approves or name is None:
                continue
            said = re.compile(rf"{re.escape(name)}(?![\w\d])", re.IGNORECASE)
            told_of = (each for each in told if each.provision.index < table.provision.index and each.statements)
            sent = next(
                (
                    e
                    for e in told_of
                    if said.search(e.provision.piece.text) and says.gives_power.search(e.provision.piece.text)
                ),
                None,
            )
            if sent is not None:
                placed.remove(table)
                placed.insert(placed.index(sent) + 1, table)
        return placed

    def _with_tables_led(self, told: list[ProvisionReading]) -> list[ProvisionReading]:
        """What leads to a table of who approves (`按金额分级审批：`) is no approval of its own, as nobody is named."""
        tables = (each for each in told if any(_approves(s) and s.actor is not None for s in each.statements))
        above = {self._above[t.provision.block.address] for t in tables if t.provision.block.address in self._above}
        leading = {piece.block for piece in above if self.cues.patterns("document_reader").leads.search(piece.text)}
        return [
            replace(
                each,
                statements=tuple(
                    s.as_rule("leads to a list") if _approves(s) and s.actor is None else s for s in each.statements
                ),
            )
            if each.provision.block.address in leading
            else each
            for each in told
        ]

    def _without_states(self, told: list[ProvisionReading]) -> list[ProvisionReading]:
        """English passives that name nobody and bind nobody (`the reviews are conducted side by side`) say how it is.

        In a document that tells most of its acts so, they are its acts, except in
        prose beside sections that say who acts.
        """
        if self.language == "zh":
            return told
        acts = [s for each in told for s in each.statements if isinstance(s, Act)]
        mostly = sum(map(states, acts)) > MOSTLY * len(acts)
        described = descriptive(told) if mostly else {each.provision.headings for each in told}
        return [
            replace(each, statements=tuple(s.as_rule("a state") if states(s) else s for s in each.statements))
            if each.provision.headings in described
            else each
            for each in told
        ]

    # --- who acts where no sentence says it ---------------------------------------------------------------------------

    def _operates(self, body: Piece) -> Piece | None:
        """Who carries out the whole procedure, where a sentence says so (`操作员负责本规程的操作`)."""
        match = self.cues.pattern("operator").search(body.text)
        return self.reader.role(body.part(*_named(match))) if match else None

    def _heading_role(self, address: str) -> Piece | None:
        """The role that a heading names beside its matter (`Phase 1 – Control room operator`, `A 发现 当班运行工`)."""
        text = self._headings[address].text
        whole = Piece(address, 0, len(text), text)
        parts = [whole.part(m.start(), m.end()) for m in _HEADING_PART.finditer(text)]
        for part in reversed(parts if len(parts) > 1 else []):
            who = self.reader.role(part)
            if who is not None and who.text.lower().endswith(self.cues.words("roles", "machines")):
                continue
            if who is not None and len(who.text) * 5 >= len(part.text) * 4 and self.reader.is_person(who):
                return who
        return None

    def _with_actor(self, told: ProvisionReading) -> ProvisionReading:
        """Commands with nobody before them are those of the heading's role, else of who operates."""
        headings = [address for address in reversed(told.provision.headings) if address != self._title]
        who = next((found for address in headings if (found := self._heading_role(address))), self._operator)
        if who is None:
            return told
        acted = tuple(s.but(actor=who) if self._is_command(s) else s for s in told.statements)
        return replace(told, statements=acted)

    def _is_command(self, statement: Statement) -> bool:
        """Whether an act is told without anybody before it; an English one begins with its verb."""
        if not isinstance(statement, Act) or statement.actor is not None:
            return False
        return self.language == "zh" or (statement.verb or statement.piece).start - statement.piece.start < 12

    def _listed(self, provision: Provision, members: list[Provision]) -> list[ProvisionReading]:
        """One provision and the list below it, which may go on with its actor and its conditions."""
        intro = intro_kind(provision.piece.text) if members else None
        forbidden = self._forbidden(provision, members)
        if forbidden:
            return [ProvisionReading(provision, norms=forbidden), *(ProvisionReading(member) for member in members)]
        if intro == "requirements" and self._are_acts(members):
            intro = "acts"
        statements: list[Statement] = []
        for sentence in self._sentences(provision):
            statements += self._going_on(self._read_sentence(sentence, provision), statements)
        statements = without_next_run(with_common_agent(statements), self.cues)
        if intro == "acts" and self.cues.patterns("document_reader").of_listed.search(provision.piece.text):
            intro = "things"
        if intro in ("requirements", "definitions"):
            statements = _as_requirements(statements, provision, self.cues)
        lead = next((s for s in reversed(statements) if isinstance(s, Introduction)), None)
        actor = next((s.actor for s in reversed(statements) if s.actor), None)
        if intro == "conditions":
            statements = _with_cases(statements, [member.piece for member in members])
        shared = led_agents(statements, members, self.reader) if self.language != "zh" else {}
        if shared:
            statements = [s for s in statements if s is not next(iter(shared.values()))[1]]
        told = [ProvisionReading(provision, _without_introductions(statements), norms=self._norms(provision, members))]
        beside = self.cues.pattern("parallel_lists").search(provision.piece.text) is not None
        leads: dict[str, Statement] = {}
        for member in members:
            if intro in ("things", "conditions", "definitions"):
                told.append(ProvisionReading(member))
                continue
            if member.piece in shared:
                told.append(ProvisionReading(member, (shared[member.piece][0],)))
                continue
            above = leads.get(member.block.parent or "", lead)
            found: list[Statement] = []
            for sentence in sentences(member.piece, self.language):
                inner = self._read_sentence(sentence, member, above.actor if above and above.actor else actor)
                inner = [s.but(conditions=(*above.conditions, *s.conditions)) for s in inner] if above else inner
                for introduction in (s for s in inner if isinstance(s, Introduction)):
                    leads[member.block.address] = introduction
                found += inner
            if beside and len(told) > 1:
                found = [s.but(parallel=True) if isinstance(s, Act) and s is found[0] else s for s in found]
            if intro == "responsibilities":
                found = [s.as_duty("a responsibility") if isinstance(s, Act) else s for s in found]
            if intro == "requirements":
                found = [s if not isinstance(s, Act) else s.as_rule("requirement") for s in found]
                found = found or self._limits(member)
            norms = self._norms(member, []) if intro is None else ()
            told.append(ProvisionReading(member, _without_introductions(found), norms=norms))
        return told

    def _limits(self, member: Provision) -> list[Statement]:
        """The sentences of a listed requirement that set limits (`氧含量为19.5%～21%`), as the rules that they are."""
        told = (sentence for sentence in sentences(member.piece, self.language) if not is_overlong(sentence.text))
        return [
            Act(sentence, sentence, member.index).as_rule("requirement")
            for sentence in told
            if limits_in(sentence.text, self.cues)
        ]

    def _forbidden(self, provision: Provision, members: list[Provision]) -> tuple[Norm, ...]:
        """The prohibition for each member of a list (`下列物品不得带入车间：`, `The following may not enter:`)."""
        text = provision.piece.text.strip()
        forbids = self.cues.patterns("provisions").forbids_listed.fullmatch(text)
        if len(members) < 2 or not forbids or limits_in(text, self.cues):
            return ()
        listed = tuple(member.piece for member in members)
        scope = replace(ConditionCue(provision.piece).of_cases(listed), every=False)
        return (Norm(provision.piece, "must_not", (scope,), listed=listed),)

    def _norms(self, provision: Provision, members: list[Provision]) -> tuple[Norm, ...]:
        """The sentences of a provision that forbid or demand; one that exempts narrows the one before it."""
        found: list[Norm] = []
        before: Piece | None = None
        for sentence in self._sentences(provision) if not members else ():
            goes_on = found and before == found[-1].piece and not is_overlong(sentence.text)
            exempted = self.norms.exempted(sentence) if goes_on else None
            if exempted is not None:
                found[-1] = replace(
                    found[-1], scope=(*found[-1].scope, exempted), exempted=(*found[-1].exempted, sentence)
                )
                continue
            norm = self.norms.read(sentence, before) if not is_overlong(sentence.text) else None
            found += [norm] if norm is not None else []
            before = sentence
        return tuple(found)

    def _are_acts(self, members: list[Provision]) -> bool:
        """Whether most members of a list of `规定` say who does what, so that it is a course of acts after all."""
        acts = 0
        for member in members:
            acts += any(self._tells_an_act(sentence, member) for sentence in sentences(member.piece, self.language))
        return len(members) > 2 and acts * 2 > len(members)

    def _going_on(self, found: list[Statement], before: list[Statement]) -> list[Statement]:
        """Acts in a case, with nobody before them, are those of whoever acted in the sentence before (Chinese)."""
        last = next((s.actor for s in reversed(before) if s.actor), None)
        if self.language != "zh" or last is None or not found or not found[0].conditions or found[0].actor is not None:
            return found
        return [s.but(actor=last) if isinstance(s, Act) and s.actor is None else s for s in found]

    def _table(self, provision: Provision) -> ProvisionReading:
        """What the rows of a table prescribe."""

        def read(sentence: Piece, actor: Piece | None) -> list[Statement]:
            return list(self.reader.read(sentence, provision.index, actor))

        above = self._above.get(provision.block.address)
        table = read_table(provision.block, self.cues, read, self.reader.role, above)
        found = [s.but(block_index=provision.index) for s in table.statements]
        if provision.section == ANNEX:  # what an annex lists is no act unless it says whose
            found = [s for s in found if s.actor is not None]
        return ProvisionReading(provision, tuple(found), unclear=table.unclear)

    def _sentences(self, provision: Provision) -> tuple[Piece, ...]:
        """The sentences of a provision without a run-in heading."""
        texts = sentences(provision.piece, self.language)
        headed = len(texts) > 1 and provision.block.label is not None and _is_run_in_heading(texts[0].text, self.cues)
        headed = headed and not any(isinstance(s, Act) and s.actor for s in self._read_sentence(texts[0], provision))
        told = any(self.cues.modal(text.text) for text in texts[1:])  # else the first one may be a command
        return texts[1:] if headed and told else texts

    def _read_sentence(self, sentence: Piece, provision: Provision, actor: Piece | None = None) -> list[Statement]:
        told = list(self.reader.read(sentence, provision.index, actor))
        found = in_their_cases(told, sentence, self.title, self.cues)
        if self.language != "zh" or provision.block.label is not None or provision.block.kind == "list_item":
            return found
        bare = self.cues.modal(sentence.text) is None  # a wish or remark is no act of anybody
        return [s for s in found if not (bare and isinstance(s, Act) and s.actor is None and s.step_kind == "task")]

    def _members(self, at: int) -> list[Provision]:
        """The list items that an introduction ending in a colon leads."""
        intro = self.provisions[at]
        if not intro.piece.text.rstrip().endswith(("：", ":")):
            return []
        members = []
        own = label_shape(intro.block.label.text) if intro.block.label else None
        for provision in self.provisions[at + 1 :]:
            item = provision.block
            if item.kind == "table":
                break
            if provision.within and item == intro.block:
                if provision.within != "item":
                    break
                members.append(provision)
                continue
            listed = item.kind == "list_item" and item.label is not None and label_shape(item.label.text) != own
            if (item.parent != intro.block.address and not listed) or provision.headings != intro.headings:
                break
            members.append(provision)
        return members

    def _set_aside(self, these: tuple[Provision, ...]) -> list[ProvisionReading]:
        """Provisions under headings of other matter (definitions, penalties): their duties are listed, not read."""
        return [ProvisionReading(each, unplaced=tuple(self._duties(each, str(each.section)))) for each in these]

    def _duties(self, provision: Provision, section: str) -> list[tuple[Piece, str]]:
        """The sentences that bind somebody or tell what somebody does."""
        reasons = self.cues.table("reasons")
        reason = str(reasons["section"]).format(what=reasons.get(section, section))
        tells = section in _MAY_PRESCRIBE
        return [
            (sentence, reason)
            for sentence in sentences(provision.piece, self.language)
            if self.cues.modal(sentence.text) or (tells and self._tells_an_act(sentence, provision))
        ]

    def _tells_an_act(self, sentence: Piece, provision: Provision) -> bool:
        return any(isinstance(s, Act) and s.actor is not None for s in self._read_sentence(sentence, provision))


@lru_cache(maxsize=DOCUMENTS_AT_HAND)
def provision_readings(document: Document) -> tuple[ProvisionReading, ...]:
    """What every provision of a document says by cue words alone, in reading order."""
    return tuple(DocumentReader(document).read())


def _approves(statement: Statement) -> bool:
    return isinstance(statement, Act) and statement.step_kind == "approval"


def _without_introductions(statements: list[Statement]) -> tuple[Statement, ...]:
    return tuple(s for s in statements if not isinstance(s, Introduction))


def _as_requirements(statements: list[Statement], provision: Provision, cues: Lexicon) -> list[Statement]:
    """What introduces requirements is itself a rule, not an act; what is demanded of somebody before it stays an act.

    `应当由化验室进行检测，结果应当满足下列要求：`: the laboratory's examination is one.
    """
    text = provision.piece.text.rstrip()
    begin = provision.piece.start + max(text.rfind(mark) for mark in "，；。,;.")

    def leads(told: Statement) -> bool:
        demanded = told.actor is not None and cues.modal(told.piece.text) is not None
        return told.piece.end > begin or not demanded

    return [s.as_rule("requirement") if isinstance(s, Act | End) and leads(s) else s for s in statements]


def _with_cases(statements: list[Statement], items: list[Piece]) -> list[Statement]:
    """The list of cases put into the condition that points to it (`有下列情形之一的`, `any of the following`)."""
    return [
        s.but(conditions=tuple(c.of_cases(items) if c.points_to_list else c for c in s.conditions)) for s in statements
    ]


def _is_run_in_heading(text: str, cues: Lexicon) -> bool:
    """Whether the first sentence of an item only names what the item is about: `（一）参加企业。`"""
    plain = text.rstrip("。.：: ")
    short = cues.language == "zh" and len(plain) <= 12  # an English one is no command, so that nothing is read in it
    return short and not re.search(r"[，,；;、]", plain) and cues.modal(plain) is None


def _named(match: re.Match[str]) -> tuple[int, int]:
    """Where the group stands that a match names, `who` or `by`."""
    name = next(key for key, words in match.groupdict().items() if words is not None)
    return match.span(name)
