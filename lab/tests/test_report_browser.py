"""Reports in a real browser: headless Chromium, driven by selenium.

`.ci/run` installs Debian's chromium and chromium-driver; where they are not, these are skipped.
"""

from __future__ import annotations

import shutil

import pytest
from reports import GRAPHS, row, sample

from berge_lab.report.bench import build_report
from berge_lab.report.html import write_html

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
from selenium.webdriver.support.wait import WebDriverWait  # noqa: E402

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(
    CHROMIUM is None or DRIVER is None, reason="chromium and chromedriver are not installed"
)
SWITCHES = """--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run
--disable-background-networking --disable-component-update --disable-sync --hide-scrollbars
--disable-dev-shm-usage --window-size=1300,900"""
PHONE = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    options = webdriver.ChromeOptions()
    for switch in SWITCHES.split():
        options.add_argument(switch)
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('profile')}")
    options.binary_location = CHROMIUM
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = webdriver.ChromeService(executable_path=DRIVER)
    driver = webdriver.Chrome(options=options, service=service)
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    write_html(sample(), path)
    return path


@pytest.fixture
def page(browser, file):
    """Open the sample anew, as a desktop with light colours; nothing may complain at the end."""
    scheme(browser, "light")
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.get_log("browser")
    browser.get(file.as_uri())
    yield browser
    assert browser.get_log("browser") == []


def scheme(browser, colours):
    feature = {"name": "prefers-color-scheme", "value": colours}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})


def ask(browser, script):
    """Return what an expression says once all is drawn."""
    WebDriverWait(browser, 60, 0.05).until(
        lambda browser: browser.execute_script("return document.body.dataset.drawn === 'all'")
    )
    return browser.execute_script(f"return {script}")


def plot(browser, figure, what):
    """Return something of a drawn plot, such as ``data[0].x``."""
    return ask(browser, f"document.querySelector('[data-figure=\"{figure}\"]').{what}")


def choose(browser, *graphs):
    """Check these graphs in the filter, by clicks."""
    browser.execute_script(
        "document.querySelector('.filter').open = true;"
        "for (const box of document.querySelectorAll('.filter input'))"
        "  if (box.checked !== arguments[0].includes(box.value)) box.click();",
        list(graphs),
    )


def test_every_figure_is_drawn(page):
    figures = sample().figures
    assert ask(page, "document.querySelectorAll('.js-plotly-plot').length") == len(figures)
    for figure in figures:
        assert plot(page, figure.id, "data.length") == len(figure.series)
        shape = {"bars": ".barlayer .point path", "points": ".scatterlayer .point"}
        marks = shape.get(figure.kind, ".scatterlayer .js-line")
        assert plot(page, figure.id, f"querySelectorAll('{marks}').length") > 0
    assert plot(page, "grafting/times", "querySelectorAll('path.yerror').length") == 5
    title = ask(page, "document.querySelector('h1').textContent")
    assert title == sample().title


def test_nothing_is_asked_from_the_network(page):
    assert ask(page, "performance.getEntriesByType('resource').map((entry) => entry.name)") == []


def test_graphs_are_chosen(page):
    times, scaling, profile = "grafting/times", "grafting/scaling", "gpu/profile"
    assert plot(page, times, "data[0].x") == GRAPHS
    choose(page, "road", "web")
    assert ask(page, "document.getElementById('chosen').textContent") == "2 of 3 graphs"
    assert plot(page, times, "data[0].x") == ["road", "web"]
    assert plot(page, times, "data[0].error_y.array") == pytest.approx([0.4, 0.005])
    shown = plot(page, scaling, "data.map((trace) => trace.visible)")
    assert shown == [True, False, True, True]  # mesh is gone, what was published stays
    # Shares of a profile are of the chosen graphs: a solved both, b one of them.
    assert plot(page, profile, "data[0].y") == pytest.approx([0, 0.5, 1, 1])
    assert plot(page, profile, "data[1].y") == pytest.approx([0, 0.5, 0.5])
    rows = "[...document.querySelectorAll('[data-graph]:not([hidden])')]"
    assert ask(page, f"{rows}.map((row) => row.dataset.graph)") == ["road"]
    page.execute_script("document.querySelector('[data-all=\"\"]').click()")
    assert plot(page, times, "data.some((trace) => trace.visible)") is False
    page.execute_script("document.querySelector('[data-all=\"1\"]').click()")
    assert plot(page, times, "data[0].x") == GRAPHS


def test_the_scale_is_switched(page):
    def scales():
        return [
            [plot(page, figure.id, f"_fullLayout.{axis}axis.type") for axis in "xy"]
            for figure in sample().figures
        ]

    def switch(value):
        page.execute_script(f"document.querySelector('[name=scale][value=\"{value}\"]').click()")

    drawn = [["category", "log"], ["log", "linear"], ["log", "linear"], ["linear", "linear"]]
    assert scales() == drawn
    heights = "[...document.querySelectorAll('.barlayer path')].map((p) => p.getBBox().height)"
    before = ask(page, heights)
    switch("linear")
    assert scales() == [["category", "linear"], *[["linear", "linear"]] * 3]
    assert ask(page, heights) != before
    switch("log")
    assert scales() == [["category", "log"], ["log", "log"], ["log", "linear"], ["linear", "log"]]
    switch("")
    assert scales() == drawn


def test_light_and_dark(page):
    def brightness():
        colour = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)"
        return sum(ask(page, colour)) / 3

    def grid():
        return plot(page, "grafting/scaling", "_fullLayout.xaxis.gridcolor")

    light = grid()
    assert brightness() > 200
    scheme(page, "dark")
    page.refresh()
    assert brightness() < 60
    assert grid() != light
    page.execute_script("document.querySelector('[name=theme][value=light]').click()")
    assert brightness() > 200
    assert grid() == light


def test_fits_a_phone(page, file):
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PHONE)
    page.get(file.as_uri())
    assert ask(page, "innerWidth") == PHONE["width"]
    assert ask(page, "document.documentElement.scrollWidth") == PHONE["width"]
    widest = "Math.max(...[...document.querySelectorAll('.main-svg')].map((s) => s.clientWidth))"
    assert 250 < ask(page, widest) < PHONE["width"]


def test_a_suite_of_many_settings_fits_a_phone(page, tmp_path):
    names = [f"an algorithm with a long name {k}" for k in range(20)]
    lines = [
        row(f"some-graph-{g}", name, [1.0 + k, 2.0 + k], arguments={"algorithm": name})
        for k, name in enumerate(names)
        for g in range(15)
    ]
    report = build_report(lines)
    write_html(report, tmp_path / "many.html")
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PHONE)
    page.get((tmp_path / "many.html").as_uri())
    assert ask(page, "document.querySelectorAll('.js-plotly-plot').length") == len(report.figures)
    assert ask(page, "document.documentElement.scrollWidth") == PHONE["width"]
    for figure in report.figures:  # legend and names leave room for the plot
        assert plot(page, figure.id, "_fullLayout._size.h") > 150


def test_claims_lead_to_their_figures(page):
    links = ask(page, "[...document.querySelectorAll('#claims td a')].map((a) => a.hash)")
    assert links == ["#grafting/times", "#gpu/profile"]
    assert all(ask(page, f"!!document.getElementById('{link[1:]}')") for link in links)
    verdicts = ask(page, "[...document.querySelectorAll('#claims td .chip')].map((c) => "
                   "[c.textContent, getComputedStyle(c).color])")  # fmt: skip
    assert [words for words, _ in verdicts] == ["held", "not held", "not testable here"]
    assert len({colour for _, colour in verdicts}) == 3
