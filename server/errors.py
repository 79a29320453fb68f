"""What the server refuses, each with a code and the next step in its message."""

from ir.errors import CompilerError


class SignInNeeded(CompilerError):  # noqa: N818 - named for the fault
    """Nobody is signed in, or the session has ended."""

    code = "sign-in-needed"


class SignInRefused(CompilerError):  # noqa: N818
    """Name and password do not go together."""

    code = "sign-in-refused"


class TooManyAttempts(CompilerError):  # noqa: N818
    """Passwords of a user were tried too often."""

    code = "too-many-attempts"


class ForeignForm(CompilerError):  # noqa: N818
    """A form does not come from a page of this server, or from one of an earlier session."""

    code = "foreign-form"


class UnknownPlace(CompilerError):  # noqa: N818
    """There is no such page, build, document or draft."""

    code = "unknown-place"


class WrongMethod(CompilerError):  # noqa: N818
    """An address is not asked in this way."""

    code = "wrong-method"


class WrongMediaType(CompilerError):  # noqa: N818
    """What was sent is not of the kind that is taken."""

    code = "wrong-media-type"


class BadForm(CompilerError):  # noqa: N818
    """A form is not filled in as it has to be."""

    code = "bad-form"


class TooLarge(CompilerError):  # noqa: N818
    """What was sent is larger than is taken."""

    code = "too-large"


class TooSlow(CompilerError):  # noqa: N818
    """What was sent did not come on in time."""

    code = "too-slow"


class BuildUnreadable(CompilerError):  # noqa: N818
    """A file of a build is not what `flowc compile` wrote."""

    code = "build-unreadable"


class Busy(CompilerError):  # noqa: N818
    """Too many builds wait already."""

    code = "busy"


class TakesTooLong(CompilerError):  # noqa: N818
    """What a correction changes was not worked out in time."""

    code = "takes-too-long"
