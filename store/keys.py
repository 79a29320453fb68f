"""The key of a workspace: it signs what is published and the heads of the audit."""

import os
from pathlib import Path

import rfc8785
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)
from pydantic import JsonValue

from store.errors import BadKey


def make_key(path: Path) -> None:
    """Write a new key, which its owner alone may read."""
    key = Ed25519PrivateKey.generate()
    text = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(text)


class Key:
    """Signs and verifies.

    Raises:
        BadKey: the file is not there, or holds no ed25519 key.
    """

    def __init__(self, path: Path) -> None:
        try:
            key = load_pem_private_key(path.read_bytes(), None)
        except (OSError, ValueError, TypeError) as error:
            raise BadKey(f"{path}: {error}; restore it from a backup of the workspace") from None
        if not isinstance(key, Ed25519PrivateKey):
            raise BadKey(f"{path}: not an ed25519 key; restore it from a backup of the workspace")
        self._key = key

    @property
    def public(self) -> str:
        """The public half, in hexadecimal digits; who verifies needs no more."""
        return self._key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()

    def sign(self, value: JsonValue) -> str:
        """The signature over the canonical JSON (RFC 8785) of a value, in hexadecimal digits."""
        return self._key.sign(rfc8785.dumps(value)).hex()


def is_signed(value: JsonValue, signature: str, public: str) -> bool:
    """Whether a signature is that of the key's owner over just this value."""
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(bytes.fromhex(signature), rfc8785.dumps(value))
    except (InvalidSignature, ValueError):
        return False
    return True
