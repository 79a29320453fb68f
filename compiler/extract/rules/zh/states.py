"""Chinese words that look like acts and say how things are, name a stage, or explain a sign."""

import re

import rjieba

from compiler.text.sentences import is_overlong

_STATE = re.compile(
    r"取决于|决定于|位于|坐落[于在]|地处|毗邻|占地|建筑面积|来源于|源于|源自|得益于|有助于|有利于|关系到|始建于|建于|建成于"
    r"|成立于|隶属|依赖于|相当于|等同于|不同于|优于|劣于|标志着|意味着|体现[了着出]|反映[了着出]|面向[^，。；]*(?:用户|客户|市场)$"
)
_DONE = re.compile(r"[\u4e00-\u9fff]了(?![解结却断然当事望])(?![^，。；]*(?:后|时|的)$)")
_SLOGAN = re.compile(
    r"(?:应当?|须|必须|要|切实|不断|进一步|全面|着力)*(?:始终|时刻|一贯|自觉)?"
    r"(?:(?:把|将)[^，。；]{2,20}?(?:放在|摆在|置于)[^，。；]{0,6}(?:首位|第一位|首要|突出位置|重要位置)"
    r"|(?:增强|提高|强化|提升|树立|牢固树立|培养)[^，。；]{0,24}(?:意识|认识|观念|责任感|责任心|站位|自觉性|理念)"
    r"|(?:提高认识|统一思想|高度重视|务求|力求|力争|狠抓|严防|谨防|避免|杜绝|压实|筑牢|牢记|弘扬|发扬|倡导|珍惜)[^，。；]*)$"
)
_STAGE = re.compile(
    r"(?:第[一二三四五六七八九十\d]+)?(?!进入|启动|转入|开始|完成|结束|明确|确定)[^，。；：、（(]{0,8}(?:阶段|环节|步骤|时间安排)"
    r"(?:\s*[（(][^）)]*[）)])?[：:。]?"
)
_NOTE = re.compile(r"(?:附?注\s*\d*|备注|图例)\s*[：:]")
_PLACE = re.compile(r"(?:车间|库房?|楼|室|线|区|站|厂|装置|设施|场所)$")  # behind a verb it makes the name of a place
_COPIES = re.compile(r"(?:抄送|抄报|主送|分送|印送|印发)\s*[：:]")
_LEGEND = re.compile(r"[“\"'（(]?[^\w\s，。；：“\"'（(]{1,2}[”\"'）)]?\s*(?:表示|代表|指|为)")


def tells_no_act(sentence: str) -> bool:
    """Whether a sentence is a note, a legend, a list of who gets a copy, the title of a stage, or too long to be read.

    >>> [tells_no_act(t) for t in ("注：√表示必须检查", "抄送：各车间", "自查阶段（3月1日至10日）", "启动第二阶段")]
    [True, True, True, False]
    """
    text = sentence.strip()
    return (
        is_overlong(text)
        or any(rule.match(text) for rule in (_NOTE, _COPIES, _LEGEND))
        or _STAGE.fullmatch(text) is not None
    )


def is_state(text: str) -> bool:
    """Whether a clause that nothing binds tells how things are or what was done, not what is to be done.

    >>> [is_state(t) for t in ("仓库位于厂区东侧", "结果取决于温度", "公司介绍了经验", "了解情况", "称取样品")]
    [True, True, True, False, False]
    """
    return _STATE.search(text) is not None or _DONE.search(text) is not None or _lists_things(text)


def is_slogan(text: str) -> bool:
    """Whether words call for an attitude that nobody can carry out as a step.

    >>> [is_slogan(t) for t in ("应当始终把安全放在第一位", "要增强责任意识", "避免形式主义", "提高报警值")]
    [True, True, True, False]
    """
    return _SLOGAN.search(text) is not None


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
    named = (_PLACE.search(word + then) is not None for (word, _), then in zip(words, after, strict=True))
    plain = [tag[0] in "nrxcufbsmq" or place for (_, tag), place in zip(words, named, strict=True)]
    return all(plain) and any(tag[0] == "n" for _, tag in words)
