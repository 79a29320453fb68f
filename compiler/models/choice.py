"""Which model a build asks, and how its answers are kept."""

from dataclasses import dataclass, field
from pathlib import Path

from compiler.errors import BadSetting
from compiler.models.protocol import Model
from compiler.models.recording import Kept, Recording, Replayed


@dataclass(frozen=True)
class ModelChoice:
    """What the settings say of the model.

    Args:
        name: the endpoint's name of it; None with `replay`.
        base_url: None for OpenAI's own.
        api_key: None for what `OPENAI_API_KEY` says.
        replay: folder of recorded answers that stand for the model; nothing is sent.
        record: folder in which answers are recorded for replay.
        max_cost: US dollars that the build may cost.
        prices: file of prices that override those of flowc.
        kept: folder of the cache and of what is known about endpoints.
        options: further fields of each request, as JSON; None for none.
        timeout: seconds to wait for an answer.
        at_once: requests that the endpoint is sent at a time, at most.
    """

    name: str | None = None
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    replay: Path | None = None
    record: Path | None = None
    max_cost: float | None = None
    prices: Path | None = None
    kept: Path | None = None
    options: str | None = None
    timeout: str = "300"
    at_once: int = 8


def open_model(choice: ModelChoice) -> Model:
    """The model that was chosen.

    Raises:
        BadSetting: what was chosen does not go together; the folder to replay is not there; no key; no price.
    """
    if choice.replay is not None:
        if choice.name is not None or choice.record is not None:
            raise BadSetting("--replay asks no model: leave out --model and --record")
        if not choice.replay.is_dir():
            raise BadSetting(f"--replay: there is no folder {choice.replay}; record one with --model NAME --record")
        return Replayed(Recording(choice.replay))
    if choice.name is None:
        raise BadSetting("--record and --max-cost need a model: name one with --model")
    return _asked(choice, choice.name)


def _asked(choice: ModelChoice, name: str) -> Model:
    """A model at an endpoint; the libraries that speak to it are loaded here."""
    from openai import OpenAIError

    from compiler.models.budget import Budget, load_prices
    from compiler.models.client import OpenAIModel
    from compiler.models.modes import KnownModes, default_folder
    from compiler.models.options import read_options, read_timeout
    from compiler.models.transport import Limits, Transport

    folder = choice.kept or default_folder()
    budget = Budget(choice.max_cost, load_prices(choice.prices).price(name))
    try:
        model = OpenAIModel(
            name, base_url=choice.base_url, api_key=choice.api_key,
            transport=Transport(Limits(concurrency=choice.at_once)), modes=KnownModes(folder), budget=budget,
            timeout=read_timeout(choice.timeout),
            options=read_options(choice.options),
        )  # fmt: skip
    except OpenAIError:
        raise BadSetting(f"--model {name}: no key; set OPENAI_API_KEY (any word where none is needed)") from None
    cached = Kept(model, Recording(folder / "answers"))
    return Kept(cached, Recording(choice.record), of_any_model=True) if choice.record is not None else cached
