"""Somebody who works in a real browser with the keyboard alone, and waits for what the page comes to."""

import json
import os
import time
from pathlib import Path
from typing import Any

from conftest import PASSWORD, Person

LONGEST = 300
"""Seconds that anything may take on a machine that is busy with other things."""
MOST_STOPS = 400
"""How often Tab is pressed on the way to something."""


class Keyboard(Person):
    """Somebody who has a keyboard and nothing else."""

    def __init__(self, chromium: Any, address: str, language: str) -> None:
        super().__init__(chromium, address, language)
        self.page.set_default_timeout(LONGEST * 1000)

    def type(self, *keys: str) -> None:
        """Press keys, or write words where they are of more than one letter and no name of a key."""
        for one in keys:
            named = one in ("Enter", "Tab", "Escape", "ArrowDown", "Control+Enter", "Control+A") or len(one) == 1
            (self.page.keyboard.press if named else self.page.keyboard.type)(one)

    def wait(self, selector: str) -> None:
        """Wait until something is there to be seen."""
        self.page.wait_for_selector(selector)

    def picture(self, name: str, down_to: str | None = None) -> None:
        """Keep what is to be seen for the documentation, in the folder that `FLOWC_PICTURES` names.

        Args:
            down_to: what stands last in the picture; None for all that the window shows.
        """
        if folder := os.environ.get("FLOWC_PICTURES"):
            last = self.page.locator(down_to).bounding_box() if down_to else None
            size = self.page.viewport_size
            clip = {"x": 0, "y": 0, "width": size["width"], "height": last["y"] + last["height"] + 20} if last else None
            self.page.screenshot(path=Path(folder) / f"{name}.png", clip=clip)

    def until(self, holds: str) -> None:
        """Wait until an expression holds; the page's policy lets it be asked for from outside alone."""
        end = time.monotonic() + LONGEST
        while not self._holds(holds):
            assert time.monotonic() < end, holds
            self.page.wait_for_timeout(10)

    def until_at(self, field: str) -> None:
        """Wait until the keys go to a field, by its id."""
        self.until(f"document.activeElement.id === {json.dumps(field)}")

    def _holds(self, expression: str) -> bool:
        """Whether it does; not while another page is coming."""
        from playwright.sync_api import Error

        try:
            return bool(self.page.evaluate(expression))
        except Error:
            return False

    def to(self, selector: str) -> None:
        """Go to a field or button."""
        for _ in range(MOST_STOPS):
            if self._holds(f"document.activeElement.matches({json.dumps(selector)})"):
                return
            self.type("Tab")
        raise AssertionError(f"no Tab leads to {selector}")

    def enter(self, name: str, place: str) -> None:
        """Sign in on the way to a page."""
        self.page.goto(self.address + place)
        self.to("input[name=name]")
        with self.page.expect_navigation(url=f"**{place}"):
            self.type(name, "Tab", PASSWORD, "Enter")
        self.hold()

    def send(self, button: str) -> None:
        """Send a form by its button; the page that comes is held against axe as well."""
        self.to(button)
        with self.page.expect_navigation():
            self.type("Enter")
        self.hold()
