"""Characters of symbol fonts, whose codes mean a glyph of that font alone, as Unicode has them."""

from collections.abc import Mapping

CHECKED, UNCHECKED = "☑", "☐"
_PRIVATE = 0xF000  # Word writes the codes of symbol fonts from here on


def _from(first: int, glyphs: str) -> dict[int, str]:
    """The glyphs of a row of codes; a blank stands for none."""
    return {first + at: glyph for at, glyph in enumerate(glyphs) if glyph != " "}


_SYMBOL = (
    _from(0x21, "!∀#∃%&∍()∗+,–./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_")
    | _from(0x61, "αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼")
    | _from(0xA0, "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…")
    | _from(0xBF, "↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑")
    | _from(0xF1, "〉∫")
)
_CIRCLES = "⓪①②③④⑤⑥⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿"
_WINGDINGS = (
    {0x22: "✂", 0x28: "☎", 0x29: "✆", 0x2A: "✉", 0x36: "⌛", 0x37: "⌨", 0x3F: "✍", 0x41: "✌"}
    | _from(0x45, "☜☞☝☟✋☺ ☹ ☠")
    | _from(0x6C, f"●❍■{UNCHECKED}□❑❒◆◆◆❖◆☒")
    | _from(0x80, _CIRCLES)
    | _from(0x9E, f"·•▪○○○◉◎ ▪{UNCHECKED} ✦★✶✴✹✵")
    | _from(0xD8, "➢   ➲  ←→↑↓↖↗↙↘←→↑↓")
    | _from(0xEF, "⇦⇨⇧⇩⬄⇳")
    | _from(0xFB, f"✗✓☒{CHECKED}")
)
_WINGDINGS_2 = (
    _from(0x4F, "✗✓☒☑☒☒⊗⊗")
    | _from(0x69, _CIRCLES)
    | _from(0x96, "•●●● ○○○◉ ▪■■  □□")
    | {0xA3: UNCHECKED, 0x2A: UNCHECKED, 0xA1: "□", 0xA2: "□"}
)
_WINGDINGS_3 = _from(0x70, "▲▼△▽◀▶◁▷") | _from(0x66, "←→↑↓↖↗↙↘↔↕")
_WEBDINGS = {0x61: "✓", 0x63: "□", 0x67: "■", 0x6E: "●", 0x72: "✗", 0x33: "◀", 0x34: "▶", 0x35: "▲", 0x36: "▼"}
_FONTS: Mapping[str, Mapping[int, str]] = {
    "symbol": _SYMBOL,
    "wingdings": _WINGDINGS,
    "wingdings 2": _WINGDINGS_2,
    "wingdings 3": _WINGDINGS_3,
    "webdings": _WEBDINGS,
}
# What private characters of an unknown font most likely are: the signs that lists and forms are made with.
_UNNAMED = {
    0xB7: "•",
    0x52: CHECKED,
    0xA3: UNCHECKED,
    **{code: glyph for code, glyph in _WINGDINGS.items() if code > 0x60},
}


def from_font(text: str, font: str | None) -> str:
    """The text as Unicode writes what it shows in the font; what the font is not known to show stays.

    >>> from_font("\\uf0a3", "Symbol"), from_font("\\uf0a3", "Wingdings 2"), from_font("þ", "Wingdings")
    ('≤', '☐', '☑')
    >>> from_font("plain ≥ 5", "Calibri")
    'plain ≥ 5'
    """
    table = _FONTS.get((font or "").lower())
    if table is None:
        return "".join(_UNNAMED.get(ord(char) - _PRIVATE, char) if is_private(char) else char for char in text)
    return "".join(table.get(ord(char) - _PRIVATE if is_private(char) else ord(char), char) for char in text)


def is_private(char: str) -> bool:
    """Whether it is one of the characters that symbol fonts are given.

    >>> is_private("\\uf0b7"), is_private("•")
    (True, False)
    """
    return "\uf020" <= char <= "\uf0ff"
