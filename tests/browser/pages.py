"""The pages of ``pb.explain`` in a headless Chromium: ``make test-browser``.

It needs Chromium and its driver (Debian: ``apt-get install chromium chromium-driver``). With
``PULLBACK_PICTURES=folder`` it leaves pictures of four programs there, light and dark."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import pullback as pb
from tests.explanation.nasty_programs import CASES

FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
         "--hide-scrollbars")  # fmt: skip


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    options = Options()
    for flag in FLAGS:
        options.add_argument(flag)
    options.binary_location = shutil.which("chromium") or shutil.which("google-chrome") or ""
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    found = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    found.set_window_size(1700, 1200)
    yield found
    found.quit()


def opened(browser: Any, name: str, folder: Path) -> None:
    f, args = CASES[name]
    path = pb.explain(f, *args).save(folder / "page.html")
    browser.get(path.as_uri())


def rows(browser: Any, pane: int, text: str) -> list[Any]:
    """The rows of a listing that is seen, with a text in them."""
    panes = [p for p in browser.find_elements(By.CSS_SELECTOR, ".rows") if p.is_displayed()]
    return [r for r in panes[pane].find_elements(By.CSS_SELECTOR, "tr[data-place]")
            if text in r.text]  # fmt: skip


def marked(browser: Any, mark: str) -> list[str]:
    return [r.text for r in browser.find_elements(By.CSS_SELECTOR, f"tr.{mark}")]


def quiet(browser: Any) -> None:
    assert [e for e in browser.get_log("browser") if e["level"] == "SEVERE"] == []


def test_pointing_and_clicking(browser: Any, tmp_path: Path) -> None:
    opened(browser, "loop", tmp_path)
    (line,) = rows(browser, 0, "math.sin(v) * v")
    ActionChains(browser).move_to_element(line).perform()
    lit = marked(browser, "lit")
    assert any("sin" in t for t in lit) and any("cos" in t for t in lit)
    assert not any("exp" in t for t in lit)
    line.click()
    (core,) = rows(browser, 1, "gt ")
    ActionChains(browser).move_to_element(core).perform()
    assert set(marked(browser, "pinned")) == set(lit), "the line that was clicked stays"
    line.click()
    assert marked(browser, "pinned") == []
    quiet(browser)


def test_keys(browser: Any, tmp_path: Path) -> None:
    opened(browser, "loop", tmp_path)
    active = lambda: browser.switch_to.active_element  # it is short
    body = browser.find_element(By.TAG_NAME, "body")
    body.send_keys(Keys.TAB)
    first = active()
    assert first.tag_name == "tr" and "def loop" in first.text
    first.send_keys(Keys.ARROW_DOWN)
    assert "for v in x" in active().text
    active().send_keys(Keys.ARROW_DOWN)
    assert "if v > 0" in active().text
    active().send_keys(Keys.ENTER)
    assert any("gt " in t for t in marked(browser, "pinned"))
    active().send_keys(Keys.ARROW_RIGHT)
    assert "gt " in active().text and "bool" in active().text
    active().send_keys(Keys.ARROW_LEFT)
    assert "if v > 0" in active().text
    active().send_keys(Keys.ESCAPE)
    assert marked(browser, "pinned") == []


def test_the_choice_of_the_program(browser: Any, tmp_path: Path) -> None:
    opened(browser, "loop", tmp_path)
    assert not rows(browser, 2, "call main.rev")
    browser.find_element(By.CSS_SELECTOR, "input[value=ad]").click()
    shown = [p for p in browser.find_elements(By.CSS_SELECTOR, ".rows") if p.is_displayed()]
    assert "call main.rev" in shown[2].text


def test_the_slider(browser: Any, tmp_path: Path) -> None:
    opened(browser, "closures", tmp_path)
    shown = lambda: [c for c in browser.find_elements(By.CSS_SELECTOR, "[data-card]")
                     if c.is_displayed()]  # fmt: skip
    (card,) = shown()
    assert "the program itself" in card.text
    browser.find_element(By.ID, "stage").send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    (card,) = shown()
    assert card.text.startswith("N1") and "backpropagators" in card.text
    browser.find_element(By.CSS_SELECTOR, "button[data-step='1']").click()
    (card,) = shown()
    assert card.text.startswith("N2")


@pytest.mark.parametrize("name", ["script", "unicode", "raises"])
def test_the_users_text_is_text(browser: Any, tmp_path: Path, name: str) -> None:
    opened(browser, name, tmp_path)
    title = browser.title
    assert title.endswith("explained") and title != "owned"
    source = browser.find_element(By.CSS_SELECTOR, ".source").text
    wanted = {"script": "</script><script>document.title='owned'", "unicode": "λᵢ·größe",
              "raises": 'RuntimeError("<i>too large</i>")'}  # fmt: skip
    assert wanted[name] in source
    assert not browser.find_elements(By.TAG_NAME, "i.x, b[onmouseover]")
    quiet(browser)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["loop", "network", "tree", "exceptions"])
@pytest.mark.parametrize("width", [1700, 420])
def test_it_fits(browser: Any, tmp_path: Path, name: str, scheme: str, width: int) -> None:
    """Nothing is wider than the window, and text can be read on its ground."""
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    size = {"width": width, "height": 1200, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    opened(browser, name, tmp_path)
    root = "return document.documentElement"
    assert browser.execute_script(f"{root}.scrollWidth <= window.innerWidth")
    ground, ink = (
        browser.execute_script(f"return getComputedStyle(document.body).{what}")
        for what in ("backgroundColor", "color"))
    light = sum(map(int, ground[4:-1].split(", "))) / 3
    dark = sum(map(int, ink[4:-1].split(", "))) / 3
    assert (light > 200 > 60 > dark) if scheme == "light" else (light < 60 < 200 < dark)
    folder = os.environ.get("PULLBACK_PICTURES")
    if folder:
        size["height"] = min(browser.execute_script(f"{root}.scrollHeight"), 4000)
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        browser.save_screenshot(str(Path(folder) / f"{name}-{scheme}-{width}.png"))
