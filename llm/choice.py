"""Which model a build asks, within which limits, and how its answers are kept."""

from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ir.errors import BadSetting
from llm.budget import Accounts, Budget
from llm.counting import CountingModel
from llm.faults import ModelFault
from llm.limits import Limits
from llm.protocol import Model
from llm.recording import ANSWERS, CachedModel, Recording, ReplayedModel

if TYPE_CHECKING:
    from llm.client import OpenAIModel

WAITING = 2
"""Documents under way for each request that may be: those that wait for another try hold no place."""


@dataclass(frozen=True)
class ModelChoice:
    """What the settings say of the model.

    Args:
        name: the endpoint's name of it; None with `replay`.
        base_url: None for OpenAI's own.
        api_key: None for what `OPENAI_API_KEY` says.
        replay: folder of recorded answers that stand for the model; nothing is sent.
        record: folder in which answers are recorded for replay.
        max_cost, max_cost_per_document: US dollars that the build, and each of its documents, may cost.
        prices: file of prices that override those of flowc.
        kept: folder of the cache and of what is known about endpoints.
        options: further fields of each request, as JSON; None for none.
        limits: what the endpoint is asked for at most, and how long an answer may take.
    """

    name: str | None = None
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    replay: Path | None = None
    record: Path | None = None
    max_cost: float | None = None
    max_cost_per_document: float | None = None
    prices: Path | None = None
    kept: Path | None = None
    options: str | None = None
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True)
class OpenedModel:
    """A model as a build uses it.

    Args:
        accounts: what it costs, by document.
        max_tasks: documents and procedures to have under way at a time.
        where: the endpoint's address, without what is secret in it, or the recording that stands for one.
        counting: it answers nothing that was not answered before; requests about an answer are counted as if what is
            found without a model were it.
    """

    model: Model
    accounts: Accounts
    max_tasks: int = 1
    where: str = ""
    counting: bool = False


def open_model(choice: ModelChoice) -> OpenedModel:
    """The model that was chosen.

    Raises:
        BadSetting: what was chosen does not go together; the folder to replay is not there; no key; no price.
    """
    if choice.replay is not None:
        if choice.name is not None or choice.record is not None:
            raise BadSetting("--replay asks no model: leave out --model and --record")
        if not choice.replay.is_dir():
            raise BadSetting(f"--replay: there is no folder {choice.replay}; record one with --model NAME --record")
        replayed = ReplayedModel(Recording(choice.replay))
        return OpenedModel(replayed, Accounts(Budget(None, None)), where=str(choice.replay))
    if choice.name is None:
        raise BadSetting("--record and --max-cost need a model: name one with --model")
    return _asked(choice, choice.name)


def open_counting(choice: ModelChoice) -> tuple[CountingModel, OpenedModel]:
    """What only counts the requests to the model that was chosen; nothing is sent and nothing is kept.

    Raises:
        BadSetting: no model is named; a limit has no price; the options are none.
    """
    from llm.client import TRIAL

    if choice.name is None:
        raise BadSetting("--dry-run needs a model: name one with --model")
    accounts, folder = _accounts(choice, choice.name), _folder(choice)
    model = _client(replace(choice, api_key=choice.api_key or "none"), choice.name, accounts)
    kept: list[tuple[Recording, str | None]] = [(Recording(folder / ANSWERS), model.name)]
    if choice.record is not None:
        kept.insert(0, (Recording(choice.record), None))
    counting = CountingModel(model.name, model.weigh, tuple(kept))
    if model.known_mode() is None:
        with suppress(ModelFault):
            counting.answer(TRIAL)
    return counting, OpenedModel(counting, accounts, counting=True)


def _asked(choice: ModelChoice, name: str) -> OpenedModel:
    """A model at an endpoint, whose answers are kept."""
    accounts = _accounts(choice, name)
    model = _client(choice, name, accounts)
    kept = CachedModel(model, Recording(_folder(choice) / ANSWERS))
    recorded = CachedModel(kept, Recording(choice.record), of_any_model=True) if choice.record is not None else kept
    return OpenedModel(recorded, accounts, choice.limits.concurrency * WAITING, model.address)


def _accounts(choice: ModelChoice, name: str) -> Accounts:
    from llm.prices import load_prices

    price = load_prices(choice.prices).price(name)
    Budget(choice.max_cost_per_document, price)  # refuses a limit without a price
    return Accounts(Budget(choice.max_cost, price), choice.max_cost_per_document)


def _folder(choice: ModelChoice) -> Path:
    from llm.modes import default_folder

    return choice.kept or default_folder()


def _client(choice: ModelChoice, name: str, accounts: Accounts) -> "OpenAIModel":
    """The model itself; the libraries that speak to an endpoint are loaded here."""
    from openai import OpenAIError

    from llm.client import OpenAIModel
    from llm.modes import KnownModes
    from llm.options import read_options
    from llm.transport import Transport

    try:
        return OpenAIModel(
            name, base_url=choice.base_url, api_key=choice.api_key, transport=Transport(choice.limits),
            modes=KnownModes(_folder(choice)), budget=accounts.whole, options=read_options(choice.options),
        )  # fmt: skip
    except OpenAIError:
        raise BadSetting(f"--model {name}: no key; set OPENAI_API_KEY (any word where none is needed)") from None
