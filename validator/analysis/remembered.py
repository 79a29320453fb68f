"""Remembers what functions found that hang on few answers about a workflow, for as long as these are the same.

A draft is proved again with each correction, and most of its nodes are as they were. What a function is told is written
down while it works; what it found is given again where the same questions are answered by the same.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Generic, TypeVar

Found = TypeVar("Found")
_Asked = tuple[int, Any]


@dataclass(frozen=True)
class _Case(Generic[Found]):
    """What was found, and by question, the number of the function and what it was asked, what was answered."""

    answers: dict[_Asked, str]
    found: Found


@dataclass(frozen=True, eq=False)
class Remembered(Generic[Found]):
    """What one function found.

    Args:
        most: how many keys are kept.
        cases: how many cases are kept of each.
    """

    most: int = 4096
    cases: int = 4
    _kept: OrderedDict[Hashable, tuple[_Case[Found], ...]] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def get(self, key: Hashable, find: Callable[..., Found], *asked: Callable[[Any], Any]) -> Found:
        """What `find` finds, given functions that it may ask.

        Args:
            key: all else that it hangs on.
            asked: its arguments, which answer by what their values' texts say.
        """
        with self._lock:
            known = self._kept.get(key, ())
        for case in known:
            if all(repr(asked[number](question)) == answer for (number, question), answer in case.answers.items()):
                return case.found
        answers: dict[_Asked, str] = {}
        found = find(*(_noting(number, one, answers) for number, one in enumerate(asked)))
        with self._lock:
            self._kept[key] = (_Case(answers, found), *known[: self.cases - 1])
            self._kept.move_to_end(key)
            if len(self._kept) > self.most:
                self._kept.popitem(last=False)
        return found

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._kept.clear()


def _noting(number: int, function: Callable[[Any], Any], answers: dict[_Asked, str]) -> Callable[[Any], Any]:
    """A function that answers as another does, and notes it."""

    def noting(question: Any) -> Any:
        answer = function(question)
        answers.setdefault((number, question), repr(answer))
        return answer

    return noting
