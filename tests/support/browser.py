"""A real browser for tests: Chromium without a window, driven through a pipe (Chrome DevTools Protocol)."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
TIMEOUT_S = 60


def find_browser() -> str:
    """The browser's program; skips the test where there is none, unless this is CI."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        assert not os.environ.get("CI"), f"CI needs a browser, one of {', '.join(NAMES)}"
        pytest.skip("no Chromium here")
    return found


class Browser:
    """One page in a browser of its own. To be closed."""

    def __init__(self, profile: Path, width: int = 1200, height: int = 900, dark: bool = False) -> None:
        flags = [
            *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--mute-audio"),
            *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars"),
            *("--remote-debugging-pipe", f"--user-data-dir={profile}", f"--window-size={width},{height}"),
        ]
        there, self._in = os.pipe()
        self._out, back = os.pipe()
        # It reads commands from 3 and answers to 4, where bash puts the pipes (other shells know no number above 9).
        command = ["bash", "-c", f'exec "$0" "$@" 3<&{there} 4>&{back}', find_browser(), *flags, "about:blank"]
        self._process = subprocess.Popen(
            command, pass_fds=(there, back), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        os.close(there)
        os.close(back)
        self._buffer = b""
        self._number = 0
        self._session: str | None = None
        self.messages: list[str] = []
        targets = self.call("Target.getTargets")["targetInfos"]
        target = next(one["targetId"] for one in targets if one["type"] == "page")
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.requests: list[str] = []
        self._frame: str | None = None
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=False, flatten=True)
        if dark:
            scheme = [{"name": "prefers-color-scheme", "value": "dark"}]
            self.call("Emulation.setEmulatedMedia", features=scheme)
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command and wait for its answer."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._in, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                assert "error" not in answer, (method, answer["error"])
                found: dict[str, Any] = answer["result"]
                return found
            self._note(answer)

    def open(self, url: str) -> None:
        """Go to a page and wait until it is loaded."""
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=url)
        self.wait("document.readyState === 'complete'")

    def get(self, expression: str) -> Any:
        """The value of a JavaScript expression."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait(self, expression: str, in_frame: bool = False) -> None:
        """Wait until a JavaScript expression is true, in the page or in the frame that was opened last."""
        end = time.monotonic() + TIMEOUT_S
        while not (self.in_frame(expression) if in_frame else self.get(expression)):
            assert time.monotonic() < end, f"never true: {expression}"
            time.sleep(0.02)

    def in_frame(self, expression: str) -> Any:
        """The value of an expression in the frame that was opened last and has a process of its own; None if none."""
        self.get("0")  # a frame is heard of only while an answer is read
        page, self._session = self._session, self._frame or self._session
        try:
            return self.get(expression) if self._frame is not None else None
        finally:
            self._session = page

    def press(self, key: str, code: int, text: str = "") -> None:
        """Press a key, wherever the focus is."""
        extra = {"text": text} if text else {}
        key_of = {"key": key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", **key_of, **extra)
        self.call("Input.dispatchKeyEvent", type="keyUp", **key_of)

    def shot(self, path: Path, whole: bool = False) -> None:
        """Save a picture of the page."""
        data = self.call("Page.captureScreenshot", captureBeyondViewport=whole)["data"]
        path.write_bytes(base64.b64decode(data))

    def close(self) -> None:
        """End the browser."""
        self._session = None
        with contextlib.suppress(AssertionError, OSError):
            self.call("Browser.close")
        self._process.wait(TIMEOUT_S)
        os.close(self._in)
        os.close(self._out)

    def _read(self) -> dict[str, Any]:
        end = time.monotonic() + TIMEOUT_S
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._out], [], [], max(0.0, end - time.monotonic()))
            data = os.read(self._out, 1 << 16) if ready else b""
            assert data, "the browser does not answer"
            self._buffer += data
        line, self._buffer = self._buffer.split(b"\0", 1)
        found: dict[str, Any] = json.loads(line)
        return found

    def _note(self, event: dict[str, Any]) -> None:
        """Keep what the page complains of, and what it asks for."""
        params = event.get("params", {})
        match event.get("method"):
            case "Target.attachedToTarget" if params["targetInfo"]["type"] == "iframe":
                self._frame = params["sessionId"]
            case "Runtime.exceptionThrown":
                self.messages.append(str(params["exceptionDetails"]))
            case "Log.entryAdded" if params["entry"]["level"] in ("error", "warning"):
                self.messages.append(params["entry"]["text"])
            case "Runtime.consoleAPICalled" if params["type"] in ("error", "warning", "assert"):
                self.messages.append(str(params["args"]))
            case "Network.requestWillBeSent":
                self.requests.append(params["request"]["url"])
