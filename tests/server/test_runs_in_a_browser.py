"""A run in a real browser, from the page of its version to its end, with the people that it asks."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from conftest import Person
from run_site import HAZMAT, done, open_task, publish_hazmat, work

from runtime.executions import executions
from server.site import Site


@pytest.fixture
def site(site: Site, kept_password: str) -> Iterator[Site]:
    """With the first case published, while somebody carries out what there is to do."""
    publish_hazmat(site, kept_password)
    stop = threading.Event()

    def go_on() -> None:
        while not stop.wait(0.05):
            work(site)

    worker = threading.Thread(target=go_on)
    worker.start()
    yield site
    stop.set()
    worker.join()


@pytest.mark.slow
def test_a_run_from_its_start_to_its_end(site: Site, address: str, chromium: Any) -> None:
    """Begun, asked of one and approved by another, its graph followed live; every page is held against axe."""
    oda, han, dan = (Person(chromium, address, one) for one in ("en-GB", "zh-CN", "zh-CN"))
    oda.open(f"/registry/{HAZMAT}/v1")
    oda.sign_in("oda")
    oda.press("a.button.main")
    for name, value in (("shipment_id", "SHIP-1"), ("substance_name", "硫酸"), ("quantity_kg", "5000")):
        oda.page.fill(f"[id='field/{name}']", value)
    oda.page.check("[name='field/transport_mode'][value='公路']")
    oda.press("form.controls button.main")
    oda.page.wait_for_selector("[data-node=identify].is-waiting", timeout=10_000)
    oda.page.wait_for_selector("[data-part=waits] a[href^='/tasks/']", timeout=10_000)

    han.open("/tasks")
    han.sign_in("han")
    han.press("tbody th a")
    han.press("form[action$='/claim'] button")
    for name, value in (("canonical_name", "硫酸"), ("cas_number", "7664-93-9"), ("un_number", "UN1830")):
        han.page.fill(f"[id='field/entity/{name}']", value)
    han.page.check("[name='field/is_hazardous'][value='true']")
    han.press("form.controls button.main")
    oda.page.wait_for_selector("[data-node=identify].is-succeeded", timeout=10_000)
    oda.page.wait_for_selector("[data-node=level].is-waiting", timeout=10_000)
    oda.hold()
    with site.workspace.database.transaction() as connection:
        (run,) = executions(connection)
    while (task := open_task(site, run.id)).kind != "approval":
        done(site, task)

    dan.open("/tasks")
    dan.sign_in("dan")
    dan.press("tbody th a")
    dan.page.fill("[id='field/comment']", "同意")
    dan.press("button[value=true]")
    oda.page.wait_for_selector("#run[data-ended=true] [data-node=done].is-succeeded", timeout=10_000)
    oda.page.wait_for_selector("#status.run-completed", timeout=10_000)
    assert oda.page.locator("[data-node=rejected].is-skipped .state text").text_content() == "–"
    assert oda.page.locator(".edge.is-taken").count() >= 6 and "by dan" in oda.page.inner_text("[data-part=steps]")
    assert oda.page.locator("form[action$='/cancel']").count() == 0
    oda.hold()
    oda.press("a[href$='/replay']")
    assert "The same path and result as recorded" in oda.page.inner_text("main")
    oda.open(f"/runs/{run.id}/what-if")
    oda.page.check("[name='$.outputs.approve/approved'][value='false']")
    oda.press("form.controls button.main")
    assert "REFUSED" in oda.page.inner_text("main").upper()
    oda.open("/runs")
    assert oda.faults == han.faults == dan.faults == []


@pytest.mark.slow
def test_a_run_without_scripts(site: Site, address: str, chromium: Any) -> None:
    """The pages say all of it where no script runs: the form is sent, the picture stands as the run does."""
    page = chromium.new_context(java_script_enabled=False, viewport={"width": 1024, "height": 768}).new_page()
    page.goto(f"{address}/registry/{HAZMAT}/v1/start")
    page.fill("input[name=name]", "oda")
    page.fill("input[name=password]", "three old horses")
    page.click("form[action='/sign-in'] button")
    page.fill("[id='field/quantity_kg']", "5000")
    page.fill("[id='field/shipment_id']", "SHIP-1")
    page.fill("[id='field/substance_name']", "硫酸")
    page.check("[name='field/transport_mode'][value='公路']")
    page.click("form.controls button.main")
    for _ in range(50):
        if page.locator("[data-node=identify].is-waiting").count():
            break
        page.wait_for_timeout(100)
        page.reload()
    assert page.locator("[data-node=identify].is-waiting").count() == 1
    assert page.locator("[data-part=waits] a").count() == 1
