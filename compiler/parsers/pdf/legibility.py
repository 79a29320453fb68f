"""Whether a page's letters stand for words: a font without its table of letters gives letters without sense."""

_ENOUGH = 60
"""Letters from which their frequency can be told."""
_COMMON_LETTERS = frozenset("etaoinsr")
_LEAST_LETTERS = 0.3
_COMMON_CHARACTERS = frozenset(
    "的一是不在人有中大为上个国和地到以时要就出会可也对生能而子于年发成部分作方定下家行过面日工用现法所政学成管理规应当部门公司"
    "单位进经同者其及或按本条办制度人员负责安全审核批准申请二三四五六七八九十月关机合务事项情况提相自施内外部第由须将与得无未各"
    "并后前如需表名号数量品类产"
)
_LEAST_CHARACTERS = 0.06
_MOST_CONTROLS = 0.05
_MOST_UNKNOWN = 0.4


def is_legible(text: str) -> bool:
    r"""Whether the text has hardly any control characters, and its letters are as frequent as in a language.

    Too short a text is taken as legible, as is a script whose frequencies are not known.

    >>> is_legible("The supervisor shall compare the readings with the flow meter and shall report a difference.")
    True
    >>> is_legible("7KH VXSHUYLVRU VKDOO FRPSDUH WKH UHDGLQJV ZLWK WKH IORZ PHWHU DQG VKDOO UHSRUW D GLIIHUHQFH")
    False
    >>> is_legible("\x15\x11\x14\x037KH\x03FOHUN")
    False
    """
    controls = sum(_is_control(char) for char in text)
    if controls > _MOST_CONTROLS * len(text) and controls > 1:
        return False
    unknown = sum(char == "\ufffd" or "\ue000" <= char <= "\uf8ff" for char in text)
    if len(text) >= _ENOUGH and unknown > _MOST_UNKNOWN * len(text):
        return False
    letters = [char for char in text.lower() if char.isalpha() and char < "\u0250"]
    if len(letters) >= _ENOUGH and _share(letters, _COMMON_LETTERS) < _LEAST_LETTERS:
        return False
    ideographs = [char for char in text if "\u4e00" <= char <= "\u9fff"]
    return len(ideographs) < _ENOUGH or _share(ideographs, _COMMON_CHARACTERS) >= _LEAST_CHARACTERS


def _is_control(char: str) -> bool:
    return (char < " " and not char.isspace()) or "\x7f" <= char < "\xa0"


def _share(chars: list[str], common: frozenset[str]) -> float:
    return sum(char in common for char in chars) / len(chars)
