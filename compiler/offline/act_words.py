"""The words of a step that say what is done, without who must do it and by when."""

import re

from compiler.offline.lexicon import lexicon
from ir.procedure import Step


def act_words(step: Step, language: str) -> str:
    """The act alone, in the document's words; the whole text where nothing is left."""
    text = step.text
    lead = [rf"(?:{lexicon(language).pattern('modals').pattern})"]
    lead += [rf"由?\s*{re.escape(step.actor)}"] if step.actor else []
    for _ in range(3):
        text = re.sub(rf"^\s*(?:{'|'.join(lead)})\s*", "", text, count=1, flags=re.IGNORECASE)
    if step.deadline and step.deadline.evidence:
        text = text.replace(step.deadline.evidence[0].quote, "")
    return text.strip(" ，,") or step.text
