"""Chinese words that look like acts and say how things are, name a stage, or explain a sign."""

import rjieba

from compiler.text.lexicon import lexicon
from compiler.text.sentences import is_overlong

PATTERN = lexicon("zh").patterns("states")


def tells_no_act(sentence: str) -> bool:
    """Whether a sentence is a note, a legend, a list of who gets a copy, the title of a stage, or too long to be read.

    >>> [tells_no_act(t) for t in ("注：√表示必须检查", "抄送：各车间", "自查阶段（3月1日至10日）", "启动第二阶段")]
    [True, True, True, False]
    """
    text = sentence.strip()
    return (
        is_overlong(text)
        or any(rule.match(text) for rule in (PATTERN.note, PATTERN.copies, PATTERN.legend))
        or PATTERN.stage.fullmatch(text) is not None
    )


def is_state(text: str) -> bool:
    """Whether a clause that nothing binds tells how things are or what was done, not what is to be done.

    >>> [is_state(t) for t in ("仓库位于厂区东侧", "结果取决于温度", "公司介绍了经验", "了解情况", "称取样品")]
    [True, True, True, False, False]
    """
    return PATTERN.state.search(text) is not None or PATTERN.done.search(text) is not None or _lists_things(text)


def is_slogan(text: str) -> bool:
    """Whether words call for an attitude that nobody can carry out as a step.

    >>> [is_slogan(t) for t in ("应当始终把安全放在第一位", "要增强责任意识", "避免形式主义", "提高报警值")]
    [True, True, True, False]
    """
    return PATTERN.slogan.search(text) is not None


def begins_with_thing(text: str) -> bool:
    """Whether a text begins with a noun and its number, or says what something mainly is.

    >>> [begins_with_thing(t) for t in ("单价300元", "主要设备从国内采购", "核对单价", "提出建议")]
    [True, True, False, False]
    """
    tags = rjieba.tag(text)
    measured = len(tags) > 1 and len(tags[0][0]) > 1 and tags[0][1][0] == "n" and tags[1][1][0] == "m"
    return measured or tags[0][0] in ("主要", "设计", "总计", "合计")


def _lists_things(text: str) -> bool:
    """Whether all that a clause holds are nouns, as a list of places or things does (`生产车间、仓库及宿舍`)."""
    if "、" not in text:
        return False
    words = [(word, tag) for word, tag in rjieba.tag(text[: text.rindex("、")]) if word.strip()]
    if not words:
        return False
    after = [*(word for word, _ in words[1:]), ""]
    named = (PATTERN.place.search(word + then) is not None for (word, _), then in zip(words, after, strict=True))
    plain = [tag[0] in "nrxcufbsmq" or place for (_, tag), place in zip(words, named, strict=True)]
    return all(plain) and any(tag[0] == "n" for _, tag in words)
