"""Money is set aside before a request is sent; what is unknown is neither zero nor a pass."""

from pathlib import Path

import pytest
from chat_stub import Answer, serving
from test_client import ASKED, GOOD, always

from compiler.errors import BadSetting
from compiler.models import ModelFault, Usage
from compiler.models.budget import Budget, Price, load_prices
from compiler.models.client import OpenAIModel
from compiler.models.modes import KnownModes
from compiler.models.transport import Limits, Transport

PRICE = Price(sent=1.0, received=2.0)


def test_prices_have_a_date_and_a_file_overrides_them(tmp_path: Path) -> None:
    """A name with a date has its model's price; a model that is not listed has none."""
    own = load_prices()
    assert own.price("gpt-4o-mini-2024-07-18") == own.models["gpt-4o-mini"]
    assert own.price("my-model") is None
    file = tmp_path / "prices.yaml"
    file.write_text("as_of: 2026-11-01\nmodels: {my-model: {sent: 1, received: 2}}\n")
    both = load_prices(file)
    assert (str(both.as_of), both.price("my-model")) == ("2026-11-01", PRICE)
    assert both.price("gpt-4o") == own.price("gpt-4o")
    for wrong in ("models: {}", "as_of: 2026-01-01\nmodels: {x: {sent: -1, received: 2}}", "["):
        file.write_text(wrong)
        with pytest.raises(BadSetting, match=r"prices\.yaml"):
            load_prices(file)


def test_a_limit_without_a_price_is_an_error() -> None:
    """Unknown is not free."""
    with pytest.raises(BadSetting, match="--prices"):
        Budget(1.0, None)


def test_what_is_set_aside_cannot_be_spent_twice() -> None:
    """While one request is under way, another that may go over the sum is not sent; afterwards it may be."""
    budget = Budget(3.0, PRICE)
    with budget.reserved(1_000_000, 500_000) as one:
        with pytest.raises(ModelFault, match="spent"), budget.reserved(1_000_001, 0):
            pass
        one.usage = Usage(100_000, 50_000)
    assert budget.spent == pytest.approx(0.2)
    with budget.reserved(1_000_000, 500_000):
        pass
    assert budget.spent == pytest.approx(0.2)


def test_a_part_counts_in_the_whole() -> None:
    """A document's request has to fit both sums."""
    build = Budget(1.0, PRICE)
    first, second = Budget(0.9, PRICE, build), Budget(0.9, PRICE, build)
    with first.reserved(800_000, 0) as spending:
        spending.usage = Usage(800_000, 0)
    with pytest.raises(ModelFault), second.reserved(300_000, 0):
        pass
    assert (first.spent, second.spent, build.spent) == (pytest.approx(0.8), 0, pytest.approx(0.8))


def test_an_answer_of_unknown_cost() -> None:
    """It is counted at its most against a limit, and makes the sum unknown where there is none."""
    for budget, spent in ((Budget(9.0, PRICE), 1.0), (Budget(None, PRICE), None)):
        with budget.reserved(1_000_000, 0) as spending:
            spending.usage = Usage()
        assert budget.spent == spent


def test_a_request_that_may_be_too_dear_is_not_sent(tmp_path: Path) -> None:
    """Nothing reaches the endpoint."""
    with serving(always(Answer(GOOD))) as stub:
        transport, modes = Transport(Limits()), KnownModes(tmp_path)

        def ask(most: float) -> Budget:
            budget = Budget(most, PRICE)
            model = OpenAIModel(
                "m", base_url=stub.url, api_key="k", transport=transport, modes=modes, budget=budget, mode="json_schema"
            )
            model.answer(ASKED)
            return budget

        with pytest.raises(ModelFault, match="spent"):
            ask(0.0001)
        assert stub.requests == []
        assert ask(1.0).spent == pytest.approx((11 * 1 + 7 * 2) / 1e6)
