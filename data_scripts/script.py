"""What every data script shares: one-line errors, whole files, exit codes.

0 done, 1 the world failed, 2 the user's mistake.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path
from typing import Callable, Iterable


class UserMistake(Exception):
    """Something the user can put right; exit code 2."""


class WorldFailed(Exception):
    """The disk, the network or a server failed; exit code 1."""


class Parser(argparse.ArgumentParser):
    """Like argparse, with errors on one line."""

    def __init__(self, description: str):
        super().__init__(
            description=description, formatter_class=argparse.RawDescriptionHelpFormatter
        )

    def error(self, message: str):
        raise UserMistake(f"{message}; `{self.prog} --help` lists the options")


def whole_number(lowest: int) -> Callable[[str], int]:
    """An argparse type: an integer of at least `lowest`."""

    def parse(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = lowest - 1
        if value < lowest:
            raise argparse.ArgumentTypeError(
                f"got '{text}', expected a whole number of at least {lowest}"
            )
        return value

    return parse


def run(main: Callable[[], None]) -> None:
    """Runs a script and ends the process with its exit code."""
    try:
        main()
        sys.stdout.flush()
    except UserMistake as error:
        _end(2, error)
    except WorldFailed as error:
        _end(1, error)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        _end(1, f"{where}{error.strerror or error}")
    except KeyboardInterrupt:
        _end(1, "interrupted")


def _end(code: int, error) -> None:
    name = os.path.basename(sys.argv[0])
    print(f"{name}: {' '.join(str(error).split())}", file=sys.stderr)
    sys.exit(code)


def note(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def output_folder(name: str) -> Path:
    folder = Path(name)
    if folder.exists() and not folder.is_dir():
        raise UserMistake(f"--output {name} is a file; name a folder")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Writes the whole file or, when something fails, leaves the old one as it was."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write("".join(line + "\n" for line in lines).encode("utf-8"))
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
