"""Boxes and pull quotes that float beside the text of a PDF page, and side notes in its margins."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from compiler.parsers.draft import box_around
from compiler.parsers.pdf.lines import Line
from compiler.text.labels import parse_label
from ir.document import Box

_NARROWEST = 12
"""Width, in type sizes, of text that goes past a box."""
_SMALLER = 0.92
_WORDY = 8
"""Letters of a line that bears words."""


@dataclass(frozen=True, slots=True)
class Aside:
    """Lines that float beside the text, and the orders of the lines of text that go past them."""

    lines: tuple[Line, ...]
    beside: frozenset[int]


def part_asides(lines: Sequence[Line]) -> tuple[list[Line], list[Aside]]:
    """The text by itself, with the edges that its lines have beside a box, and the boxes that it flows around."""
    text = list(lines)
    asides: list[Aside] = []
    for run in _runs(lines):
        rest = [line for line in text if line not in run]
        past = _past(run, rest)
        if past:
            asides.append(Aside(tuple(run), frozenset(line.order for line in past)))
            text = _narrowed(rest, past, box_around([line.box for line in run]))
    for note in _side_notes(text):
        box = box_around([line.box for line in note])
        text = [line for line in text if line not in note]
        near = frozenset(line.order for line in text if line.top < note[0].bottom and box[1] < line.bottom)
        asides.append(Aside(tuple(note), near))
    return text, asides


def _side_notes(lines: Sequence[Line]) -> list[list[Line]]:
    """Words in smaller type outside the edges that full lines keep, each note beside the beginning of a clause."""
    span = max((line.right for line in lines), default=0.0) - min((line.box[0] for line in lines), default=0.0)
    full = [line for line in lines if line.right - line.box[0] > 0.5 * span]
    if len(full) < 3:
        return []
    left, right, size = min(line.box[0] for line in full), max(line.right for line in full), full[0].size
    notes: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line.order):
        outside = line.right < left - 1 or line.box[0] > right + 1
        if not outside or sum(map(str.isalpha, line.text)) < 2 or parse_label(line.text):
            continue
        if notes and _below(notes[-1][-1], line):
            notes[-1].append(line)
        elif any(line.top < other.bottom and other.top < line.bottom and parse_label(other.text) for other in full):
            notes.append([line])
        else:
            return []
    if any(line.size > _SMALLER * size or line.right - line.box[0] > 0.25 * span for note in notes for line in note):
        return []
    return notes


def _below(before: Line, after: Line) -> bool:
    return abs(after.box[0] - before.box[0]) < before.size and 0 < after.top - before.top < 1.6 * before.size


def _runs(lines: Sequence[Line]) -> list[list[Line]]:
    """Lines that are drawn one below the other, two at least."""
    runs: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line.order):
        if runs and _follows(runs[-1][-1], line):
            runs[-1].append(line)
        else:
            runs.append([line])
    return [run for run in runs if len(run) > 1] if len(runs) > 1 else []


def _follows(before: Line, after: Line) -> bool:
    overlap = before.box[0] < after.right and after.box[0] < before.right
    return overlap and after.top > before.top and abs(after.left - before.left) < 6 * before.size


def _past(run: Sequence[Line], rest: Sequence[Line]) -> list[Line]:
    """The lines of text that go past the run, none where it is no box that text flows around.

    Such text takes up the box's width further down, and is drawn in one go, from above the box to below it, before or
    after the box; a column of the page is drawn in its turn instead.
    """
    box = box_around([line.box for line in run])
    if sum(map(_is_wordy, run)) * 2 < len(run) or any(_overlap(line.box, box) for line in rest):
        return []
    beside = [line for line in rest if line.top < box[3] and box[1] < line.bottom]
    if len(beside) < 2 or sum(map(_is_wordy, beside)) * 2 < len(beside):
        return []
    left, right = min(line.box[0] for line in beside), max(line.right for line in beside)
    size = max(line.size for line in beside)
    if not (right < box[0] or left > box[2]) or right - left < _NARROWEST * size or not _is_filled(beside):
        return []
    first = run[0].order < min(line.order for line in beside)
    if not first and run[0].order < max(line.order for line in beside):
        return []
    flow = [line for line in rest if (line.order > run[-1].order) == first]
    begins = any(line.bottom <= box[1] for line in flow)
    goes_on = any(
        line.top >= box[3] and line.box[0] < min(right, box[2]) and max(left, box[0]) < line.right for line in flow
    )
    return beside if begins and goes_on else []


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _is_wordy(line: Line) -> bool:
    return sum(2 if char > "\u2fff" else 1 for char in line.text if char.isalpha()) >= _WORDY


def _is_filled(lines: Sequence[Line]) -> bool:
    """Whether most of the lines, but the last, go on to a common edge, as those of running text do."""
    widest = max(line.right - line.box[0] for line in lines)
    return sum(line.right - line.box[0] > 0.75 * widest for line in lines) >= 0.6 * len(lines)


def _narrowed(text: Sequence[Line], past: Sequence[Line], box: Box) -> list[Line]:
    """The text with the place that is left to its lines beside the box, and right above and below."""
    near = {line.order for line in past}
    order = sorted(text, key=lambda line: line.top)
    for sequence in (order, order[::-1]):
        for before, after in itertools.pairwise(sequence):
            apart = max(after.top - before.bottom, before.top - after.bottom)
            clear = after.right < box[0] or after.box[0] > box[2]
            if before.order in near and clear and apart < before.size and after.bold == before.bold:
                near.add(after.order)
    limit = max(line.right for line in past)
    shift = min(line.box[0] for line in past) - min(line.box[0] for line in text) if limit > box[2] else 0.0
    return [
        replace(line, limit=min(line.limit, limit), left=line.left - shift) if line.order in near else line
        for line in text
    ]
