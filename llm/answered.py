"""What an endpoint sent, as the text of an answer: what stands around it taken off, what is no answer told apart."""

import json
import re
from typing import TYPE_CHECKING

from llm.faults import ModelFault

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletion
    from openai.types.chat.chat_completion import Choice

_REASONING = re.compile(r"<(think|thinking|reasoning)>.*?</\1>\s*", re.DOTALL | re.IGNORECASE)
_UNOPENED = re.compile(r"^.*?</(?:think|thinking|reasoning)>\s*", re.DOTALL | re.IGNORECASE)
_LOOP = re.compile(r"\s{200}")
_OPENING = re.compile(r'\{\s*["}]')  # a brace before anything else is prose
_LATIN_PER_TOKEN, _WIDE_PER_TOKEN = 7, 3  # characters; tokenizers make more tokens of real texts than these say
_SHORT = 1000  # tokens, below which no endpoint cuts
_MOST_PER_TOKEN, _SHORT_TEXT = 16, 20_000  # characters that no honest answer exceeds
_DECODER = json.JSONDecoder()


class Unusable(Exception):  # noqa: N818 - named for the fault
    """An answer that is not of the form; the text says to the model what is wrong with it."""


class NotOfMode(Unusable):
    """An answer that shows that the endpoint does not hold to the mode: no call of a tool, white space without end."""


def answer_text(completion: "ChatCompletion", mode: str, most: int) -> str:
    """The JSON text of an answer, which the completion holds as well afterwards.

    Args:
        mode: of the request, see `modes`; in `tools` the answer is the call's arguments.
        most: tokens that were allowed.

    Raises:
        ModelFault: `cut`; `refused` where the model declines, a filter holds the answer back or an error stands in its
            place; `malformed` where there is none.
        Unusable: another answer may be better; `NotOfMode` where another mode may be.
    """
    if not completion.choices:
        if "error" in (completion.model_extra or {}):
            raise ModelFault("refused", "the endpoint sent an error in place of an answer")
        raise ModelFault("malformed", "the answer has no choices")
    choice = completion.choices[0]
    if choice.message is None:
        raise ModelFault("malformed", "the answer has no message")
    if choice.finish_reason == "content_filter":
        raise ModelFault("refused", "the endpoint's content filter held the answer back")
    if getattr(choice.message, "refusal", None):
        raise ModelFault("refused", "the model declined to answer")
    text = _tool_arguments(choice) if mode == "tools" else _message_text(choice)
    if choice.finish_reason == "length":
        if is_whitespace_loop(text):
            raise NotOfMode("it goes on with white space")
        raise ModelFault("cut", f"the answer ended at {most} tokens")
    if len(text) > max(_SHORT_TEXT, most * _MOST_PER_TOKEN):
        raise Unusable(f"it has {len(text):,} characters, which is more than {most:,} tokens can have")
    return text


def is_whitespace_loop(text: str) -> bool:
    """Whether an answer has so much white space in a row that its writer was caught in it."""
    return _LOOP.search(text) is not None


def check_read_whole(asked: str, sent: int | None) -> None:
    """Whether the endpoint can have read all that was asked; some cut what does not fit and say nothing.

    Args:
        asked: the texts of all messages.
        sent: tokens that the endpoint counted; None where it did not say.

    Raises:
        ModelFault: `cut` where it counted fewer than any tokenizer makes of so long a text.
    """
    wide = sum(character > "\u2e7f" for character in asked)
    fewest = (len(asked) - wide) // _LATIN_PER_TOKEN + wide // _WIDE_PER_TOKEN
    if sent and sent < fewest and fewest > _SHORT:
        said = f"the endpoint read {sent} tokens of a question of {fewest} or more; make its context longer"
        raise ModelFault("cut", said)


def json_of(text: str) -> str:
    """The one JSON object of an answer, without a byte order mark, a fence or prose around it.

    Where there is no whole object, what there is, so that a reader of JSON finds the fault.

    Raises:
        Unusable: there are several that differ; to take one would lose the others.

    >>> json_of('Here: ```json\\n{"a": {"b": 1}}\\n``` {so to say}'), json_of('{"a": {"b": 1}')
    ('{"a": {"b": 1}}', '{"a": {"b": 1}')
    """
    found: dict[str, None] = {}
    end = 0
    while opening := _OPENING.search(text, end):
        try:
            _, end = _DECODER.raw_decode(text, opening.start())
        except (ValueError, RecursionError):
            return text[opening.start() :]
        found[text[opening.start() : end]] = None
    if len(found) > 1:
        raise Unusable(f"it holds {len(found)} JSON objects; give one that says it all")
    return next(iter(found), text)


def without_reasoning(text: str) -> str:
    """The answer without what a model thought aloud before it.

    >>> without_reasoning('<think>two and three</think>{"answer": 5}'), without_reasoning('so 5</think> {}')
    ('{"answer": 5}', '{}')
    """
    return _UNOPENED.sub("", _REASONING.sub("", text))


def _tool_arguments(choice: "Choice") -> str:
    """The arguments of the call, which some endpoints send as an object."""
    calls = choice.message.tool_calls or []
    functions = [function for call in calls if (function := getattr(call, "function", None)) is not None]
    if choice.finish_reason == "length":
        return str(functions[0].arguments) if functions else _message_text(choice)
    if not functions:
        raise NotOfMode("the function was not called")
    if len(functions) > 1:
        raise Unusable("call the function once")
    given: object = functions[0].arguments
    text = json_of(given if isinstance(given, str) else json.dumps(given, ensure_ascii=False))
    functions[0].arguments = text
    return text


def _message_text(choice: "Choice") -> str:
    """The message, which some endpoints send in parts."""
    content: object = choice.message.content
    if isinstance(content, list):
        content = "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    text = without_reasoning(content) if isinstance(content, str) else ""
    choice.message.content = text
    if choice.finish_reason != "length":
        text = choice.message.content = json_of(text)
    return text
