"""The model that a command asks, and what it would be asked."""

from pathlib import Path
from typing import TYPE_CHECKING

from flowc import terminal
from flowc.stopping import Stop, setup_faults

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compiler.build.configuration import Configuration
    from compiler.build.scheduler import Settings
    from ir.procedure import Procedure
    from llm.choice import ModelChoice


def chosen_model(
    configuration: "Configuration",
    replay: Path | None,
    record: Path | None,
    max_cost: float | None,
    max_cost_per_document: float | None,
    prices: Path | None,
) -> "ModelChoice | None":
    """The model that `flowc compile` asks; None where none is named.

    Raises:
        BadSetting: a setting of the model is not legal.
    """
    from dataclasses import replace

    name = None if replay else configuration.text("model")
    if name is None and not (replay or record or max_cost is not None or max_cost_per_document is not None):
        return None
    return replace(
        configured_model(configuration, name), replay=replay, record=record, max_cost=max_cost,
        max_cost_per_document=max_cost_per_document, prices=prices,
    )  # fmt: skip


def configured_model(configuration: "Configuration", name: str | None) -> "ModelChoice":
    """A model with the endpoint, the options and the limits that the settings have for it.

    Raises:
        BadSetting: the time-out, the address or the key is none.
        UntrustedEndpoint: nobody has said that the key may go there.
    """
    from llm.choice import ModelChoice
    from llm.limits import Limits
    from llm.options import read_timeout

    limits = Limits(
        concurrency=configuration.count("concurrency") or Limits.concurrency,
        requests_per_minute=configuration.count("requests_per_minute"),
        tokens_per_minute=configuration.count("tokens_per_minute"),
        timeout=read_timeout(configuration.text("model_timeout") or ""),
    )
    return ModelChoice(
        name=name, base_url=configuration.text("base_url"), api_key=configuration.key(sent=name is not None),
        options=configuration.text("model_options"), limits=limits,
    )  # fmt: skip


def tell_endpoint(choice: "ModelChoice") -> None:
    """Say on stderr which endpoint is asked, if any."""
    from llm.address import OPENAI, shown_address

    if choice.name is not None:
        terminal.print_notice(f"asking {choice.name} at {shown_address(choice.base_url or OPENAI)}")


def tell_estimate(
    paths: list[Path],
    asked: "ModelChoice | None",
    chosen: "Settings",
    configuration: "Configuration",
    corrected: "Sequence[Procedure]",
    *,
    as_json: bool,
    quiet: bool,
) -> None:
    """Say what the model would be asked.

    Raises:
        Stop: none is named.
    """
    from compiler.build.estimate import estimate
    from flowc.views.model import estimate_json, print_estimate

    if asked is None or asked.name is None:
        raise Stop("--dry-run needs a model: name one with --model, without --offline and --replay", "bad-setting")
    with setup_faults(configuration), terminal.progress(quiet=quiet) as advance:
        found = estimate(paths, asked, chosen, procedures=corrected, progress=advance)
    if as_json:
        terminal.print_json(estimate_json(found))
    else:
        print_estimate(found)
