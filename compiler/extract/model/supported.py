"""What the document bears out of a model's reading; the rest decides nothing and is listed for a person.

Code cannot tell whether a model understood a sentence. It can tell whether there is one: every step, rule and trigger
needs words that the document shows to its readers, every limit and time limit its own words, every person a name.
"""

import re
from collections.abc import Iterable, Iterator

from compiler.extract.model.fence import SHOWN
from compiler.extract.model.formula_words import says_nothing
from compiler.grounding import QuoteFinder, literal_supported, unsupported_literals
from compiler.text.lexicon import lexicon
from ir.document import Document
from ir.formula import expression_references
from ir.predicate import Compare, Literally, Ref, Tree, leaves, parse_tree, references
from ir.procedure import (
    END,
    START,
    ConditionText,
    Constraint,
    Deadline,
    Element,
    Fact,
    Flow,
    Gap,
    GapKind,
    Procedure,
    Result,
    Step,
    UnplacedText,
)
from ir.quantities.numerals import find_numbers
from ir.source import Evidence, Grounding

_ALIKE = 0.4  # share of the words of a text that stand in the block it quotes; below it, the quote itself is its text
_NAMED = 0.75  # share of a Chinese name's pairs of characters that stand in one block


def supported_part(procedure: Procedure, document: Document) -> Procedure:
    """The procedure without what has no words in the document.

    Steps, rules and triggers without words become unplaced texts; the ways through such a step lead past it. People
    whom no block names are left out, as are time limits that their words do not give; a condition decides only where
    its words are there, its numbers follow from them and its facts are the document's; one in words alone is answered
    with yes or no. For each of these a gap asks. Texts that say something else than the words they quote give way to
    these words.
    """
    return _SupportedProcedure(procedure, document).procedure()


class _SupportedProcedure:
    """One procedure held against its document."""

    def __init__(self, procedure: Procedure, document: Document) -> None:
        self.given, self.cues = procedure, lexicon(document.language)
        self.chinese = document.language == "zh"
        self.texts = {passage.address: passage.text for passage in document.passages() if passage.tag in SHOWN}
        self.finder = QuoteFinder(
            document.model_copy(update={"blocks": tuple(b for b in document.blocks if b.tag in SHOWN)})
        )
        self.steps = {step.id for step in procedure.steps if self._has_words(step)}
        self.facts = {fact.id for fact in procedure.facts if self._has_words(fact)}
        self.results = {result.id for result in procedure.results if self._has_words(result)}
        self.gaps = list(procedure.gaps)

    def procedure(self) -> Procedure:
        """The procedure that is left."""
        given = self.given
        steps = tuple(self._step(step) for step in given.steps if step.id in self.steps)
        flows = self._flows()
        asked: dict[str, Fact] = {}
        conditions = tuple(
            self._condition(one) if one.predicate is not None else self._answered(one, asked)
            for one in given.conditions
            if any(f.condition == one.id for f in flows)
        )
        results = tuple(self._result(one) for one in given.results if one.id in self.results)
        rules = tuple(self._rule(rule) for rule in given.constraints if self._has_words(rule))
        lost: list[tuple[str, Element]] = [
            *((step.text, step) for step in given.steps if step.id not in self.steps),
            *((rule.text, rule) for rule in given.constraints if not self._has_words(rule)),
            *((trigger.text, trigger) for trigger in given.triggers if not self._has_words(trigger)),
            *((fact.name, fact) for fact in given.facts if fact.id not in self.facts),
            *((result.name, result) for result in given.results if result.id not in self.results),
            *((one.text, one) for one in given.conditions if not any(f.condition == one.id for f in flows)),
        ]
        reason = str(self.cues.table("reasons")["ungrounded"])
        unplaced = (UnplacedText(text=text, reason=reason, evidence=element.evidence) for text, element in lost)
        return given.model_copy(
            update={
                "steps": steps, "flows": flows, "conditions": conditions, "constraints": rules,
                "results": results,
                "gaps": tuple(self.gaps),
                "facts": (*(fact for fact in given.facts if fact.id in self.facts), *asked.values()),
                "triggers": tuple(trigger for trigger in given.triggers if self._has_words(trigger)),
                "unplaced": (*given.unplaced, *unplaced),
            }
        )  # fmt: skip

    # --- words ------------------------------------------------------------------------------------------------------

    def _has_words(self, element: Element) -> bool:
        return any(map(self._counts, element.evidence))

    def _counts(self, evidence: Evidence) -> bool:
        """Whether the words stand in the document where a reader sees them, be it in several places."""
        return evidence.status is not Grounding.UNGROUNDED and (evidence.block is None or evidence.block in self.texts)

    def _supported_text(self, text: str, element: Element) -> str:
        """An element's text, or the words that it quotes where the text says something else than their block."""
        words = [evidence for evidence in element.evidence if self._counts(evidence)]
        around = " ".join(self.texts.get(evidence.block or "", evidence.quote) for evidence in words)
        return text if not words or self._shared(text, around) >= _ALIKE else words[0].quote

    def _shared(self, text: str, around: str) -> float:
        wanted = self._parts(text)
        return len(wanted & self._parts(around)) / len(wanted) if wanted else 1.0

    def _parts(self, text: str) -> set[str]:
        """A text as pairs of characters, or as the stems of its words."""
        if self.chinese:
            plain = re.sub(r"\W", "", text)
            return {plain[at : at + 2] for at in range(len(plain) - 1)} or {plain}
        return {word[:5].rstrip("s") for word in re.findall(r"[^\W_]{2,}", text.lower())} - _COMMON

    def _named(self, who: str | None, step: Step) -> str | None:
        """Someone whom the document names, as it is given; else nobody, and a gap asks who it is."""
        if who is None or self.finder.search(who).evidence.status is not Grounding.UNGROUNDED:
            return who
        least = _NAMED if self.chinese else 1.0
        if self._parts(who) and any(self._shared(who, text) >= least for text in self.texts.values()):
            return who
        self._ask("undefined_role", "role", who, (step.id,), step.evidence)
        return None

    def _ask(
        self,
        kind: GapKind,
        question: str,
        words: str,
        about: tuple[str, ...],
        evidence: tuple[Evidence, ...],
        **said: str,
    ) -> None:
        asked = str(self.cues.table("questions")[question]).format(words=words, **said)
        taken = {gap.id for gap in self.gaps}
        name = next(f"g{number}" for number in range(1, len(taken) + 2) if f"g{number}" not in taken)
        self.gaps.append(Gap(id=name, kind=kind, question=asked, about=about, evidence=evidence))

    # --- steps and conditions ---------------------------------------------------------------------------------------

    def _step(self, step: Step) -> Step:
        return step.model_copy(
            update={
                "text": self._supported_text(step.text, step),
                "actor": self._named(step.actor, step),
                "recipient": self._named(step.recipient, step),
                "deadline": self._deadline(step),
            }
        )

    def _deadline(self, step: Step) -> Deadline | None:
        by = step.deadline
        if by is None:
            return None
        quotes = [evidence.quote for evidence in by.evidence if self._counts(evidence)]
        if any(literal_supported(Literally(by.duration, quote, "converted", quote), [quote]) for quote in quotes):
            return by
        if quotes:  # the document gives a time limit, and not the one that was read
            asked, words = "unread_time", quotes[0]
        else:
            asked, words = "deadline", self._supported_text(step.text, step)
        self._ask("missing_parameter", asked, words, (step.id,), step.evidence, read=by.duration)
        return None

    def _condition(self, condition: ConditionText) -> ConditionText:
        """The condition, without its predicate where the document does not bear it out."""
        if self._decides(condition):
            return condition
        flows = [flow for flow in self.given.flows if flow.condition == condition.id]
        about = tuple(flow.source for flow in flows if flow.source in self.steps)
        self._ask("unclear_condition", "condition", condition.text, about, condition.evidence)
        return condition.model_copy(update={"predicate": None})

    def _answered(self, condition: ConditionText, asked: dict[str, Fact]) -> ConditionText:
        """A condition that words state and that nothing can decide, as a yes or no on these words.

        Args:
            asked: the facts that are answered so, by their words; a new one is put in.
        """
        words = tuple(evidence for evidence in condition.evidence if self._counts(evidence))
        if not words:
            return condition
        said = " … ".join(dict.fromkeys(e.quote for e in words))
        taken = {fact.id for fact in (*self.given.facts, *asked.values())}
        name = next(f"answer_{number}" for number in range(1, len(taken) + 2) if f"answer_{number}" not in taken)
        fact = asked.setdefault(said, Fact(id=name, name=said, type="boolean", evidence=words))
        yes = Literally(True, words[0].quote, "converted", words[0].quote)
        return condition.model_copy(update={"predicate": Compare("eq", Ref(f"$.facts.{fact.id}"), yes)})

    def _decides(self, condition: ConditionText) -> bool:
        if condition.evidence and not self._has_words(condition):
            return False
        return self._borne(parse_tree(condition.predicate), self._evidence_near(condition))

    def _borne(self, tree: Tree, words: Iterable[Evidence]) -> bool:
        """Whether all that a tree reads is the document's, and its numbers follow from the words."""
        read = references(tree)
        if not all(map(self._is_known, read)):
            return False
        units = {f"$.facts.{fact.id}": fact.unit for fact in self.given.facts if fact.unit}
        units |= {f"$.results.{one.id}": one.unit for one in self.given.results if one.unit}
        located = [evidence for evidence in words if self._counts(evidence) and evidence.supports]
        unsupported = unsupported_literals(tree, located, field_units=units)
        if not any(find_numbers(e.quote) for e in located):  # `where a fine is imposed` may be said as fine > 0
            above = [leaf.right for leaf in leaves(tree) if isinstance(leaf, Compare) and leaf.op == "gt"]
            unsupported = tuple(one for one in unsupported if one.value != 0 or one not in above)
        floor = [leaf.right for leaf in leaves(tree) if isinstance(leaf, Compare) and leaf.op == "gte"]
        nothing = any(says_nothing(e.quote) for e in located)  # `none of them` may be said as items == 0
        unsupported = tuple(one for one in unsupported if one.value != 0 or not (nothing or one in floor))
        return not any(map(_numeric, unsupported))

    def _is_known(self, ref: Ref) -> bool:
        match ref.root:
            case "facts":
                return ref.path[0] in self.facts
            case "results":
                return ref.path[0] in self.results
        return ref.node in self.steps

    def _result(self, result: Result) -> Result:
        """The result with the rows that the document bears out; one that it does not is asked about."""
        rows = []
        for row in result.rows:
            borne = row.formula is not None and all(map(self._is_known, expression_references(row.formula)))
            if borne and row.condition is not None:
                borne = self._borne(parse_tree(row.condition), row.evidence)
            if not borne and row.formula is not None:
                self._ask(
                    "unclear_condition", "condition", row.text, (result.step,) if result.step else (), row.evidence
                )
            rows.append(row if borne else row.model_copy(update={"formula": None, "condition": None}))
        step = result.step if result.step in self.steps else None
        return result.model_copy(update={"rows": tuple(rows), "step": step})

    def _rule(self, rule: Constraint) -> Constraint:
        """The rule for the steps that are left; in its words alone where they do not bear its predicate out."""
        borne = rule.predicate is not None and self._borne(parse_tree(rule.predicate), rule.evidence)
        return rule.model_copy(
            update={
                "text": self._supported_text(rule.text, rule),
                "steps": tuple(step for step in rule.steps if step in self.steps),
                "predicate": rule.predicate if borne else None,
            }
        )

    def _evidence_near(self, condition: ConditionText) -> Iterable[Evidence]:
        """The words of a condition; where it has none of its own, those of the steps that it stands between."""
        if condition.evidence:
            return condition.evidence
        flows = [flow for flow in self.given.flows if flow.condition == condition.id]
        ends = {end for flow in flows for end in (flow.source, flow.target)}
        return [evidence for step in self.given.steps if step.id in ends for evidence in step.evidence]

    # --- flows ------------------------------------------------------------------------------------------------------

    def _flows(self) -> tuple[Flow, ...]:
        """The ways between what is left: past the steps that are not, and not where words told them that are not."""
        flows = list(self.given.flows)
        for lost in (step.id for step in self.given.steps if step.id not in self.steps):
            into = [flow for flow in flows if flow.target == lost and flow.source != lost]
            out = [flow for flow in flows if flow.source == lost and flow.target != lost]
            kept = [flow for flow in flows if lost not in (flow.source, flow.target)]
            past = [_past(flow, way) for flow in into if self._stands(flow) for way in _ways_on(out)]
            flows = [*kept, *past]
        return tuple(_once(flows))

    def _stands(self, flow: Flow) -> bool:
        """Whether a way to a step that is not there would be taken all the same: always, or in a case that is told."""
        condition = next((one for one in self.given.conditions if one.id == flow.condition), None)
        return condition is None or self._has_words(condition)


_COMMON = frozenset(
    {"the", "an", "of", "to", "and", "or", "is", "are", "be", "it", "in", "on", "by", "for", "shall", "must"}
)


def _numeric(literal: Literally) -> bool:
    """Whether a literal is a number, a list of them, or a text that has one, as dates and durations do."""
    members = literal.value if isinstance(literal.value, list) else [literal.value]
    return any(not isinstance(one, bool) and re.search(r"\d", str(one)) is not None for one in members)


def _ways_on(out: list[Flow]) -> list[Flow]:
    """Where it goes on after a step that is not there: always, else otherwise, else wherever it led first."""
    for wanted in (None, "otherwise"):
        if found := [flow for flow in out if flow.condition == wanted]:
            return found
    return out[:1]


def _past(flow: Flow, way: Flow) -> Flow:
    ends = way.ends if way.target == END else None
    return flow.model_copy(update={"target": way.target, "ends": ends})


def _once(flows: Iterable[Flow]) -> Iterator[Flow]:
    """The flows without repeats; of those from the start to the end alone, none."""
    seen = set[tuple[str, str, str | None]]()
    for flow in flows:
        key = (flow.source, flow.target, flow.condition)
        if key not in seen and (flow.source, flow.target) != (START, END):
            seen.add(key)
            yield flow
