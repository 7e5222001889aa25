"""The dashboard in a real browser: it loads under its own policy, fits a phone, follows changes, obeys keys."""

import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from flask import Flask

from gitsched.wiring.service import Repository
from tests.cli.calling import Project
from webhook.app import close_the_door
from webhook.dashboard.pages import dashboard
from webhook.server import server_for

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
PATIENCE_S = 30
CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(not CHROMIUM or not DRIVER, reason="no chromium with its driver on PATH")


@pytest.fixture
def project(repo: Path, tmp_path: Path) -> Project:
    home = tmp_path / "beside"
    home.mkdir()
    return Project(repo, home)


@pytest.fixture
def address(project: Project) -> Iterator[str]:
    """Serve the project's dashboard."""
    ending, listed = threading.Event(), [Repository(project.repo)]
    app = Flask("webhook", static_folder=None)
    app.register_blueprint(dashboard(lambda: listed, lambda: "", ending.is_set))
    close_the_door(app)
    server = server_for(app, "127.0.0.1", 0)
    thread = threading.Thread(target=server.run)
    thread.start()
    yield f"http://127.0.0.1:{server.effective_port}/"
    ending.set()
    server.task_dispatcher.shutdown()
    server.close()
    thread.join(PATIENCE_S)


@pytest.fixture
def browser() -> Iterator[Any]:
    """Start the browser in a folder with a short name: a socket's name has an end at 108 bytes, and it makes some."""
    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    with TemporaryDirectory(prefix="b-", dir="/tmp", ignore_cleanup_errors=True) as folder:
        for flag in ("--headless=new", "--no-sandbox", f"--user-data-dir={folder}/profile"):
            options.add_argument(flag)
        service = webdriver.ChromeService(str(DRIVER), env={**os.environ, "TMPDIR": folder})
        made = webdriver.Chrome(options, service)
        yield made
        made.quit()


def wait(browser: Any, script: str) -> None:
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(browser, PATIENCE_S).until(lambda seen: seen.execute_script(f"return {script}"))


def test_it_follows_changes_obeys_keys_and_fits(project: Project, address: str, browser: Any) -> None:
    project.issues(3)
    project("enqueue", 1, 2)
    for width in (390, 1280):
        size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        browser.get(address)
        wait(browser, "document.getElementById('live').textContent === 'live'")
        assert browser.execute_script("return document.documentElement.scrollWidth") == width
    browser.execute_script("window.kept = true")
    project("pause", "--reason", "a look at the live page")
    wait(browser, "document.body.textContent.includes('a look at the live page')")
    assert browser.execute_script("return window.kept"), "the page was exchanged in place"
    body = browser.find_element("css selector", "body")
    body.send_keys("j")
    assert browser.switch_to.active_element.text == "b1"
    browser.switch_to.active_element.send_keys("\ue007")  # Enter
    wait(browser, "document.title.startsWith('b1')")
    browser.find_element("css selector", "body").send_keys("u")
    wait(browser, "location.pathname === '/'")
    assert [line for line in browser.get_log("browser") if line["level"] == "SEVERE"] == []


def two_hundred_batches(project: Project) -> None:
    """Bring as many batches of one member as that, each forming."""
    from gitsched.domain.forge import IssueDraft
    from gitsched.engine.intake.enqueue import EnqueueRequest, enqueue
    from gitsched.wiring.clone import Clone
    from gitsched.wiring.operator import tracker_of

    project.issues(1)
    clone = Clone(project.repo)
    tracker = tracker_of(clone)
    project("pause")
    for count in range(200):
        number = tracker.new_issue(IssueDraft(title=f"Work {count}"))
        asked = EnqueueRequest(issues=(number,), batch=f"w{count}", leave_open=True)
        enqueue(clone.store, clone.forge, clone.settings, asked, "ada")


@pytest.mark.long
def test_two_hundred_batches_load_in_under_a_second(
    project: Project, address: str, browser: Any, tmp_path: Path
) -> None:
    """Show 5: at the width of a phone and of a desk, from loopback; nothing is wider than the screen."""
    two_hundred_batches(project)
    for width in (390, 1280):
        size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        taken_ms = []
        for _ in range(5):
            browser.get(address)
            wait(browser, "performance.timing.loadEventEnd > 0")
            script = "return performance.timing.loadEventEnd - performance.timing.navigationStart"
            taken_ms.append(browser.execute_script(script))
        assert min(taken_ms) < 1000, taken_ms
        assert browser.execute_script("return document.documentElement.scrollWidth <= innerWidth")
        assert browser.execute_script("return document.body.textContent.includes('w199')")
        browser.save_screenshot(str(tmp_path / f"{width}.png"))
