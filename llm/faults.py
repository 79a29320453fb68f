"""Why a model gave no answer that can be used."""

from typing import Literal

FaultKind = Literal["unreachable", "refused", "cut", "malformed", "open", "unsupported", "stale", "spent", "unasked"]


class ModelFault(Exception):  # noqa: N818 - named for the fault, as the codes are
    """A request without a usable answer.

    Args:
        kind: `unreachable`: no answer came, however often it was asked for; `refused`: the endpoint does not take the
            request (key, model, quota, length), or does not answer it; `cut`: the answer ended at the limit of its
            length; `malformed`: it is not of the form; `open`: the endpoint failed so often that it is left alone for a
            while; `unsupported`: no mode of structured answers works; `stale`: what was recorded answers another
            question; `spent`: it may cost more than is left; `unasked`: requests are only counted.
        detail: what was found, without secrets.
        status: HTTP status, where there was one.
        parameter: the parameter of the request that the endpoint does not know, where it says so.
    """

    def __init__(self, kind: FaultKind, detail: str, status: int | None = None, parameter: str | None = None) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind: FaultKind = kind
        self.detail, self.status, self.parameter = detail, status, parameter
