#!/usr/bin/env python3
"""Inputs that somebody could give heed by mistake, or on purpose: numbers, glossaries, documents, corpora of other forms
and requests to its server, drawn anew at every call (in ctest: by a fixed seed).

    python3 tests/campaign/attacks.py --rounds 500     the whole campaign
    python3 tests/campaign/attacks.py --quick          the quick one of ctest
    python3 tests/campaign/attacks.py --seed 17 --round 4

Every command ends in time, and well or with one line of error that names what is wrong; no crash, no bug (exit code 70).
Where it ends well, nothing is lost: as many lines as the input has, a document that can be read again. A server goes on
answering, gives every request an answer in JSON, and a plain request what it gave at first.
"""
import bz2
import gzip
import http.client
import json
import pathlib
import re
import resource
import signal
import sys

import arguments
import process
import rounds
import table
import toy

QUICK = 15
SECONDS = 60  # of the processor, for one command
SEEDS = toy.ROOT / "tests/fuzz/seeds/document"
ENDINGS = {"markdown": "md", "microdvd": "sub", "xliff2": "xliff", "subviewer": "sbv"}  # of seeds whose folder has another name

NUMBERS = ["", " ", "0", "-0", "+1", "-1", "1.", ".5", "1e", "1e3", "1e309", "1e-400", "nan", "inf", "-inf", "0x10", "1_000", "1,5", "1 000", "٣", "−1",
           "½", "1e+", "--", "true", "null", "~", "18446744073709551615", "18446744073709551616", "9223372036854775807", "9223372036854775808",
           "-9223372036854775809", "2147483648", "4294967297", "0.1e1", "1.0", "1.5", "0.30000000000000004", "7" * 5000, "0." + "3" * 5000, "1" + "0" * 400]
FLAGS = (("translate", "--beam"), ("translate", "--n-best"), ("translate", "--batch"), ("translate", "--min-weight"), ("translate", "--layer"),
         ("translate", "--head"), ("clean", "--ratio"), ("clean", "--most-nats"), ("vocab", "--size"), ("vocab", "--coverage"), ("noise", "--seed"),
         ("serve", "--port"), ("serve", "--queue"), ("serve", "--timeout"), ("serve", "--max-body"), ("contrast", "--require"), ("course", "check"))
KEYS = ("decoding.beam_size", "decoding.max_length_ratio", "decoding.max_length_extra", "decoding.length_penalty_alpha", "decoding.batch_size", "decoding.n_best",
        "decoding.min_length", "decoding.no_repeat_ngram", "decoding.word_penalty", "decoding.sampling.top_p", "decoding.sampling.top_k",
        "decoding.sampling.temperature", "decoding.mbr", "decoding.max_source_length", "threads", "seed", "model.width", "model.heads", "training.updates",
        "training.learning_rate", "training.batch_size", "data.max_length", "evaluation.bootstrap", "evaluation.length_buckets")
LETTERS = ["a", "b", "ab", " ", "  ", "\t", "\r", "\n", "\r\n", "\0", "\x1b[2J", "\x0b", "\x85", "\u2028", "\ufeff", "\u200b", "\u202e", "\u0301", "é", "e\u0301", "ß",
           "İ", "ﬁ", "Ｗ", "我", "ا", "😀", "👍🏽", "\ud800", "\udcff", "#", "\"", "'", "|||", "<b>", "</b>", "&amp;", "&#0;", "X1", "%s", "{0}", "http://a.b", "1.000,5"]
# Pieces of which documents are made, besides those of the seeds.
MARKS = ["<", ">", "</", "/>", "<!--", "-->", "<![CDATA[", "]]>", "<?", "?>", "&", ";", "\"", "'", "[", "]", "(", ")", "{", "}", "`", "```", "~~~", "*", "**", "_", "#", "|", "|-|", "---",
         "+++", "\\", "\\N", "{\\", "-->", "00:00:01,000 --> 00:00:02,000", "{1}{2}", "msgid", "msgstr", "msgctxt", "\"\"", "#~", "#:", "#, fuzzy", ",", ";", "\t", ":", "{\"a\":", "null", "1e999", "\\u0000", "\\ud800",
         "translate=\"no\"", "<g id=\"1\">", "<x id=\"1\"/>", "<ph>", "<seg>", "<source>", "<target/>", "Dialogue: ", "[Events]", "WEBVTT", "NOTE", "\n", "\n\n", "\r\n", "\r", " ", "    "]


def encoded(text):
    return text.encode("utf-8", errors="surrogatepass")


class Attack(rounds.DrawnRound):
    name = "attacks"

    def __init__(self, index, work, seed):
        super().__init__(index, work, seed, ["rnn", "transformer_best_accumulate"])
        self.attempts = 0

    def kinds(self):
        return self.number, self.glossary, self.document, self.corpus, self.requests

    def file(self, name, data):
        path = self.folder / name
        path.write_bytes(data if isinstance(data, bytes) else encoded(data))
        return path

    def text(self, pieces, most):
        return "".join(self.draw.choices(pieces, k=self.draw.randint(0, most)))

    def run(self, arguments, named=""):
        """Runs a command and judges how it ends. Returns whether it ended well."""
        self.attempts += 1
        heed = process.Heed(arguments, self.folder / f"console-{self.attempts}", {"OMP_NUM_THREADS": "1"}, limits={resource.RLIMIT_CPU: SECONDS})
        status, said = heed.wait(), heed.text()
        found = process.complaints_about_error(self.errors(said), status, expected=(0, 1, 2))
        if status in (1, 2) and named and named not in said:
            found.append(f"does not name {named}: {said.splitlines()[-1:]}")
        self.complaints += [f"{' '.join(heed.arguments)[:300]}: {text}" for text in found]
        return status == 0

    @staticmethod
    def errors(said):
        """What is no product: tables and translations stand on standard output, which has the same file."""
        lines = said.splitlines()
        return "\n".join(line for line in lines if process.LOGGED.match(line) or line.startswith(("heed: ", "warning: ")))

    def number(self):
        value = self.draw.choice(NUMBERS)
        if self.draw.random() < 0.3:
            value += self.draw.choice(LETTERS).replace("\0", "").encode("utf-8", errors="ignore").decode()
        if self.draw.random() < 0.5:
            command, option = self.draw.choice(FLAGS)
            test, train = self.corpora / "test.src", self.corpora / "train.src"
            rest = {"translate": [self.model, test, "-o", self.folder / "out"], "clean": [test, self.corpora / "test.tgt"], "noise": [test],
                    "vocab": [train, "-o", self.folder / "spm"], "serve": [self.folder / "no-model"],
                    "contrast": [self.model, "--source", test, "--right", self.corpora / "test.tgt", "--wrong", test], "course": []}[command]
            self.run([command, *rest, option, value] if command == "course" else [command, *rest, f"{option}={value}"])
            return "a number of an option"
        key = self.draw.choice(KEYS)
        self.run(["config", self.file("run.yaml", toy.config_text("rnn", self.corpora, self.folder / "run")), "--set", f"{key}={value}"], key.split(".")[-1])
        return "a number of a key"

    def glossary(self):
        words = [*toy.WORDS, *LETTERS, "\t", "\t", "\n", "\n"]
        terms = self.file("terms", self.text(words, self.draw.choice([3, 30, 3000])))
        lines = [self.text(toy.WORDS + [" "], 12) for _ in range(self.draw.randint(1, 20))]
        source, out = self.file("source", "\n".join(lines) + "\n"), self.folder / "out"
        whole = self.draw.choice(["true", "false"])
        if self.run(["translate", self.model, source, "-o", out, "--glossary", terms, "--set", f"decoding.glossary_whole_words={whole}"], str(terms)):
            if out.read_bytes().count(b"\n") != len(lines):
                self.complaints.append(f"{out.read_bytes().count(bytes([10]))} lines for {len(lines)}")
        self.run(["evaluate", "--glossary", terms, "--source", source, "--hypothesis", source, "--reference", source])
        return "a glossary"

    def document(self):
        folder = self.draw.choice(sorted(SEEDS.iterdir()))
        name = (folder.name if folder.is_dir() else folder.stem or folder.name).split("_")[0]  # html_template
        data = (self.draw.choice(sorted(folder.iterdir())) if folder.is_dir() else folder).read_bytes()
        for _ in range(self.draw.randint(0, 6)):
            at, piece = self.draw.randint(0, len(data)), encoded(self.text(MARKS + LETTERS, 4))
            change = self.draw.random()
            if change < 0.5:
                data = data[:at] + piece * self.draw.choice([1, 1, 1, 2, 50]) + data[at:]
            elif change < 0.8:
                data = data[:at] + data[at + self.draw.randint(0, 20):]
            else:
                other = self.draw.randint(0, len(data))
                data = data[:at] + data[min(at, other):max(at, other)] + data[at:]
        if self.draw.random() < 0.1:
            data = data.decode("utf-8", errors="replace").encode(self.draw.choice(["utf-16", "utf-16-le", "utf-32", "cp1252", "utf-8-sig"]), errors="replace")
        ending = ENDINGS.get(name, name)
        source, out = self.file(f"in.{ending}", data), self.folder / f"out.{ending}"
        table_ = ["--column", "1"] if ending in ("csv", "tsv") else ["--column", "text"] if ending == "jsonl" else []
        if self.run(["translate", self.model, source, "--document", ending, *table_, "-o", out, "--beam", "1"], str(source) if not table_ else ""):
            if ending not in ("csv", "tsv", "jsonl"):
                self.attempts += 1
                status, said = process.run(["translate", self.model, out, "--document", ending, "--beam", "1"], self.folder / f"console-{self.attempts}")
                if status != 0 and "language" not in said:
                    self.complaints.append(f"the document that was written cannot be read: {said.splitlines()[-1:]}")
        return f"a document, {ending}"

    def corpus(self):
        good = [self.text(toy.WORDS + [" "], 8).strip() or "a" for _ in range(self.draw.randint(1, 60))]
        odd = [self.text(toy.WORDS + LETTERS, 10) if self.draw.random() < 0.3 else line for line in good]
        text = encoded(self.draw.choice(["\n", "\n", "\r\n", "\r", "\u2028", "\0"]).join(odd) + self.draw.choice(["\n", ""]))
        form = self.draw.choice(["plain", "gz", "two gz", "cut gz", "bz2", "zst", "tsv", "utf-16", "folder", "jsonl", "empty", "blank"])
        plain = text.decode("utf-8", errors="replace")
        data = {"gz": gzip.compress(text), "two gz": gzip.compress(text) * 2, "cut gz": gzip.compress(text)[:self.draw.randint(1, 60)], "bz2": bz2.compress(text),
                "zst": b"\x28\xb5\x2f\xfd" + text[:9], "tsv": encoded("".join(f"{line}\t{line}\n" for line in odd)), "utf-16": plain.encode("utf-16"),
                "jsonl": encoded("".join(json.dumps({"translation": {"de": line, "en": line}}) + "\n" for line in good)), "empty": b"", "blank": b"\n" * len(good)}
        name = "odd." + {"gz": "gz", "two gz": "gz", "cut gz": "gz", "bz2": "bz2", "zst": "zst", "tsv": "tsv", "jsonl": "jsonl"}.get(form, "de")
        first, second = self.file(name, data.get(form, text)), self.file("even.en", "\n".join(good) + "\n")
        if form == "folder":
            first.unlink()
            first.mkdir()
        pair = [first, second] if self.draw.random() < 0.7 else [second, first]
        self.run(self.draw.choice([
            ["clean", *pair, "--remove", "duplicates,empty,identical,ratio,script,encoding,copied,repetition,numbers,language,words", "-o", self.folder / "kept"],
            ["doctor", *pair], ["init", *pair, "-o", self.folder / "made.yaml", "--data", self.folder / "parts", "--valid", "1", "--test", "1"],
            ["vocab", *pair, "--size", "40", "-o", self.folder / "spm"], ["score", self.model, *pair], ["noise", first],
            ["evaluate", "--hypothesis", pair[0], "--reference", pair[1], "--words"], ["translate", self.model, first, "-o", self.folder / "out"],
            ["align", self.model, "--source", pair[0], "--target", pair[1]], ["lengths", "--hypothesis", f"a={pair[1]}", "--source", pair[0], "--reference", pair[1]]]))
        return f"a corpus, {form}"

    def value(self, depth=0):
        """Any value of JSON, as bytes."""
        kind = self.draw.randrange(8 if depth < 4 else 6)
        if kind == 0:
            return encoded(self.draw.choice([number for number in NUMBERS if number] + ["true", "false", "null", "NaN"]))
        if kind < 6:
            text = self.text(toy.WORDS + LETTERS, self.draw.choice([1, 5, 40]))
            return encoded(json.dumps(text, ensure_ascii=self.draw.random() < 0.5))
        items = [self.value(depth + 1) for _ in range(self.draw.randint(0, 4))]
        if kind == 6:
            return b"[" + b",".join(items) + b"]"
        return b"{" + b",".join(b'"%d":' % number + item for number, item in enumerate(items)) + b"}"

    def request(self):
        """(method, path, body, headers)."""
        path = self.draw.choice(["/translate", "/translate", "/attention", "/steps", "/candidates", "/translate_file", "/detect", "/languages", "/health", "/nothing", "/translate/../x"])
        fields = [b'"q":' + self.draw.choice([b'"a b"', self.value()])]
        for name in ("source", "target", "format", "keep", "glossary", "prefix", "count", "alternatives", "kind", "n_best", "flags"):
            if self.draw.random() < 0.2:
                fields.append(b'"%s":' % name.encode() + self.value())
        self.draw.shuffle(fields)
        body = b"{" + b",".join(fields) + b"}"
        chance = self.draw.random()
        if chance < 0.15:
            body = body[:self.draw.randint(0, len(body))]
        elif chance < 0.25:
            body = self.value()
        elif chance < 0.3:
            body = b"[" * self.draw.choice([10, 1000, 100_000])
        kind = self.draw.choice(["application/json", "application/json", "application/json; charset=utf-16", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain", "", "x"])
        if "form-data" in kind:
            body = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.%s"\r\n\r\n' % self.draw.choice([b"srt", b"md", b"xyz", b"html"]) + body + self.draw.choice([b"\r\n--x--\r\n", b"", b"\r\n--x"])
        return self.draw.choice(["POST", "POST", "POST", "GET", "PUT", "HEAD"]), path, body, {"Content-Type": kind} if kind else {}

    def requests(self):
        heed = process.Heed(["serve", self.model, "--port", "0"], self.folder / "console", {"OMP_NUM_THREADS": "1"})
        found = []
        if not heed.until(lambda: found or found.extend(re.findall(r"http://127\.0\.0\.1:(\d+)", heed.text())), pause=0.05):
            self.complaints.append(f"does not serve: {heed.text().splitlines()[-1:]}")
            return "requests to a server"

        def ask(method, path, body, headers):
            connection = http.client.HTTPConnection("127.0.0.1", int(found[0]), timeout=120)
            try:
                connection.request(method, path, body, headers)
                answer = connection.getresponse()
                return answer.status, answer.read()
            finally:
                connection.close()

        plain = ("POST", "/translate", b'{"q": "a b c"}', {"Content-Type": "application/json"})
        try:
            first = ask(*plain)
            for _ in range(40):
                request = self.request()
                try:
                    status, answer = ask(*request)
                except (OSError, http.client.HTTPException) as error:
                    self.complaints.append(f"{request[:2]} {request[2][:200]} {request[3]}: no answer: {error}")
                    continue
                if status >= 500 and status != 503:
                    self.complaints.append(f"{request[:2]} {request[2][:200]} {request[3]}: {status} {answer[:200]}")
                elif request[0] != "HEAD" and status != 200:
                    try:
                        json.loads(answer)
                    except ValueError:
                        self.complaints.append(f"{request[:2]} {request[2][:200]}: {status}, and no JSON: {answer[:100]}")
            if ask(*plain) != first:
                self.complaints.append("a plain request has another answer than at first")
        finally:
            heed.send(signal.SIGTERM)
            if heed.wait() != 0:
                self.complaints.append(f"the server ended badly: {heed.text().splitlines()[-1:]}")
        return "requests to a server"


def campaign(times, seed, work, only=None, say=print):
    return rounds.play(Attack, times, seed, work, only, say)


def main():
    args = arguments.parser(__doc__, "rounds", 500, QUICK).parse_args()
    results = campaign(args.times, args.seed, args.work.resolve(), args.round, say=arguments.say)
    return table.end(results.rows(), results.complaints)


if __name__ == "__main__":
    sys.exit(main())
