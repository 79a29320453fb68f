"""Colours and sizes of the drawings."""

from dataclasses import dataclass, field

FONT = (
    '-apple-system, BlinkMacSystemFont, "Segoe UI", "Helvetica Neue", Arial, "Liberation Sans", "Noto Sans", '
    '"PingFang SC", "Hiragino Sans GB", "Microsoft YaHei", "Noto Sans CJK SC", "Source Han Sans SC", '
    '"WenQuanYi Micro Hei", system-ui, sans-serif'
)


@dataclass(frozen=True)
class Paint:
    """How one kind of node is coloured; its shape and icon tell it apart without colour."""

    fill: str
    stroke: str


@dataclass(frozen=True)
class Theme:
    """The colours of a drawing.

    Args:
        kinds: by kind of node (`system`, `decision`, `human`, `approval`, `call`, `end`, `unmapped`, `section`,
            `missing`).
        risks: by risk level that gets a badge.
    """

    background: str = "#ffffff"
    text: str = "#1f2933"
    muted: str = "#5c6b7a"
    line: str = "#7b8794"
    error: str = "#b42318"
    warning: str = "#b54708"
    label: str = "#344054"
    lane: str = "#f7f9fb"
    kinds: dict[str, Paint] = field(
        default_factory=lambda: {
            "system": Paint("#f3f7fc", "#3d6fa5"),
            "decision": Paint("#fff8e8", "#b07d1a"),
            "human": Paint("#eff8f3", "#2e7d5b"),
            "approval": Paint("#e3f3ea", "#1f6b4a"),
            "call": Paint("#f5f2fb", "#6b55a3"),
            "end": Paint("#f2f4f7", "#5c6b7a"),
            "unmapped": Paint("#fdf0e6", "#a34a00"),
            "section": Paint("#eef1f6", "#3b4a66"),
            "missing": Paint("#fef3f2", "#b42318"),
        }
    )
    risks: dict[str, Paint] = field(
        default_factory=lambda: {
            "medium": Paint("#fdecc8", "#8a5a00"),
            "high": Paint("#fbd9d5", "#9b1c12"),
        }
    )


LIGHT = Theme()
GREY = Theme(
    text="#000000",
    muted="#444444",
    line="#555555",
    error="#000000",
    warning="#333333",
    label="#222222",
    lane="#f4f4f4",
    kinds={kind: Paint("#ffffff", "#333333") for kind in LIGHT.kinds},
    risks={risk: Paint("#dddddd", "#000000") for risk in LIGHT.risks},
)
