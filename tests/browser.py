"""A headless Chromium for the tests of pages."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGES = "chromium chromium-driver"
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def start(folder: Path) -> Iterator[Browser]:
    """A browser that keeps its profile in an empty folder. Skips where there is none; in CI that is a failure."""
    absent = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]
    if absent:
        _leave(f"no {', '.join(absent)}: install the Debian packages {PACKAGES}")
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for flag in (*FLAGS, f"--user-data-dir={folder / 'profile'}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))
    try:
        yield Browser(driver, folder)
    finally:
        driver.quit()


def _leave(reason: str) -> NoReturn:
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


class Browser:
    """The actions of tests on a page."""

    def __init__(self, driver: Any, folder: Path) -> None:
        self.driver = driver
        self.folder = folder

    def open(self, page: Path | str, *, width: int = 1280, scheme: str = "light") -> None:
        """Opens a page, a file or an address, at a width of the window [px], light or dark."""
        command = self.driver.execute_cdp_cmd
        media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        command("Emulation.setEmulatedMedia", media)
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        command("Emulation.setDeviceMetricsOverride", size)
        self.driver.get_log("browser")
        self.driver.get(page if isinstance(page, str) else page.as_uri())

    def run(self, script: str, *args: object) -> Any:
        """The result of a script."""
        return self.driver.execute_script(script, *args)

    def texts(self, selector: str) -> list[str]:
        """The visible texts of all elements that match a selector."""
        found: list[str] = self.run(
            "return [...document.querySelectorAll(arguments[0])].map((it) => it.textContent.trim())", selector
        )
        return found

    def wait(self, script: str, seconds: float = 30) -> Any:
        """The result of a script as soon as it is something; a failure where that takes too long."""
        until = time.monotonic() + seconds
        while not (found := self.run(f"return {script}")):
            assert time.monotonic() < until, f"still not: {script}; {self.errors()}"
            time.sleep(0.05)
        return found

    def violations(self) -> list[str]:
        """What axe-core finds wrong with the page for readers who cannot see it or use no mouse."""
        import axe_core_python

        self.run((Path(axe_core_python.__file__).parent / "axe.min.js").read_text())
        found = self.driver.execute_async_script(
            "const done = arguments[0]; axe.run().then((found) => done(found.violations.map((it) => `${it.id}: ${it.nodes[0].html}`)))"
        )
        return list(found)

    def click(self, selector: str) -> None:
        """A real click in the middle of the first element that matches a selector."""
        from selenium.webdriver.common.action_chains import ActionChains

        element = self.driver.find_element("css selector", selector)
        self.run("arguments[0].scrollIntoView({block: 'center'})", element)
        ActionChains(self.driver).click(element).perform()

    def choose(self, name: str, value: str) -> None:
        """Chooses one of a list by its value or its text."""
        self.run(
            """const it = document.getElementById(arguments[0]);
            it.value = [...it.options].find((one) => one.value === arguments[1] || one.textContent === arguments[1]).value;
            it.dispatchEvent(new Event("change"));""",
            name,
            value,
        )

    def keys(self, *keys: str) -> None:
        """Presses keys in the focused element."""
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.driver).send_keys(*keys).perform()

    def errors(self) -> list[str]:
        """The console's messages since the page was opened."""
        return [line["message"] for line in self.driver.get_log("browser")]

    def saved(self, selector: str, name: str) -> Path:
        """The file that a click saves."""
        folder = {"behavior": "allow", "downloadPath": str(self.folder)}
        self.driver.execute_cdp_cmd("Browser.setDownloadBehavior", folder)
        self.click(selector)
        for _ in range(200):
            if (self.folder / name).exists():
                break
            time.sleep(0.05)
        return self.folder / name
