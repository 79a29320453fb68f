"""The words of Chinese policy prose: modals, verbs with what they stand for, and roles."""

import re

import rjieba

from compiler.text.lexicon import Lexicon, lexicon
from compiler.text.sentences import Piece
from ir.procedure import StepKind

PATTERN = lexicon("zh").patterns("words")

LIGHT_VERBS = ("进行", "开展", "实施", "予以", "加以", "给予", "作出")
_STATE_VERBS = ("有", "为", "是", "进行", "予以")
_ADVERBS_BEHIND = frozenset("还均都也即则一般原则上当")


class Verbs:
    """Finds the main verb of an act and what kind of act it is.

    Args:
        within: pattern of deadlines, which stand before the verb.
    """

    def __init__(self, cues: Lexicon, within: re.Pattern[str]) -> None:
        self.within = within
        self._commands = cues.pattern("commands")
        kinds: tuple[StepKind, ...] = ("approval", "check", "decision", "notify", "record", "input", "wait", "end")
        self.kinds: dict[str, StepKind] = {word: kind for kind in kinds for word in cues.words("kinds", kind)}
        self._by_object: list[tuple[StepKind, re.Pattern[str]]] = [
            (kind, cues.pattern("kinds_by_object", kind))  # type: ignore[misc]  # keys are step kinds
            for kind in cues.table("kinds_by_object")
        ]
        self.kind_words = tuple(sorted(self.kinds, key=len, reverse=True))
        told = "|".join(map(re.escape, (word for word in self.kind_words if len(word) > 1)))
        self._towards = re.compile(
            rf"^(?:[^，。；的]{{0,12}}?)(?:向|对|与|同)[^，。；]{{2,60}}?(?:的[^，。；]{{2,30}})?(?P<verb>{told})$"
        )

    def at(self, text: str) -> tuple[int, str] | None:
        """Offset and text of the main verb, after adverbs and prepositional phrases."""
        if (towards := self._towards.search(text)) is not None:  # `向…部门报告`, however long the name is
            return towards.start("verb"), towards["verb"]
        begin = self._begin(text)
        for word in self.kind_words:
            if text.startswith(word, begin):
                return begin, word
        if (again := PATTERN.again.match(text[begin:])) is not None:
            return begin, again[0]
        tokens = rjieba.tag(text[begin : begin + 24])
        if text[:begin].endswith(LIGHT_VERBS):
            at = begin
            for token, tag in tokens[:3]:
                if tag.startswith("v"):
                    return at, token
                at += len(token)
        if not tokens or not tokens[0][0].strip() or re.fullmatch(r"\W+", tokens[0][0]):
            return None
        return begin, tokens[0][0]

    def _begin(self, text: str) -> int:
        """Where the adverbs and prepositional phrases before a verb end."""
        begin = 0
        for _ in range(6):
            rest = text[begin:]
            match = PATTERN.adverb.match(rest)
            if match is None and text[:begin].endswith(("前", "后")):
                match = PATTERN.how_long.match(rest)  # `在布展日前十五个工作日提交`
            if match is None or match.end() == len(rest):
                match = PATTERN.place_or_time.match(rest) or PATTERN.light_verb.match(rest) or self.within.match(rest)
            if match is not None and match.end() > 1:
                begin += match.end()
            elif PATTERN.preposition.match(rest) and (after := self._after_preposition(text, begin)) is not None:
                begin = after
            else:
                break
        return begin

    def _after_preposition(self, text: str, begin: int) -> int | None:
        """Where the verb begins after a preposition: the first verb behind a noun that `的` does not follow."""
        at, seen_noun = begin, False
        tokens = rjieba.tag(text[begin : begin + 80])
        for position, (token, tag) in enumerate(tokens):
            following = tokens[position + 1][0] if position + 1 < len(tokens) else ""
            seen_noun = seen_noun or (position > 0 and tag[0] in "nlei" and tag != "vn")
            known = token in self.kinds or (tag[0] == "v" and token.startswith(self.kind_words))
            acts = tag == "v" or (known and tag[0] in "vn") or PATTERN.again.fullmatch(token)
            if position and seen_noun and acts and token not in _STATE_VERBS and not following.startswith("的"):
                return at
            if position and (tag == "p" or token in LIGHT_VERBS):
                return at
            at += len(token)
        return None

    def commands(self, text: str) -> bool:
        """Whether a text with nobody before it begins as the steps of operations do (`倒空废液桶`, `将样品放入…`)."""
        begin = self._begin(text)
        timed = self.within.match(text)
        handles = re.match(r"\s*(?:将|把|用|从|按)[^，。；]{3,}", text[timed.end() if timed else 0 :])
        return handles is not None or self._commands.match(text, begin) is not None

    @staticmethod
    def is_verb(word: str) -> bool:
        """Whether a text begins with a verb."""
        tags = rjieba.tag(word)
        return bool(tags) and tags[0][1].startswith("v")

    def kind(self, verb: str, rest: str) -> StepKind:
        """The kind of an act by its verb; of a light verb (`作出`) by what follows it."""
        for kind, pattern in self._by_object:
            if pattern.search(verb + rest):
                return kind
        for text in (verb, rest if verb in ("作出", "做出", "提出", "进行", "办理", "履行", "开展") else ""):
            for word in self.kind_words:
                if text.startswith(word) or (text and text is not verb and word in text):
                    return self.kinds[word]
        organised = re.search(r"(?:进行|开展)(?P<act>\S{2,})", rest)
        if organised is not None and verb in ("组织", "安排", "委托", "会同", "牵头"):
            return self.kind(organised["act"], "")
        return "record" if rest.rstrip("。；，").endswith(("归档", "存档", "备查", "登记", "备案")) else "task"


LONGEST_NAME = 10  # characters of who acts, where no ending tells


class Roles:
    """Finds who acts."""

    def __init__(self, cues: Lexicon, verbs: Verbs) -> None:
        self.cues, self.verbs = cues, verbs
        endings = cues.words("roles", "endings")
        self._endings = "|".join(map(re.escape, endings))
        self._long_names = "小组|委员会|办公室|领导小组|评审组|专家组|工作组|岗|联席会议|办公会|中心|部门负责人"
        self._not_endings = cues.words("roles", "not_endings")
        self._long_endings = tuple(word for word in endings if len(word) > 1)

    def role(self, piece: Piece) -> Piece | None:
        """The role named in a noun phrase, None where it names none that can act."""
        text = re.sub(
            r"^(?:经(?![办理营])|报(?![销名关检告账])|由|凡|则|还|并|均|都|也|但|而|且|即|及|和)", "", piece.text
        )
        offset = len(piece.text) - len(text)
        match = self.cues.pattern("temporal", "on_receipt").match(text)
        if match and match["actor"]:
            text = match["actor"]
        text = re.split(r"(?<=[人员部科组处长方])向", PATTERN.after_role.split(text)[0])[0]
        while text and text[-1] in _ADVERBS_BEHIND:
            text = text[:-1]
        if not text or len(text) > 24 or not text.endswith(self.cues.words("roles", "endings")):
            generic = [word for word in self.cues.words("roles", "generic") if piece.text.endswith(word)]
            if not generic:
                return None
            text = generic[0]
            offset = piece.text.rfind(text)
        if text in self.cues.words("light_subjects") or text.endswith(self._not_endings) or PATTERN.nobody.search(text):
            return None
        return piece.part(offset, offset + len(text))

    def subject(self, piece: Piece, *, loose: bool = False) -> tuple[Piece | None, Piece]:
        """Split `物流部核对名称` into actor and action where the actor's ending is plain.

        Args:
            loose: the words before said that an actor follows (`由`), so that a preposition may follow it too.
        """
        if (together := self.together(piece)) is not None:
            return together
        ends = self._word_ends(piece.text[:40])
        if (party := PATTERN.party.match(piece.text)) is not None and self.verbs.at(
            piece.text[party.end() :]
        ) is not None:
            return piece.part(0, party.end()), piece.part(party.end())
        for match in re.finditer(self._endings, piece.text[:26]):
            rest = piece.part(match.end())
            if match.end() < 2 or match.end() not in ends or not rest.text or rest.text.startswith(self._long_endings):
                continue
            if PATTERN.holds_an_act.search(piece.text[: match.end()]):
                continue
            if PATTERN.not_a_role.match(piece.text) or piece.text[: match.end()].endswith(self._not_endings):
                continue
            relative = match[0] == "所" and PATTERN.relative.match(rest.text)
            if relative or PATTERN.causes.match(piece.text) or rest.text[0] in "各委":
                continue
            office = match.end() > 3 and match[0] in "部处科室组局" and re.match(r"[在将对向自按应]", rest.text)
            if not loose and not office and len(match[0]) == 1 and self._acts_on(piece.text[: match.end()]):
                continue
            if self.verbs.at(rest.text) is None or self._compound(rest.text):
                continue
            named = loose or match.end() > 2 or len(match[0]) > 1
            timed = self.verbs.within.match(rest.text)
            led = named and (
                PATTERN.preposition.match(rest.text)
                or PATTERN.adverb.match(rest.text)
                or self.verbs.commands(rest.text)
            )
            if led or timed or rest.text.startswith(self.verbs.kind_words) or self.verbs.is_verb(rest.text[:4]):
                return piece.part(0, match.end()), rest
        return None, piece

    def together(self, piece: Piece) -> tuple[Piece, Piece] | None:
        """The several who do something jointly (`监护人与安全员共同检查`), as one name, and what they do."""
        match = PATTERN.together.match(piece.text)
        if match is None:
            return None
        names, begin = [], 0
        for cut in (*PATTERN.beside.finditer(match["who"]), None):
            names.append(piece.part(begin, cut.start() if cut else match.end("who")))
            begin = cut.end() if cut else begin
        found = [self.role(name) for name in names]
        whole = all(who is not None and who.text == name.text for who, name in zip(found, names, strict=True))
        rest = piece.part(match.end("who"))
        return (
            (piece.part(0, match.end("who")), rest) if whole and len(names) > 1 and self.verbs.at(rest.text) else None
        )

    def agent(self, piece: Piece) -> Piece | None:
        """Who acts in the words after `由`: a role by its ending, else what stands before the verb (`客服通知顾客`)."""
        known = self.subject(piece, loose=True)[0]
        if known is not None:
            return known
        end = 0
        for match in re.finditer(self._endings, piece.text[:26]):
            who, verb = piece.part(0, match.end()), self.verbs.at(piece.text[match.end() :])
            named = self.role(who)
            if verb is not None and verb[0] == 0 and len(verb[1]) > 1 and named is not None and named.text == who.text:
                return who
        for token, tag in rjieba.tag(piece.text[:LONGEST_NAME]):
            if tag.startswith("v") or token in self.verbs.kinds or not re.fullmatch(r"[\w·（）()]+", token):
                break
            end += len(token)
        verb = self.verbs.at(piece.text[end:]) if end > 1 else None
        return piece.part(0, end) if verb is not None and verb[0] == 0 else None

    def _compound(self, rest: str) -> bool:
        """Whether what follows a name goes on naming (`学院` in `学院评审小组召开评议会`)."""
        match = re.match(rf"[^，。；的应须可将对由]{{1,8}}?(?:{self._long_names})", rest)
        if match is None:
            return False
        behind = rest[match.end() :]
        verb = self.verbs.at(behind)
        relative = verb is not None and behind[verb[0] + len(verb[1]) :].startswith("的")
        return verb is not None and not relative and self.verbs.is_verb(behind[verb[0] : verb[0] + 4])

    def _acts_on(self, text: str) -> bool:
        """Whether a text is a verb with its object rather than a name: it begins with a verb, and has no `的`."""
        if PATTERN.named_by_act.search(text):
            return False
        token, tag = rjieba.tag(text)[0]
        ends = re.search(f"(?:{self._endings})$", token)
        named = len(text) == len(token) + 1  # `报销人`, `承运方`
        return bool(tag == "v" and len(token) > 1 and not ends and not named and "的" not in text)

    @staticmethod
    def _word_ends(text: str) -> set[int]:
        """Where the words of a text end."""
        ends, at = set[int](), 0
        for token, _tag in rjieba.tag(text):
            if PATTERN.names_run_on.fullmatch(token):
                ends.add(at + 1)
            at += len(token)
            ends.add(at)
        return ends

    def recipient(self, piece: Piece) -> Piece | None:
        """To whom something is sent, told or submitted."""
        role = rf"[^，。；的]{{1,16}}?(?:{self._endings})(?![^，。；]{{0,1}}(?:的))"
        match = re.search(str(self.cues.data["recipient"]).replace("ROLE", role), piece.text)
        return piece.part(match.start("who"), match.end("who")) if match else None

    def described(self, piece: Piece) -> Piece | None:
        """`取得许可证的经营者` on its own: the role that the rest of the clause speaks of."""
        head = piece.text.rfind("的")
        named = piece.text[head + 1 :]
        if head < 1 or len(named) > 10 or self.cues.modal(named) or any(w in named for w in self.verbs.kind_words):
            return None
        return self.role(piece.part(head + 1))
