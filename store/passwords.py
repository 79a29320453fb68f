"""Passwords: kept as argon2id hashes, never as they were typed."""

from functools import cache
from typing import TYPE_CHECKING

from store.errors import BadPassword

if TYPE_CHECKING:
    from argon2 import PasswordHasher

SHORTEST, LONGEST = 10, 200
"""Characters. The longest keeps what is hashed small."""


def hashed(password: str) -> str:
    """A password as it is kept, with its salt and the cost of trying another.

    Raises:
        BadPassword: it is too short, or too long.
    """
    if not SHORTEST <= len(password) <= LONGEST:
        raise BadPassword(f"a password has {SHORTEST} to {LONGEST} characters; this one has {len(password)}")
    return _hasher().hash(password)


def matches(password: str, kept: str | None) -> bool:
    """Whether a password is the one that was kept; without one it takes as long, and is not."""
    from argon2.exceptions import InvalidHashError, VerificationError

    try:
        found = _hasher().verify(kept or _nobody(), password[: LONGEST + 1])
    except (VerificationError, InvalidHashError):
        return False
    return found and kept is not None


@cache
def _hasher() -> "PasswordHasher":
    """The parameters of RFC 9106 for machines with little memory, which are the library's own."""
    from argon2 import PasswordHasher

    return PasswordHasher()


@cache
def _nobody() -> str:
    return _hasher().hash("nobody has this password")
