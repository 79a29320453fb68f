"""What the signs of a drawing mean."""

from compiler.report.graph.drawing import LABEL
from compiler.report.graph.layout import Box
from compiler.report.graph.shapes import outline, text_lines
from compiler.report.graph.text_size import text_width
from compiler.report.graph.theme import Theme
from compiler.report.markup import Attributes, Markup, element
from compiler.report.readers_words import Reader

LEGEND_HEIGHT = 30.0


def legend_entries(reader: Reader) -> list[tuple[str, str]]:
    """What the legend explains: the swatch's name and the words beside it."""
    shown = ("system", "decision", "human", *(("unmapped",) if reader.unmapped else ()), "approval", "end")
    kinds = [(kind, reader.words(f"kind.{kind}")) for kind in shown]
    return [*kinds, ("primer", reader.words("count.primers")), ("error", reader.words("on_error"))]


def legend_width(reader: Reader) -> float:
    """The width of the legend in pixels."""
    return 24 + sum(52 + text_width(word, LABEL) for _, word in legend_entries(reader))


def render_legend(reader: Reader, theme: Theme, top: float) -> Markup:
    """The legend in one row, below `top`."""
    parts: list[Markup] = []
    x = 12.0
    for kind, word in legend_entries(reader):
        parts.append(legend_swatch(kind, x, top + 6, theme))
        parts.append(text_lines([word], x + 32, top + 5, LABEL, 16, theme.muted))
        x += 52 + text_width(word, LABEL)
    return element("g", {"class": "legend"}, parts)


def legend_swatch(kind: str, x: float, y: float, theme: Theme) -> Markup:
    """A small sample of a kind of node, of what a primer put in (`primer`), or of an error edge (`error`)."""
    if kind == "error":
        line: Attributes = {"x1": x, "y1": y + 7, "x2": x + 26, "y2": y + 7}
        return element("line", {**line, "stroke": theme.error, "stroke-width": 1.6, "stroke-dasharray": "2 4"})
    shape = "system" if kind == "primer" else kind
    paint = theme.kinds[shape]
    box = Box(x, y, 26, 14)
    return outline(shape, box, paint, dashed=kind == "primer")
