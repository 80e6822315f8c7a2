"""Fetching corpora: downloads that resume, local copies, the one cleaning all get, and checks."""

import gzip
import hashlib
import http.client
import os
import sys
import time
import urllib.error
import urllib.request
import zipfile
import zlib
from argparse import Namespace
from pathlib import Path
from typing import Dict, Iterable, List, Optional, Sequence

from script import Parser, UserMistake, WorldFailed, note, output_folder, write_lines

ATTEMPTS = 4
BLOCK = 1 << 16
TIMEOUT_SECONDS = 60
# Downloads are kept, broken ones, too.
AGAIN = "if it was downloaded, delete it and fetch it again"
# How files begin that are compressed without an ending that says so, and what unpacks them.
COMPRESSED = {
    "gzip": (b"\x1f\x8b", "gunzip"),
    "zstd": (b"\x28\xb5\x2f\xfd", "zstd -d"),
    "xz": (b"\xfd7zXZ\x00", "unxz"),
    "bzip2": (b"BZh91AY&SY", "bunzip2"),
    "zip": (b"PK\x03\x04", "unzip"),
}
# Tabs, line feeds (written as &#10;), carriage returns, byte order marks and Unicode's line separators
# would break line alignment downstream.
BLANKS = str.maketrans({letter: " " for letter in "\t\n\r\v\f\x1c\x1d\x1e\x85\ufeff\u2028\u2029"})


def corpus_parser(description: str, name: str) -> Parser:
    """The options every corpus script has."""
    parser = Parser(description)
    parser.add_argument(
        "--output", default=f"data/{name}", help="folder to write to (%(default)s)"
    )
    parser.add_argument(
        "--from",
        dest="folder",
        metavar="FOLDER",
        help=f"a local copy, or the folder that has it as {name}; nothing is downloaded",
    )
    parser.add_argument(
        "--downloads",
        default="data/downloads",
        help="where downloads are kept, with the checksum of the first one (%(default)s)",
    )
    parser.add_argument(
        "--no-check",
        action="store_true",
        help="go on when counts or checksums are not the known ones",
    )
    return parser


def corpus_options(parser: Parser, name: str) -> Namespace:
    """Parsed: `output` is there, `downloads` is the corpus's own, `folder` has the files or is
    None."""
    options = parser.parse_args()
    if options.folder is not None:
        options.folder = local_copy(Path(options.folder), name, Path(options.output))
    options.output = output_folder(options.output)
    options.downloads = Path(options.downloads) / name
    return options


def local_copy(given: Path, name: str, output: Path) -> Path:
    """The folder, or the one in it that has the corpus: not an empty one, and not the output."""
    inside = given / name
    is_copy = inside.is_dir() and any(inside.iterdir()) and inside.resolve() != output.resolve()
    return inside if is_copy else given


def sha256_of_file(path: Path) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(BLOCK), b""):
            digest.update(block)
    return digest.hexdigest()


def sha256_of_lines(lines: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for line in lines:
        digest.update(line.encode("utf-8") + b"\n")
    return digest.hexdigest()


# Downloads


def download(url: str, folder: Path, sha256: Optional[str] = None, pause: float = 2.0) -> Path:
    """The file behind `url`, in `folder`. A broken download goes on where it stopped. Where no
    checksum is known, that of the first download counts; it stands beside the file."""
    path = folder / url.rsplit("/", 1)[-1]
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(path.name + ".part")
        for attempt in range(1, ATTEMPTS + 1):
            try:
                _continue_download(url, partial)
                break
            except (OSError, http.client.HTTPException) as error:
                reason = getattr(error, "reason", None) or error
                if attempt == ATTEMPTS or _is_final(error):
                    raise WorldFailed(
                        f"cannot download {url}: {reason}; fetch it by hand and give its folder "
                        f"with --from"
                    ) from error
                note(f"{url}: {reason}; trying again")
                time.sleep(pause * attempt)
        os.replace(partial, path)
    if sha256 is None:
        _compare_with_first(path)
    elif sha256_of_file(path) != sha256:
        raise WorldFailed(
            f"{path} is not the file it should be (sha256 differs); delete {path} and fetch it "
            f"again"
        )
    return path


def _compare_with_first(path: Path) -> None:
    recorded = path.with_name(path.name + ".sha256")  # as sha256sum writes it
    now = sha256_of_file(path)
    if not recorded.exists():
        write_lines(recorded, [f"{now}  {path.name}"])
        note(f"{recorded}: has the checksum of this download; later ones must be the same")
    elif recorded.read_text().split()[:1] != [now]:
        raise WorldFailed(
            f"{path} is not the file that was downloaded first (sha256 differs from {recorded}); "
            f"delete {path} and fetch it again; delete {recorded}, too, if its home has published "
            f"another file"
        )


def _is_final(error: Exception) -> bool:
    """The server's "no such file" will not change; a time-out may. So is a missing file://."""
    return (
        isinstance(error, urllib.error.HTTPError)
        and 400 <= error.code < 500
        and error.code not in (408, 416, 429)
        or isinstance(getattr(error, "reason", None), FileNotFoundError)
    )


def _continue_download(url: str, partial: Path) -> None:
    have = partial.stat().st_size if partial.exists() else 0
    request = urllib.request.Request(url, headers={"User-Agent": "heed-data-scripts"})
    if have:
        request.add_header("Range", f"bytes={have}-")
    try:
        answer = urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS)
    except urllib.error.HTTPError as error:
        if error.code == 416:  # nothing after what is here, or a stale part: start again
            partial.unlink()
        raise
    with answer:
        if answer.headers.get_content_type() == "text/html":  # a page to log in or to click on
            raise WorldFailed(
                f"cannot download {url}: the answer is a web page; fetch the file by hand and give "
                f"its folder with --from"
            )
        if have and getattr(answer, "status", None) != 206:
            have = 0  # the server sends it all again
        length = answer.headers.get("Content-Length")
        total = have + int(length) if length else None
        with open(partial, "ab" if have else "wb") as file:
            done = _copy(answer, file, have, total, url.rsplit("/", 1)[-1])
    if total is not None and done < total:
        raise ConnectionError(f"the connection ended after {done} of {total} bytes")


def _copy(answer, file, done: int, total: Optional[int], name: str) -> int:
    shown = 0.0
    for block in iter(lambda: answer.read(BLOCK), b""):
        file.write(block)
        done += len(block)
        if sys.stderr.isatty() and time.monotonic() - shown > 0.2:
            shown = time.monotonic()
            share = f" of {total / 1e6:.1f}" if total else ""
            print(f"\r{name}: {done / 1e6:.1f}{share} MB", end="", file=sys.stderr, flush=True)
    if shown:
        print(file=sys.stderr)
    return done


# Local copies


def find_local(folder: Path, names: Sequence[str]) -> Path:
    """The first of `names` that is a file in `folder`, with or without .gz."""
    if not folder.is_dir():
        raise UserMistake(f"--from {folder}: no such folder")
    for name in names:
        plain = name[:-3] if name.endswith(".gz") else name
        for candidate in (name, plain, plain + ".gz"):
            if (folder / candidate).is_file():
                return folder / candidate
    raise UserMistake(f"--from {folder}: found none of {', '.join(names)}")


# Text


def clean(line: str) -> str:
    """Characters that can break lines become blanks, runs of blanks one, ends are trimmed."""
    return " ".join(word for word in line.translate(BLANKS).split(" ") if word)


def read_lines(path: Path) -> List[str]:
    """The lines of a UTF-8 file, plain or .gz (split_lines)."""
    try:
        opened = gzip.open(path, "rb") if path.suffix == ".gz" else open(path, "rb")
        with opened as file:
            data = file.read()
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise UserMistake(f"{path}: not a whole gzip file ({error}); {AGAIN}") from error
    except (FileNotFoundError, IsADirectoryError) as error:
        raise UserMistake(f"{path}: {error.strerror}") from error
    # Not "convert it with iconv": that would make text of the compressed bytes.
    for kind, (beginning, command) in COMPRESSED.items():
        if data.startswith(beginning):
            raise UserMistake(f"{path}: is compressed with {kind}; unpack it first ({command})")
    return split_lines(data, path)


def split_lines(data: bytes, name) -> List[str]:
    """Of UTF-8, split at line feeds alone; `name` is the file's, for errors."""
    lines = data.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    text = []
    for number, line in enumerate(lines, 1):
        try:
            text.append(line.decode("utf-8"))
        except UnicodeDecodeError as error:
            raise UserMistake(
                f"{name}:{number}: not UTF-8 (byte {error.start + 1} of the line); convert "
                "the file with iconv first"
            ) from error
    return text


def same_count(source: Sequence, target: Sequence, source_name, target_name) -> None:
    if len(source) != len(target):
        raise UserMistake(
            f"{source_name} has {len(source)} lines but {target_name} has {len(target)}; "
            f"line i of one must be the translation of line i of the other"
        )


def parallel_lines(paths: Sequence[Path]) -> List[List[str]]:
    """The cleaned lines of two files, line i of one the translation of line i of the other."""
    sides = [[clean(line) for line in read_lines(path)] for path in paths]
    same_count(*sides, *paths)
    return sides


def lines_in_zip(path: Path, names: Sequence[str]) -> List[List[str]]:
    """The lines of each of these files of an archive (split_lines)."""
    try:
        with zipfile.ZipFile(path) as archive:
            return [split_lines(archive.read(name), f"{path}/{name}") for name in names]
    except (zipfile.BadZipFile, KeyError, EOFError, zlib.error) as error:
        raise UserMistake(
            f"{path}: no archive with {', '.join(names)} ({error}); {AGAIN}"
        ) from error


def check(fine: bool, complaint: str, no_check: bool) -> None:
    """Stops at something that is not as published, or says so and goes on."""
    if fine:
        return
    if not no_check:
        raise UserMistake(f"{complaint}; --no-check goes on all the same")
    note(f"warning: {complaint}")


def write_split(folder: Path, split: str, sides: Dict[str, List[str]]) -> None:
    for language, lines in sides.items():
        write_lines(folder / f"{split}.{language}", lines)
    count = len(next(iter(sides.values())))
    print(f"{folder / split}.{{{','.join(sides)}}}: {count} lines")
