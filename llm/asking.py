"""What is said to a model around a question: the form of the answer, and what was wrong with the last one."""

from collections.abc import Iterator

from pydantic import ValidationError

from llm.protocol import Messages, Request
from llm.schema_text import schema_text

LONGEST = 20_000
"""Characters of an answer that are sent back with its faults."""


def with_schema(request: Request, mode: str) -> Messages:
    """The messages with the schema's text: a grammar or a tool alone would hide the descriptions of the fields.

    In `md_json` instructor says it, and once is enough: it is longer than many a document.
    """
    if mode == "md_json":
        return request.messages
    rule = f"Answer with one JSON object of the first of these types, and nothing else:\n{schema_text(request.form)}"
    return (*request.messages[:-1], (request.messages[-1][0], f"{request.messages[-1][1]}\n\n{rule}"))


def retry_messages(asked: Messages, text: str, faults: str) -> Messages:
    """The question with the last answer and its faults; where that was empty, with the faults alone."""
    text = cut(text, LONGEST)
    wanted = f"That answer is not of the form:\n{faults}\nGive the whole answer again, mended."
    if text.strip():
        return (*asked, ("assistant", text), ("user", wanted))
    role, question = asked[-1]
    return (*asked[:-1], (role, f"{question}\n\nAn earlier answer was not of the form:\n{faults}"))


def cut(text: str, longest: int) -> str:
    """A text, without its middle where it is too long.

    >>> cut("a very long text", 10)
    'a ver…text'
    """
    return text if len(text) <= longest else f"{text[: longest // 2]}…{text[len(text) - (longest - 1) // 2 :]}"


def answer_faults(error: BaseException) -> Iterator[str]:
    """What is wrong with an answer, in lines that a model can use; never the answer itself."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, ValidationError):
            for item in seen.errors(include_input=False, include_url=False)[:12]:
                yield cut(f"- {'/'.join(map(str, item['loc'])) or 'the answer'}: {item['msg']}", 300)
            return
        seen = seen.__cause__ or seen.__context__
    yield "- no answer of the form"
