"""Where the recorded answers of a suite lie: beside each case; those on PET's texts in one folder."""

from dataclasses import replace
from pathlib import Path
from typing import Literal

from compiler.build.scheduler import Settings
from llm import ModelChoice

Way = Literal["replay", "record"]
OF_PET = Path("fixtures/pet/replies")


def with_replies(settings: Settings, way: Way | None, folder: Path) -> Settings:
    """The settings with the folder whose answers stand for the model, or in which its answers are kept.

    A model that is opened already has its folders.
    """
    if not isinstance(settings.model, ModelChoice) or way is None:
        return settings
    chosen = replace(settings.model, replay=folder) if way == "replay" else replace(settings.model, record=folder)
    return replace(settings, model=chosen)
