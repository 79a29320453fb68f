"""Renders a primer: whole, with ids, codes and examples; and the bare rules that a model is told."""

import json

from primers.primer import Primer, PrimerLanguage, Rule, WorkedExample

WORDS: dict[PrimerLanguage, dict[str, str]] = {
    "zh": {
        "rules": "规则",
        "code": "违反时报告",
        "advisory": "建议",
        "examples": "示例",
        "document": "文件",
        "procedure": "应得的规程（JSON）",
        "workflow": "应得的流程（JSON）",
        "why": "说明",
    },
    "en": {
        "rules": "Rules",
        "code": "a breach is reported as",
        "advisory": "advisory",
        "examples": "Worked examples",
        "document": "Document",
        "procedure": "Procedure it gives (JSON)",
        "workflow": "Workflow it gives (JSON)",
        "why": "Why",
    },
}


def render(primer: Primer, language: str) -> str:
    """The whole primer; the same primer and language always give the same text.

    Args:
        language: `zh`, `en` or `und`. Rules appear in it, else in English, else in the primer's first language;
            examples in it come first, and those in the other language only where there are none.
    """
    tongue = _tongue(primer, language)
    words = WORDS[tongue]
    lines = [f"# {primer.reference}", "", f"## {words['rules']}", ""]
    lines += [_rule(number, rule, tongue) for number, rule in enumerate(primer.rules, start=1)]
    examples = [example for example in primer.examples if example.language == tongue] or list(primer.examples)
    if examples:
        lines += ["", f"## {words['examples']}"]
    for example in examples:
        lines += ["", *_example(example, words)]
    return "\n".join(lines) + "\n"


def rules_text(primer: Primer, language: str) -> str:
    """The rules that a model is told, a line each; not those that code keeps whatever it answers.

    Args:
        language: as for `render`.
    """
    tongue = _tongue(primer, language)
    return "\n".join(f"- {rule.text[tongue].strip()}" for rule in primer.rules if not rule.by_construction)


def _tongue(primer: Primer, language: str) -> PrimerLanguage:
    wanted: PrimerLanguage = "zh" if language == "zh" else "en"
    return wanted if wanted in primer.languages else primer.languages[0]


def _rule(number: int, rule: Rule, tongue: PrimerLanguage) -> str:
    words = WORDS[tongue]
    enforced = f"{words['code']} {rule.code}" if rule.code else words["advisory"]
    return f"{number}. [{rule.id}] {rule.text[tongue].strip()} ({enforced})"


def _example(example: WorkedExample, words: dict[str, str]) -> list[str]:
    form = "procedure" if example.procedure is not None else "workflow"
    return [
        f"### {example.id}",
        "",
        f"{words['document']} ({example.doc_id}):",
        example.text.strip(),
        "",
        f"{words[form]}:",
        json.dumps(example.expected, ensure_ascii=False),
        "",
        f"{words['why']}: {example.explanation.strip()}",
    ]
