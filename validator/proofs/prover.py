"""Asks the solver: can this be? Within limits that do not depend on the speed of the machine."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import z3
from pydantic import JsonValue

from ir.predicate import Ref
from validator.proofs.encode import Encoder
from validator.proofs.formulas import Formula, holds_in, negation
from validator.proofs.kinds import NUMERIC, Kind, amount_of, constant

EFFORT = 300_000
"""Steps of the solver for one question (z3's `rlimit`), so that the answer does not hang on the machine's speed."""
EFFORT_SIMPLIFIED = 1_500_000
"""Steps for the same question simplified as a whole, where it was not answered."""
_SIMPLIFIED = ("simplify", "propagate-values", "ctx-simplify", "solve-eqs", "smt")
_TRIED = 8
_USUAL: dict[Kind, tuple[int, ...]] = {
    "integer": (0, 1), "number": (0, 1), "date": (739617,), "zoned": (1767225600_000000,),
    "local": (1767225600_000000,), "clock": (86400,), "month": (1,), "business": (1,),
}  # fmt: skip


class Prover:
    """One solver over the formulas of one encoder.

    Args:
        encoder: whose context the formulas are of.
    """

    def __init__(self, encoder: Encoder) -> None:
        self.encoder = encoder
        self._answering: z3.Solver | None = None
        self.solver = z3.SimpleSolver(ctx=encoder.ctx)
        self.solver.set(rlimit=EFFORT, phase_selection=5)  # 5: at random, from a fixed seed

    def add(self, *formulas: Formula) -> None:
        """Let something hold from now on."""
        self.solver.add(*formulas)

    def can_hold(self, *formulas: Formula) -> bool | None:
        """Whether the formulas can hold together; None where the solver does not find out.

        What goes from question to question cannot be simplified for each; what computes and rounds often has to be.
        """
        self._answering, answer = self.solver, self.solver.check(*formulas)
        if answer == z3.unknown:
            self._answering = z3.Then(*_SIMPLIFIED, ctx=self.encoder.ctx).solver()
            self._answering.set(rlimit=EFFORT_SIMPLIFIED)
            answer = self._answering.check(*self.solver.assertions(), *formulas)
        return None if answer == z3.unknown else bool(answer == z3.sat)

    def model(self) -> Any:
        """A model of what was found to be possible last."""
        assert self._answering is not None
        return self._answering.model()

    def values(self, formulas: Sequence[Formula], refs: Iterable[Ref]) -> dict[Ref, JsonValue] | bool | None:
        """Plain values of references for which formulas hold; False where there are none, None where it is not known.

        Of a whole object nothing is known but whether it is null; it comes as `{}`.
        """
        found = self.can_hold(*formulas)
        if not found:
            return found
        refs = tuple(refs)
        model = self.model()
        model = self.plain_model(formulas, refs) or model
        return {ref: self.encoder.value(ref, model) for ref in refs}

    def possible(self, formulas: dict[Any, Formula], *given: Formula) -> tuple[set[Any], set[Any]]:
        """Which of several formulas can hold, each by itself: those that can, and those of which that is not known.

        One model shows it for several formulas at once.
        """
        can, unknown = set[Any](), set[Any]()
        pending = dict(formulas)
        while pending:
            some = self.encoder.any(pending.values())
            found = self.can_hold(some, *given)
            if found is None:
                return can | self._singly(pending, given, unknown), unknown
            if not found:
                return can, unknown
            model = self.model()
            shown = {*self._shown(model, [*pending.items()])}
            can |= shown
            pending = {key: one for key, one in pending.items() if key not in shown}
        return can, unknown

    def _shown(self, model: Any, formulas: Sequence[tuple[Any, Formula]]) -> Iterator[Any]:
        """Those of some formulas that hold in a model, by halves: of many, often just one does."""
        if not holds_in(model, self.encoder.any(one for _, one in formulas)):
            return
        if len(formulas) == 1:
            yield formulas[0][0]
            return
        middle = len(formulas) // 2
        yield from self._shown(model, formulas[:middle])
        yield from self._shown(model, formulas[middle:])

    def _singly(self, formulas: dict[Any, Formula], given: Sequence[Formula], unknown: set[Any]) -> set[Any]:
        answers = {key: self.can_hold(one, *given) for key, one in formulas.items()}
        unknown |= {key for key, answer in answers.items() if answer is None}
        return {key for key, answer in answers.items() if answer}

    def plain_model(self, formulas: Sequence[Formula], refs: Iterable[Ref]) -> Any:
        """A model of formulas that can hold together: of all that are possible, one with plain values.

        One reference after the other takes the first value that is possible: not null, then the constants that it is
        compared with, then their neighbours. So the model does not hang on what the solver happened to find first.
        None where the solver, asked again, does not find out what it found before: its effort is bounded.

        Args:
            refs: the references whose values will be shown.
        """
        self.solver.push()
        try:
            self.add(*formulas)
            return self._plainest(refs)
        finally:
            self.solver.pop()

    def _plainest(self, refs: Iterable[Ref]) -> Any:
        found = self.can_hold()
        if found is None:
            return None
        assert found
        model = self.model()
        for ref in refs:
            for wishes in ([negation(self.encoder.is_null(ref))], self._near(ref)):
                for wish in wishes:
                    granted = holds_in(model, wish)
                    if granted or self.can_hold(wish):
                        model = model if granted else self.model()
                        self.add(wish)
                        break
            known = self.encoder.known(ref)
            if known is not None:
                self.add(known.term == model.eval(known.term, model_completion=True))
        return model

    def _near(self, ref: Ref) -> list[Formula]:
        """That a reference has one of the values to try, plainer ones first."""
        known = self.encoder.known(ref)
        if known is None:
            return []
        kind, ctx, texts = known.kind, self.encoder.ctx, self.encoder.texts
        listed = [amount_of(value, kind, texts) for value in self.encoder.listed(ref)]
        if kind == "boolean":
            listed = [False, True]
        elif kind != "text" and not listed:
            found = [amount_of(value, kind, texts) for value in self.encoder.constants(ref)]
            whole = sorted({int(amount) for amount in found if amount is not None})[:_TRIED]
            step = 1 if kind in (*NUMERIC, "date", "month", "business") else 3600 if kind == "clock" else 3600_000000
            listed = [*whole, *(a + step for a in whole), *(a - step for a in whole), *_USUAL[kind]]
        elif not listed:
            listed = [texts.spare, *(amount_of(value, kind, texts) for value in self.encoder.constants(ref))]
        return [known.term == constant(amount, ctx) for amount in dict.fromkeys(listed) if amount is not None]
