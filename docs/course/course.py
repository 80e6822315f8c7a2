#!/usr/bin/env python3
"""Labs on attention: `heed course` calls this program.

A lab is a folder of labs/: handout.md, answers.txt with the questions, and files with holes. answers/ has a folder of the same
name with what is right: check.py (see grading.py) and the files without holes. README.md says how to write one.
"""
import argparse
import glob
import importlib
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from grading import SECONDS, LabError, Lab, one_line

HERE = Path(__file__).resolve().parent


def numbers_and_folders(labs):
    found = {int(folder.name.split("_")[0]): folder for folder in labs.glob("[0-9]*_*") if folder.is_dir()}
    if not found:
        raise LabError(f"{labs}: no labs, which are folders such as 1_bottleneck")
    return dict(sorted(found.items()))


def head_of(handout):
    """Title, minutes and needs of a handout: its first line, and its lines `- Minutes: N` and `- Needs: ...`."""
    text = handout.read_text()
    field = {key: value for key, value in re.findall(r"^- (Minutes|Needs): (.*)$", text, re.MULTILINE)}
    missing = [key for key in ("Minutes", "Needs") if key not in field]
    if missing or not text.startswith("# "):
        raise LabError(f"{handout}: needs a title in its first line and the lines '- Minutes: N' and '- Needs: ...'")
    return text.splitlines()[0].removeprefix("# "), field["Minutes"], field["Needs"]


def missing_paths(needs):
    """Paths in backquotes that are not there, of `needs` such as "`runs/demo` (`./run demo`, 7 minutes)"."""
    return [path for path in re.findall(r"`((?:runs|data|configs)/[^`]*)`", needs) if not Path(path).exists()]


def progress_in(course, name):
    """How much is right in the folder of a lab that was started here, as in "3 of 5 right"; "" where there is none."""
    folder = Path("labs") / name
    if not (folder / "answers.txt").is_file():
        return ""
    try:
        _, right, asked, _ = checked(course, folder)
    except LabError:  # heed course check says why
        return "begun"
    return f"{right} of {asked} right"


def list_labs(course, args):
    if args.what:
        raise LabError(f"list takes no '{args.what[0]}'; start {args.what[0]} begins a lab")
    labs = numbers_and_folders(course / "labs")
    print("lab  minutes  title")
    for number, folder in labs.items():
        title, minutes, needs = head_of(folder / "handout.md")
        lacking = ", ".join(missing_paths(needs))
        notes = [progress for progress in [progress_in(course, folder.name)] if progress]
        notes += [f"lacks {lacking}: ./run demo"] if lacking else []
        print(f"{number:3}  {minutes:>7}  {title.split('. ', 1)[-1]}" + (f" ({'; '.join(notes)})" if notes else ""))
    print("heed course start 1 begins the first one")


def lab_of(course, word):
    labs = numbers_and_folders(course / "labs")
    if not re.fullmatch("[0-9]{1,9}", word) or int(word) not in labs:
        raise LabError(f"no lab '{one_line(word, 40)}'; the labs are {min(labs)} to {max(labs)}: heed course")
    return labs[int(word)]


def as_html(title, text):
    """The handout as a page, or None without the package that makes it."""
    try:
        markdown = importlib.import_module("markdown")
    except ImportError:
        return None
    style = ("body{max-width:46rem;margin:2rem auto;padding:0 1rem;font:18px/1.55 system-ui,sans-serif;"
             "color-scheme:light dark}pre{padding:.8rem;white-space:pre-wrap;border:1px solid #8888;border-radius:6px}"
             "code{font-size:.9em}td,th{padding:.2rem .8rem;text-align:left}img{max-width:100%}")
    body = markdown.markdown(text, extensions=["fenced_code", "tables"])
    return (f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width">\n'
            f"<title>{title}</title>\n<style>{style}</style>\n{body}\n</html>\n")


def start(course, args):
    if len(args.what) != 1:
        raise LabError("start needs the number of one lab: heed course start 1")
    source = lab_of(course, args.what[0])
    title, _, needs = head_of(source / "handout.md")
    folder = Path(args.output or f"labs/{source.name}")
    if folder.exists() and any(folder.iterdir()):
        raise LabError(f"{folder}: is there already; choose another folder with -o, or delete it to begin again")
    # A new folder comes whole, or not at all.
    place = folder.resolve()
    made = place.with_name(f".{place.name}.tmp.{os.getpid()}")
    for left in place.parent.glob(f".{glob.escape(place.name)}.tmp.*"):  # of a command that was killed
        shutil.rmtree(left, ignore_errors=True)
    try:
        made.mkdir(parents=True)
        for item in source.iterdir():  # without the modes: an installed lab may be read-only
            copy = shutil.copyfile if item.is_file() else shutil.copytree
            copy(item, made / item.name)
        text = (made / "handout.md").read_text().replace(f"labs/{source.name}", folder.as_posix())
        (made / "handout.md").write_text(text)
        page = as_html(title, text)
        if page:
            (made / "handout.html").write_text(page)
        if folder.exists():  # it is empty, and may be where somebody stands
            for item in made.iterdir():
                item.rename(folder / item.name)
        else:
            made.rename(place)
    finally:
        shutil.rmtree(made, ignore_errors=True)
    handout = folder / "handout.md"
    if not page:
        print("No handout.html: that takes Python's package markdown (pip install markdown)", file=sys.stderr)
    if missing_paths(needs):
        print(f"Not here yet, and needed: {needs}", file=sys.stderr)
    pages = f"{handout} (or {handout.with_suffix('.html').name} in a browser)" if page else handout
    print(f"{folder}: read {pages}, fill in {folder / 'answers.txt'}, then heed course check {args.what[0] if not args.output else folder}")


def checked(course, folder, show=False):
    """What a lab's check says of a student's folder: (text, right, questions, number). `show`: with the right answers."""
    if not (folder / "answers.txt").is_file():
        raise LabError(f"{folder}: no folder of a lab, it has no answers.txt; heed course start makes one")
    name = Lab(folder).answers.get("lab")
    if name is None:
        raise LabError(f"{folder / 'answers.txt'}: has no line 'lab = N', which says which lab it is")
    try:
        lab = lab_of(course, name)
    except LabError as error:
        raise LabError(f"{folder / 'answers.txt'}: {error}") from error
    solved = course / "answers" / lab.name
    # A process of its own: whatever happens to it, the others are graded.
    command = [sys.executable, "-B", "-X", "utf8", str(HERE / "grading.py"), str(solved / "check.py"), str(folder)]
    try:
        done = subprocess.run(command + ["--answers"] * show, capture_output=True, text=True, timeout=2 * SECONDS, check=False,
                              stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired as late:
        raise LabError(f"{folder}: its check did not end within {2 * SECONDS} seconds; is one of its files very long?") from late
    count = re.search(r"^(\d+) of (\d+) right\n\Z", done.stdout, re.MULTILINE)
    if not count:
        raise LabError(f"{folder}: {solved / 'check.py'} failed: {one_line((done.stderr.strip().splitlines() or ['no message'])[-1])}")
    return done.stdout, int(count[1]), int(count[2]), int(lab.name.split("_")[0])


def check(course, args):
    if not args.what:
        raise LabError("check needs a lab's number or folder: heed course check 1")
    right = True
    for word in args.what:
        folder = Path("labs") / lab_of(course, word).name if word.isdecimal() else Path(word)
        text, good, count, _ = checked(course, folder, args.answers)
        print(f"{folder}\n{text}", end="")
        right = right and good == count
    return 0 if right else 1


def grade(course, args):
    """One row for each folder of a student, one column for each lab."""
    if not args.what:
        raise LabError("grade needs the folders of students, each with folders of labs in it: heed course grade class/*")
    labs = numbers_and_folders(course / "labs")
    rows = []
    for student in map(Path, args.what):
        if not student.is_dir():
            raise LabError(f"{student}: no such folder")
        points = {}
        for answers in sorted(student.glob("**/answers.txt")):
            try:
                *right, number = checked(course, answers.parent)[1:]
            except (LabError, OSError, UnicodeDecodeError) as error:  # the others are graded all the same
                print(f"heed: course: {error}", file=sys.stderr)
                continue
            if number in points:
                print(f"heed: course: {student}: has lab {number} twice; the better one counts", file=sys.stderr)
            points[number] = max(points.get(number, tuple(right)), tuple(right))
        rows.append((student.resolve().name, points))
    width = max(len("student"), *(len(name) for name, _ in rows))
    print("student".ljust(width) + "".join(f"{number:>7}" for number in labs) + "    all")
    for name, points in rows:
        cells = [f"{points[number][0]}/{points[number][1]}" if number in points else "-" for number in labs]
        print(name.ljust(width) + "".join(f"{cell:>7}" for cell in cells) + f"{sum(p[0] for p in points.values()):>7}")


ACTIONS = {"list": list_labs, "start": start, "check": check, "grade": grade}


def main():
    parser = argparse.ArgumentParser(prog="heed course")
    parser.add_argument("action", choices=ACTIONS)
    parser.add_argument("what", nargs="*")
    parser.add_argument("-o", "--output")
    parser.add_argument("--answers", action="store_true")
    parser.add_argument("--course", default=str(HERE))
    args = parser.parse_args()
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # heed has it wait while Python starts
        return ACTIONS[args.action](Path(args.course), args)
    except BrokenPipeError:  # | head
        return 1
    except KeyboardInterrupt:
        print("heed: course: interrupted", file=sys.stderr)
        return 1
    except (LabError, OSError, UnicodeDecodeError) as error:
        print(f"heed: course: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
