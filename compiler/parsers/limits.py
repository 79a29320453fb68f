"""How large a document may be before it is refused unread."""

from typing import Literal

from pydantic import Field

from ir.base import Model

MEBIBYTE = 1024 * 1024
Revisions = Literal["accepted", "original", "both"]  # how tracked changes of Word are read


class Limits(Model):
    """Bounds on one document.

    Args:
        bytes: size of the file.
        pages: number of pages, where the format has pages.
        unpacked_bytes: size of what a zipped format unpacks to.
        seconds, seconds_a_mebibyte, seconds_a_page: of the processor, for any file, each mebibyte and each page of it.
        patience: how many times as long reading may take by the clock, on a machine that does other things too.
        memory: bytes that reading may take besides the program itself.
        zip_ratio: unpacked to packed size; only looked at where more than `MEBIBYTE * 16` is unpacked.
    """

    bytes: int = Field(default=128 * MEBIBYTE, ge=1)
    pages: int = Field(default=3000, ge=1)
    unpacked_bytes: int = Field(default=512 * MEBIBYTE, ge=1)
    zip_ratio: float = Field(default=150, gt=1)
    seconds: float = Field(default=15, gt=0)
    seconds_a_mebibyte: float = Field(default=5, ge=0)
    seconds_a_page: float = Field(default=0.5, ge=0)
    patience: float = Field(default=20, ge=1)
    memory: int = Field(default=1024 * MEBIBYTE, ge=64 * MEBIBYTE)

    def seconds_for(self, size: int) -> float:
        """How long a file of so many bytes may take, its pages aside; only a worker process can be ended."""
        return self.seconds + self.seconds_a_mebibyte * size / MEBIBYTE
