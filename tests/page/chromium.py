"""Headless Chromium, driven over the DevTools protocol by a pipe: the standard library suffices."""
import base64
import contextlib
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time
import unittest

# The first one has no windows, and takes half of the processor time of the others.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find():
    """The path of a Chromium or Chrome, or None. HEED_CHROMIUM names another one."""
    named = os.environ.get("HEED_CHROMIUM")
    return named or next(filter(None, map(shutil.which, NAMES)), None)


def find_or_skip(what):
    """find(); without one the tests are skipped, as `what`, such as "the slides were", not looked at."""
    program = find()
    if not program:
        # ctest looks for this word.
        print(f"NO-CHROMIUM: {what} not looked at; install chromium", flush=True)
        raise unittest.SkipTest("no chromium, chromium-browser or google-chrome in PATH")
    return program


class Chromium:
    """One browser with one page. Use it in a `with`."""

    def __init__(self, program, seconds=60):
        self.seconds = seconds
        self.folder = tempfile.mkdtemp(prefix="heed-chromium-")
        read_end, self.out = os.pipe()  # commands
        self.into, write_end = os.pipe()  # replies and events

        def descriptors():
            # Above 4 first: one of the ends may itself be 3 or 4.
            ends = [os.dup(end) for end in (read_end, write_end)]
            while min(ends) < 5:
                ends = [os.dup(end) if end < 5 else end for end in ends]
            os.dup2(ends[0], 3, inheritable=True)
            os.dup2(ends[1], 4, inheritable=True)

        self.process = subprocess.Popen(
            [program, "--headless", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu",
             "--no-first-run", "--disable-extensions", "--disable-background-networking",
             "--disable-component-update", "--disable-dev-shm-usage", "--hide-scrollbars",
             "--force-device-scale-factor=1",
             "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
             f"--user-data-dir={self.folder}", "about:blank"],
            preexec_fn=descriptors, pass_fds=(3, 4), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(read_end)
        os.close(write_end)
        self.buffer = b""
        self.last = 0
        self.session = None
        self.requests = []  # addresses that the page asked for
        self.errors = []  # what the console showed, and exceptions
        self.loaded = False
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        with contextlib.suppress(OSError, RuntimeError):
            self.session = None
            self.call("Browser.close")
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for end in (self.out, self.into):
            os.close(end)
        shutil.rmtree(self.folder, ignore_errors=True)

    # --- the protocol

    def call(self, method, **parameters):
        """Sends a command and returns its result; events that come before it are kept."""
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        while True:
            reply = self._receive()
            if reply.get("id") != self.last:
                self._note(reply)
            elif "error" in reply:
                raise RuntimeError(f"{method}: {reply['error']['message']}")
            else:
                return reply["result"]

    def _receive(self):
        end = time.monotonic() + self.seconds
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.into], [], [], max(0, end - time.monotonic()))
            chunk = os.read(self.into, 1 << 20) if ready else b""
            if not chunk:
                raise RuntimeError("the browser closed" if ready else "the browser does not answer")
            self.buffer += chunk
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def _note(self, event):
        method, about = event.get("method"), event.get("params", {})
        if method == "Network.requestWillBeSent":
            self.requests.append(about["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            details = about["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled":
            self.errors.append(str(about["args"]))
        elif method == "Log.entryAdded" and about["entry"]["level"] == "error":
            self.errors.append(about["entry"]["text"])
        elif method == "Page.loadEventFired":
            self.loaded = True

    # --- what a person does

    def open(self, path, width=1200, height=900, dark=False, scale=1):
        """Shows a file or an address in a window of that size, in light or dark colours. `scale`: 2 for a zoom of 200 %."""
        self.loaded = False
        self._set_window(width, height, dark, scale)
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=0, y=0)
        address = str(path)
        if not address.startswith(("http://", "file://")):
            address = pathlib.Path(path).resolve().as_uri()
        self.call("Page.navigate", url=address)
        while not self.loaded:
            self._note(self._receive())
        # Until it has painted, a page gets no mouse.
        self.wait("performance.getEntriesByName('first-contentful-paint').length")
        self.painted()

    def resize(self, width, height, dark=False, scale=1):
        """Shows the same page in another window, or in other colours."""
        self._set_window(width, height, dark, scale)
        self.painted()

    def _set_window(self, width, height, dark, scale):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=scale, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def run(self, script):
        """The value of a JavaScript expression; a promise is waited for."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    def wait(self, condition):
        """Until a JavaScript expression is true."""
        end = time.monotonic() + self.seconds
        while not self.run(f"Boolean({condition})"):
            if time.monotonic() > end:
                raise RuntimeError(f"in vain waited for: {condition}")
            time.sleep(0.005)

    def painted(self):
        """Waits for the next frame."""
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def move(self, x, y):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def click(self, x, y):
        self.move(x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, key, shift=False):
        code = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "End": 35, "Home": 36,
                "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "l": 76, "t": 84}[key]
        about = {"key": key, "code": "Space" if key == " " else key, "windowsVirtualKeyCode": code,
                 "modifiers": 8 if shift else 0}
        text = {"Enter": "\r", " ": " "}.get(key)
        down = {"type": "keyDown", "text": text} if text else {"type": "rawKeyDown"}
        self.call("Input.dispatchKeyEvent", **down, **about)
        self.call("Input.dispatchKeyEvent", type="keyUp", **about)

    def type(self, text):
        """Into what has the focus."""
        self.call("Input.insertText", text=text)

    def screenshot(self, path):
        shot = self.call("Page.captureScreenshot", format="png")
        pathlib.Path(path).write_bytes(base64.b64decode(shot["data"]))
