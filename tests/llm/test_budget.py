"""Money is set aside before a request is sent; what is unknown is neither zero nor a pass."""

import threading
from itertools import pairwise
from pathlib import Path

import pytest
from test_client import ASKED, GOOD, always

from evals.chat_stub import Answer, serving
from ir.errors import BadSetting
from llm import ModelFault, Usage
from llm.budget import Accounts, Budget, Spent
from llm.client import OpenAIModel
from llm.limits import Limits
from llm.modes import KnownModes
from llm.prices import Price, load_prices
from llm.transport import Transport

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
    bomb = "a: &a [x]\n" + "".join(f"{b}: &{b} [{','.join([f'*{a}'] * 9)}]\n" for a, b in pairwise("abcdefghij"))
    for wrong in ("models: {}", "as_of: 2026-01-01\nmodels: {x: {sent: -1, received: 2}}", "[", bomb):
        file.write_text(wrong)
        with pytest.raises(BadSetting, match=r"prices\.yaml"):
            load_prices(file)


def test_a_limit_without_a_price_is_an_error() -> None:
    """Unknown is not free."""
    with pytest.raises(BadSetting, match="--prices"):
        Budget(1.0, None)


def test_what_is_set_aside_cannot_be_spent_twice() -> None:
    """What can never fit is refused at once; what may fit waits until it is known what the other came to."""
    budget, waited = Budget(3.0, PRICE), threading.Event()

    def other() -> None:
        with budget.reserved(1_000_001, 0):
            waited.set()

    with budget.reserved(1_000_000, 500_000) as one:
        with pytest.raises(ModelFault, match="spent"), budget.reserved(3_000_001, 0):
            pass
        thread = threading.Thread(target=other)
        thread.start()
        assert not waited.wait(0.05)
        one.usage = Usage(100_000, 50_000)
    thread.join(5)
    assert waited.is_set()
    assert budget.spent == Spent(calls=1, sent=100_000, received=50_000, cost=pytest.approx(0.2))


def test_many_threads_never_exceed_a_limit() -> None:
    """Each request comes to its most; as many are sent as fit, in the documents and in the build."""
    accounts = Accounts(Budget(1.0, PRICE), most_per_document=0.25)
    refused: list[ModelFault] = []

    def ask(number: int) -> None:
        try:
            with accounts.part(f"d{number % 6}").reserved(60_000, 0) as spending:
                spending.usage = Usage(60_000, 0)
        except ModelFault as fault:
            refused.append(fault)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(60)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert accounts.whole.spent.calls == 16  # 0.96 of 1.0; a document has 4 at most
    assert all(one.calls <= 4 for one in accounts.spent().values())
    assert len(refused) == 44


def test_a_part_counts_in_the_whole() -> None:
    """A document's request has to fit both sums."""
    build = Budget(1.0, PRICE)
    first, second = Budget(0.9, PRICE, build), Budget(0.9, PRICE, build)
    with first.reserved(800_000, 0) as spending:
        spending.usage = Usage(800_000, 0)
    with pytest.raises(ModelFault), second.reserved(300_000, 0):
        pass
    assert [one.spent.cost for one in (first, second, build)] == [pytest.approx(0.8), 0, pytest.approx(0.8)]


def test_an_answer_of_unknown_cost() -> None:
    """It counts at its most against a limit, and is said not to be counted; so is one that was cut off."""
    for usage, broken in ((Usage(), False), (None, True)):
        budget = Budget(1.5, PRICE)
        with budget.reserved(1_000_000, 0) as spending:
            spending.usage, spending.broken = usage, broken
        assert budget.spent == Spent(calls=1, uncounted=1)
        with pytest.raises(ModelFault, match="spent"), budget.reserved(500_001, 0):
            pass


def test_what_was_kept_is_told_apart_from_what_was_paid() -> None:
    """Its tokens count as used, in the part and in the whole; nothing is paid, also where no price is known."""
    accounts = Accounts(Budget(None, None))
    part = accounts.part("d")
    part.count_recorded(Usage(100, 20))
    assert accounts.whole.spent == part.spent == Spent(kept=1, kept_sent=100, kept_received=20)
    assert (part.spent.tokens, part.spent.cost) == (120, 0)
    with part.reserved(10, 10) as spending:
        spending.usage = Usage(7, 5)
    before = accounts.whole.spent
    assert before.tokens == 132
    part.count_recorded(Usage())
    assert accounts.whole.spent.tokens is None
    assert accounts.whole.spent.since(before).kept_uncounted == 1


def test_an_unknown_price_is_not_nothing() -> None:
    """The cost is unknown as soon as something was sent."""
    budget = Budget(None, None)
    assert budget.spent.cost == 0
    with budget.reserved(10, 10) as spending:
        spending.usage = Usage(10, 10)
    assert budget.spent.cost is None
    assert budget.spent.since(Spent()).to_json()["usd"] is None


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
        assert ask(1.0).spent.cost == pytest.approx((11 * 1 + 7 * 2) / 1e6)
