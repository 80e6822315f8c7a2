"""heed as a process that is watched, disturbed and judged by how it ends."""
import atexit
import ctypes
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time

import toy


def preloadable(library):
    """Or a copy where its path has blanks or colons, which separate the libraries of LD_PRELOAD."""
    if not re.search("[ :]", str(library)):
        return library
    folder = tempfile.mkdtemp(prefix="heed-campaign-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return pathlib.Path(shutil.copy(library, folder))


SHIM = preloadable(pathlib.Path(os.environ.get("HEED_FAIL_WRITE", toy.ROOT / "build/release/libfail_write.so")))
LIBC, PR_SET_PDEATHSIG = ctypes.CDLL(None), 1
PATIENCE = 600  # seconds after which a process counts as hanging
LOGGED = re.compile(r"\[\d\d:\d\d:\d\d\] ")


def environment(extra=None):
    """The environment of every process: the CPU, no scorer but ours, none of the disturbances of the caller."""
    made = {key: value for key, value in os.environ.items() if not key.startswith("CAMPAIGN_")}
    # Threads that wait must not take the cores from those that they wait for, on a machine that does more than this.
    made.update({"CUDA_VISIBLE_DEVICES": "", "HEED_SACREBLEU": str(toy.SCORER), "TERM": "dumb",
                 "OMP_WAIT_POLICY": "passive"})
    made.update({key: str(value) for key, value in (extra or {}).items()})
    return made


def disturbed(paths, log, **what):
    """The variables of fail_write.cpp: disturbed([run], log, at=3, error=errno.ENOSPC)."""
    made = {"LD_PRELOAD": SHIM, "CAMPAIGN_LOG": log, "CAMPAIGN_PATHS": ":".join(str(path) for path in paths)}
    made.update({f"CAMPAIGN_{key.upper()}": int(value) if isinstance(value, bool) else value
                 for key, value in what.items()})
    return made


class Heed:
    """A process in a session of its own, whose output goes to a file."""

    def __init__(self, arguments, console, extra=None, limits=None, output=None):
        def prepare():
            LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # a campaign that is ended leaves nothing running
            for number, value in (limits or {}).items():
                resource.setrlimit(number, (value, value))
            if limits:
                resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        self.arguments, self.console = [str(argument) for argument in arguments], pathlib.Path(console)
        with open(self.console, "wb") as file:
            self.child = subprocess.Popen([str(toy.HEED), *self.arguments], env=environment(extra),
                                          stdin=subprocess.DEVNULL, stdout=output or file, stderr=file,
                                          start_new_session=True, preexec_fn=prepare)

    @property
    def pid(self):
        return self.child.pid

    def running(self):
        return self.child.poll() is None

    def send(self, number):
        """Sends a signal as it comes: Ctrl-C and the closing of a terminal go to the whole group, others to the process."""
        try:
            if number in (signal.SIGINT, signal.SIGHUP):
                os.killpg(self.pid, number)
            else:
                os.kill(self.pid, number)
        except ProcessLookupError:
            pass

    def stopped(self):
        try:
            stat = pathlib.Path(f"/proc/{self.pid}/stat").read_text(encoding="utf-8")
        except OSError:
            return False
        return stat[stat.rfind(")") + 2] == "T"

    def wait(self):
        """The exit status, negative for a signal; None where it hangs."""
        try:
            return self.child.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.end()
            return None

    def end(self):
        """Nothing of it stays behind."""
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.child.wait()

    def text(self):
        return self.console.read_text(encoding="utf-8", errors="replace")

    def until(self, condition, pause=0.001):
        """Waits until the condition holds: True, or False where the process ended before."""
        limit = time.monotonic() + PATIENCE
        while not condition():
            if not self.running() or time.monotonic() > limit:
                return False
            time.sleep(pause)
        return self.running()


def error_lines(text):
    return [line for line in text.splitlines() if line.startswith("heed: ")]


def complaints_about_error(text, status, expected=(1,)):
    """A failure of the world: exit code 1, and its last line, one alone, says what failed."""
    if status not in expected:
        return [f"exit status {status} instead of {' or '.join(map(str, expected))}; last lines: "
                f"{text.splitlines()[-2:]}"]
    if status == 0:
        return []
    lines = text.splitlines()
    others = [line for line in lines if not LOGGED.match(line) and not line.startswith("warning: ")]
    if len(others) != 1 or not others[0].startswith("heed: ") or lines[-1] != others[0]:
        return [f"not one line of error at the end: {others[:3]}"]
    return []


def run(arguments, console, extra=None, limits=None):
    heed = Heed(arguments, console, extra, limits)
    return heed.wait(), heed.text()
