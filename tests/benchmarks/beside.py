"""`heed serve` beside LibreTranslate: the same requests, model, search and processors, taking turns. serving.py says how."""

import argparse
import collections
import html
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import urllib.request

import clients
import libretranslate

LEAST_REQUESTS = 5  # per second, relative to LibreTranslate's
MOST_SECONDS = 1 / 3  # of the median answer, and of the one that 99 % do not exceed
MOST_MEMORY = 1 / 5  # resident
CLIENTS = (1, 8, 64)

Peer = collections.namedtuple("Peer", "name address number")  # a server: host and port, and its process
Figures = collections.namedtuple("Figures", "requests p50 p99 processor")  # per second; seconds; seconds for one request
HIGHER = {"requests"}  # of these more is better


def variable(text):
    """(name, value) of "NAME=VALUE"."""
    name, sign, value = text.partition("=")
    if not name or not sign:
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME=VALUE")
    return name, value


def add_options(parser):
    group = parser.add_argument_group("beside another server")
    group.add_argument("--beside", choices=["libretranslate"])
    group.add_argument("--libretranslate-python", default=sys.executable, metavar="PY", help="default: %(default)s")
    group.add_argument("--source-language", default="de")
    group.add_argument("--target-language", default="en")
    group.add_argument("--cores", type=int, default=2, help="the first so many that this process may use; default: %(default)s")
    group.add_argument("--rounds", type=int, default=3)
    group.add_argument("--line-requests", type=int, default=500, help="in each round, by each number of clients")
    group.add_argument("--page-requests", type=int, default=128)
    group.add_argument("--segments", type=int, default=12, help="sentences of a page; default: %(default)s")
    group.add_argument("--libretranslate-set", action="append", default=[], metavar="NAME=VALUE", type=variable,
                       help="a variable of its environment, such as ARGOS_INTER_THREADS=2 or LT_THREADS=8; may be repeated")
    group.add_argument("--weights", default="auto", help="those of heed: decoding.weights")
    group.add_argument("--beside-json", metavar="FILE", help="all figures of all rounds")


def with_tag(line, name, attributes=""):
    """The line with a tag around its third word, or its last one where there are fewer."""
    words = html.escape(line, quote=False).split()
    if not words:
        return ""
    at = min(2, len(words) - 1)
    words[at] = f"<{name}{attributes}>{words[at]}</{name}>"
    return " ".join(words)


def page_of(lines):
    """A page with each line once: a title, a heading, a list, a table, and paragraphs, of which every third has a word in bold and
    every third a link. As a page of an editor it has line feeds between its blocks."""
    plain = [html.escape(line, quote=False) for line in lines]
    title, heading, *rest = range(len(lines))
    items, cells, paragraphs = rest[:2], rest[2:4], rest[4:]
    out = ["<!DOCTYPE html>", '<html lang="de">',
           f'<head><meta charset="utf-8"><title>{plain[title]}</title><style>p {{ margin: 1em }}</style></head>', "<body>",
           f'<h1 class="top">{plain[heading]}</h1>', "<ul>", *(f"<li>{plain[i]}</li>" for i in items), "</ul>",
           "<table><tr>", *(f"<td>{plain[i]}</td>" for i in cells), "</tr></table>"]
    for number, i in enumerate(paragraphs):
        text = [plain[i], with_tag(lines[i], "b"), with_tag(lines[i], "a", f' href="/{i}.html"')][number % 3]
        out.append(f"<p>{text}</p>")
    return "\n".join([*out, "</body>", "</html>"])


def pages_of(lines, count, segments):
    """So many pages, each with the next lines of the text, which begins again at its end."""
    return [page_of([lines[(page * segments + i) % len(lines)] for i in range(segments)]) for page in range(count)]


def tags_in(page):
    """How often a page has each tag, by its name: "p", "/p"."""
    return collections.Counter(name.lower() for name in re.findall(r"<(/?[A-Za-z][A-Za-z0-9]*)", page))


def text_of(page):
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page)).split())


def left_alone(source, answer):
    """How many blocks of the source have the same text in the answer, of those with three words or more; and the number of all
    blocks. A model may give a sentence back as it was: what matters is the difference of two servers."""
    paragraphs = [text_of(one) for one in re.findall(r"<(?:p|li|td|h1|title)\b[^>]*>.*?</(?:p|li|td|h1|title)>", source, re.DOTALL)]
    answered = text_of(answer)
    return sum(one in answered for one in paragraphs if len(one.split()) > 2), len(paragraphs)


def figures_of(answers, processor):
    """`processor`: seconds that the server has computed for these answers."""
    return Figures(len(answers.times) / answers.seconds, clients.percentile(answers.times, 0.5),
                   clients.percentile(answers.times, 0.99), processor / len(answers.times))


def medians(rounds):
    """The medians of the rounds, of each server and of heed's relative to the other's. `rounds`: pairs of Figures, heed's first."""
    ours, theirs = (Figures(*(statistics.median(values) for values in zip(*side))) for side in zip(*rounds))
    ratios = Figures(*(statistics.median(a / b for a, b in zip(*values)) for values in
                       zip(*(zip(*side) for side in zip(*rounds)))))
    return ours, theirs, ratios


def missed(found, memory):
    """A line for each goal that was missed. `found`: {(what, clients): ratios as Figures}; `memory`: the ratio."""
    lines = []
    for (what, count), ratios in found.items():
        where = f"{what}, {count} client{'s' if count > 1 else ''}: "
        if ratios.requests < LEAST_REQUESTS:
            lines.append(f"{where}{ratios.requests:.2f} times the requests per second, less than {LEAST_REQUESTS}")
        for name, label in (("p50", "median time"), ("p99", "99th percentile")):
            if getattr(ratios, name) > MOST_SECONDS:
                lines.append(f"{where}{getattr(ratios, name):.3f} of the {label} of an answer, more than {MOST_SECONDS:.3f}")
    if memory > MOST_MEMORY:
        lines.append(f"memory: {memory:.3f} of the resident memory, more than {MOST_MEMORY:.3f}")
    return lines


def table(summaries):
    """`summaries`: {(what, clients): medians(rounds)}. Each cell: heed, LibreTranslate, ratio."""
    rows = ["| requests | clients | per second | ratio | median, ms | ratio | 99 %, ms | ratio | processor, ms | ratio |",
            "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    for (what, count), (ours, theirs, ratios) in summaries.items():
        cells = [f"{ours.requests:.1f} / {theirs.requests:.1f}", f"{ratios.requests:.1f}"]
        for name in ("p50", "p99", "processor"):
            cells += [f"{1000 * getattr(ours, name):.1f} / {1000 * getattr(theirs, name):.1f}", f"{getattr(ratios, name):.2f}"]
        rows.append(f"| {what} | {count} | " + " | ".join(cells) + " |")
    return "\n".join(rows)


def equal_share(ours, theirs):
    return sum(a == b for a, b in zip(ours, theirs, strict=True)) / len(ours)


def search_settings(args, threads):
    """What makes heed search as Argos Translate does, with so many threads."""
    return [f"decoding.beam_size={libretranslate.BEAM}", "decoding.length_penalty=power", f"decoding.alpha={libretranslate.ALPHA}",
            f"decoding.weights={args.weights}", f"threads={threads}"]


def metrics_of(peer):
    with urllib.request.urlopen(f"http://{peer.address[0]}:{peer.address[1]}/metrics", timeout=30) as answer:
        return answer.read().decode()


class Comparison:
    """Requests for both servers, and what came back."""

    def __init__(self, args, lines):
        texts = list(dict.fromkeys(line for line in lines if line.strip()))  # an answer of a moment ago might be kept
        if len(texts) < 2 * args.segments:
            raise SystemExit(f"{args.source} has {len(texts)} lines that differ; {2 * args.segments} are needed")
        kept = max(args.segments, len(texts) // 10)  # for the warm-up
        self.args, self.warm = args, texts[-kept:]
        self.lines = [texts[i % (len(texts) - kept)] for i in range(args.line_requests)]
        self.pages = pages_of(texts[:-kept], args.page_requests, args.segments)
        self.rounds = {(what, count): [] for what in ("lines", "pages") for count in CLIENTS}
        self.answers = {}

    def requests(self, peer, texts, kind):
        languages = {"source": self.args.source_language, "target": self.args.target_language}
        return [clients.request_of(peer.address, "/translate", {"q": text, **languages, "format": kind}) for text in texts]

    def ask(self, peer, texts, kind, count):
        requests, before = self.requests(peer, texts, kind), clients.processor(peer.number)
        answers = clients.ask_all(peer.address, requests, count)
        return answers, figures_of(answers, clients.processor(peer.number) - before)

    def warm_up(self, peer):
        self.ask(peer, self.warm, "text", 8)
        self.ask(peer, [page_of(self.warm[:self.args.segments])] * 2, "html", 2)

    def run(self, ours, theirs):
        for number in range(self.args.rounds):
            for (what, count), rounds in self.rounds.items():
                texts, kind = (self.lines, "text") if what == "lines" else (self.pages, "html")
                found = {}
                for peer in (ours, theirs) if number % 2 == 0 else (theirs, ours):
                    answers, found[peer.name] = self.ask(peer, texts, kind, count)
                    # What is translated together must not change what heed answers.
                    first = self.answers.setdefault((peer.name, what), answers.texts)
                    if peer is ours and first != answers.texts:
                        raise SystemExit(f"heed answered {what} in another way to {count} clients")
                rounds.append((found[ours.name], found[theirs.name]))
                print(f"round {number + 1}, {what}, {count} clients: " + ", ".join(
                    f"{name} {figures.requests:.1f}/s, {1000 * figures.p50:.1f} and {1000 * figures.p99:.1f} ms, processor "
                    f"{1000 * figures.processor:.1f} ms" for name, figures in found.items()), flush=True)

    def tell_answers(self, ours, theirs):
        """What can be said of the answers: whether all are there, and how many are the same."""
        for what, sources in (("lines", self.lines), ("pages", self.pages)):
            mine, other = self.answers[ours.name, what], self.answers[theirs.name, what]
            empty = [sum(not text.strip() for text in side) for side in (mine, other)]
            print(f"{what}: {100 * equal_share(mine, other):.1f} % of {len(sources)} answers are the same; empty: {empty[0]} of heed, "
                  f"{empty[1]} of LibreTranslate")
        for name in (ours.name, theirs.name):
            pages = self.answers[name, "pages"]
            whole = sum(tags_in(source) == tags_in(page) for source, page in zip(self.pages, pages))
            counts = [left_alone(source, page) for source, page in zip(self.pages, pages)]
            print(f"pages of {name}: {whole} of {len(pages)} have all tags of their source; "
                  f"{sum(left for left, _ in counts)} of {sum(count for _, count in counts)} sentences were not translated")


def compare(args, lines, server):
    """Measures and prints; returns a line for each goal that was missed. `server` is serving.Server."""
    python = args.libretranslate_python
    print("versions: " + ", ".join(f"{name} {version}" for name, version in libretranslate.versions(python).items()))
    cores = sorted(os.sched_getaffinity(0))[:args.cores]
    os.sched_setaffinity(0, cores)  # of the servers, too, which this process starts
    comparison = Comparison(args, lines)
    settings = [word for setting in search_settings(args, len(cores)) for word in ("--set", setting)]
    languages = ["--source-language", args.source_language, "--target-language", args.target_language]
    with tempfile.TemporaryDirectory() as folder:
        exported = os.path.join(folder, "exported")
        subprocess.run([args.heed, "--quiet", "export", args.model, "-o", exported], check=True)
        with server(args, *languages, *settings) as running, libretranslate.LibreTranslate(
                python, exported, args.source_language, args.target_language, args.libretranslate_set) as other:
            ours = Peer("heed", (running.address.hostname, running.address.port), running.process.pid)
            theirs = Peer("LibreTranslate", other.address, other.number)
            for peer in (ours, theirs):
                comparison.warm_up(peer)
            begun = [clients.memory(peer.number) for peer in (ours, theirs)]
            comparison.run(ours, theirs)
            ended = [clients.memory(peer.number) for peer in (ours, theirs)]
            comparison.tell_answers(ours, theirs)
            few = comparison.warm[:5]
            for peer in (ours, theirs):
                by_library = libretranslate.ask_with_library(python, f"http://{peer.address[0]}:{peer.address[1]}/", few,
                                                             args.source_language, args.target_language)
                same = by_library == comparison.ask(peer, few, "text", 1)[0].texts
                print(f"libretranslatepy and {peer.name}: {'the same answers' if same else 'other answers'}")
    spacy = libretranslate.memory_of_spacy(python)
    summaries = {cell: medians(rounds) for cell, rounds in comparison.rounds.items()}
    print(f"\nEach cell: heed / LibreTranslate; {len(cores)} cores, {args.rounds} rounds.\n\n{table(summaries)}\n")
    for label, (mine, other) in (("after the warm-up", begun), ("at the end", ended)):
        print(f"memory {label}: resident {mine.resident:.0f} / {other.resident:.0f} MiB, {mine.resident / other.resident:.2f}; with "
              f"shared pages divided {mine.proportional:.0f} / {other.proportional:.0f} MiB")
    # MiniSBD, the usual splitter, is loaded with either; spaCy is not.
    memory = ended[0].resident / (ended[1].resident - spacy)
    print(f"spaCy takes {spacy:.0f} MiB of LibreTranslate's; without it {memory:.2f}")
    if args.beside_json:
        pathlib.Path(args.beside_json).write_text(json.dumps(
            [{"what": what, "clients": count, "rounds": [[pair[0]._asdict(), pair[1]._asdict()] for pair in rounds]}
             for (what, count), rounds in comparison.rounds.items()]), encoding="utf-8")
    return missed({cell: ratios for cell, (_, _, ratios) in summaries.items()}, memory)
