"""The words of a step that say what is done, without who must do it and by when."""

import re

from compiler.text.lexicon import lexicon
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
    text = _first(act_words(step, language))
    if step.actions and (object_ := step.actions[0].object):
        begin = step.text.find(step.actions[0].verb.quote)
        end = step.text.find(object_.quote, max(begin, 0))
        if 0 <= begin < end:  # the run from the verb to the end of its object, with what stands between (`go back to`)
            text = _first(step.text[begin : end + len(object_.quote)])
    whole = act_words(step, language)
    return text if len(text.split()) > 1 or language == "zh" else _first(whole, relative=False)


def _first(text: str, *, relative: bool = True) -> str:
    """The words up to a comma; with `relative` up to a relative clause or a purpose as well."""
    cuts = r"[，,；;：:（(]" + (
        r"|\s(?:that|which|who|in order to|so that|using|by|from|against|with)\s" if relative else ""
    )
    return re.split(cuts, text)[0].strip() or text
