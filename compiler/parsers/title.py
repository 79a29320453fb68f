"""What a document is called: by its metadata where that is a title, else by what stands at its head."""

import re
from collections.abc import Sequence
from itertools import takewhile
from pathlib import PurePosixPath

from compiler.parsers.join import glue, is_title
from ir.document import Block

_NEAR = 12
"""Blocks at the head of a document among which its title stands."""
_NO_TITLE = re.compile(
    r"about:\S*|[a-z]+://\S+|(?:untitled|无标题|未命名|新建).*|(?:document|doc|文档|presentation|slide|book)\s*\d*"
    r"|microsoft (?:office )?(?:word|excel|powerpoint)\b.*|.+\.(?:docx?|wps|rtf|odt|pdf|html?|txt|md|xlsx?|pptx?)",
    re.IGNORECASE,
)
"""What programs write where nobody gave a title."""
_PRESCRIBES = re.compile(
    r"(?:(?:规定|办法|制度|细则|规程|规范|规则|准则|守则|条例|程序|流程|指南|方案|须知|章程|预案|标准)(?:\s*[（(].*[)）])?"
    r"|\b(?:polic(?:y|ies)|procedures?|regulations?|rules|standards?|guidelines?|instructions?|manual|handbook|code)\b.*)$",
    re.IGNORECASE,
)
"""How titles of documents that prescribe end in Chinese, and what stands in them in English."""


def title_of(metadata: str | None, blocks: Sequence[Block], path: str) -> str:
    """The metadata's title, else the heading at the head that names a policy, else the first, else the file's name."""
    told = " ".join((metadata or "").split())
    if told and not _NO_TITLE.fullmatch(told):
        return told
    body = [block for block in blocks if block.tag is None][:_NEAR]
    first = next((at for at, block in enumerate(body) if _is_heading(block)), None)
    if first is not None:
        headings = [glue("", block.text) for block in takewhile(_is_heading, body[first:])]
        return next((one for one in headings if _prescribes(one)), headings[0])
    if body and body[0].kind == "paragraph" and body[0].label is None and is_title(body[0].text):
        return glue("", body[0].text)
    return PurePosixPath(path).stem or path


def _is_heading(block: Block) -> bool:
    return block.kind == "heading" and block.label is None


def _prescribes(title: str) -> bool:
    """Whether a title names a policy.

    >>> [_prescribes(one) for one in ("集装箱码头有限公司", "堆存管理规定（试行）", "Travel Policy", "Acme Ltd")]
    [False, True, True, False]
    """
    return _PRESCRIBES.search(title) is not None
