"""The words of a step that say what is done, without who must do it and by when."""

import re

from compiler.offline.lexicon import lexicon
from ir.procedure import Step


def act_words(step: Step, language: str) -> str:
    """The act alone, in the document's words; the whole text where nothing is left."""
    text = step.text
    cues = lexicon(language)
    actor = re.compile(
        rf"^\s*(?:由|the\b|an?\b)?\s*{re.escape(step.actor)}\s*" if step.actor else r"(?!)", re.IGNORECASE
    )
    for _ in range(3):
        modal = cues.modal(text)
        if modal is not None and not text[: modal.start()].strip():
            text = text[modal.end() :].lstrip()
        text = actor.sub("", text, count=1)
    if step.deadline and step.deadline.evidence:
        text = text.replace(step.deadline.evidence[0].quote, "")
    return text.strip(" ，,") or step.text


def head_words(step: Step, language: str) -> str:
    """The verb with its object up to the first comma or relative clause: what is done, without how and with what."""
    text = re.split(r"[，,；;：:（(]|\s(?:that|which|who|in order to|so that|using|by)\s", act_words(step, language))[
        0
    ].strip()
    if step.actions and (object_ := step.actions[0].object):
        verb = step.actions[0].verb.quote
        if 0 <= step.text.find(verb) < step.text.find(object_.quote):
            gap = "" if verb[-1:] > "\u2e80" else " "
            text = (
                verb + gap + re.split(r"[，,；;：:（(]|\s(?:that|which|who|from|against|by|with)\s", object_.quote)[0]
            )
    return text.strip() or act_words(step, language)
