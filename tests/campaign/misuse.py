#!/usr/bin/env python3
"""What slips and hostile input do to a model, to files beside it, and to a server.

    python3 tests/campaign/misuse.py --rounds 200     the whole campaign
    python3 tests/campaign/misuse.py --quick          the quick one of ctest
    python3 tests/campaign/misuse.py --seed 17 --round 4

Each round draws one disturbance: a model folder with another vocabulary or an edited network, an output that would
replace a file of the model, text that no tokeniser expects, a vocabulary trainer that is killed, a limit of file sizes, or
many connections to a server at the same time.
"""
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import sys
import time

import arguments
import process
import rounds
import table
import toy

QUICK = 18
PROMPT = 60  # seconds within which a command with odd text ends on a busy machine
EDITS = {"rnn": ["hidden_size: 24|hidden_size: 32", "attention: bahdanau|attention: luong_general", "cell: gru|cell: lstm"],
         "transformer_best_accumulate": ["heads: 2|heads: 4", "positions: sinusoidal|positions: none", "norm: pre|norm: post"]}
READERS = (["translate", "MODEL", "CORPORA/test.src"], ["evaluate", "MODEL"], ["average", "MODEL", "-o", "NEW"],
           ["score", "MODEL", "CORPORA/test.src", "CORPORA/test.tgt"], ["serve", "MODEL", "--port", "0"],
           ["heads", "MODEL", "--source", "CORPORA/test.src", "--target", "CORPORA/test.tgt"])
WRITERS = (["evaluate", "MODEL", "-o", "OUT"], ["lengths", "MODEL", "--csv", "OUT"], ["lengths", "MODEL", "--svg", "OUT"],
           ["heads", "MODEL", "--source", "CORPORA/test.src", "--target", "CORPORA/test.tgt", "-o", "OUT"],
           ["align", "MODEL", "--source", "CORPORA/test.src", "--target", "CORPORA/test.tgt", "-o", "OUT"],
           ["vocab", "CORPORA/train.src", "--size", "32", "-o", "OUT"])
KEPT = ("config.yaml", "model.safetensors", "joint.spm", "summary.json", "metrics.jsonl", "test.hypothesis")
RUNS = {"Chinese characters": "我们喜欢漂亮的城市车街", "base64": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
        "letters that are not known": "ΩδжцłøßŁΨ", "marks": "\u0301\u0308\u200d\ufeff\u202e", "pictures": "😀👍🏽🇩🇪"}
READY = (1, 127, 128, 129, 255, 256, 257)


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def child_of(pid):
    """The first child, or None."""
    try:
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split()
    except OSError:
        return None
    return int(children[0]) if children else None


class Misuse(rounds.DrawnRound):
    name = "misuse"

    def __init__(self, index, work, seed):
        super().__init__(index, work, seed, EDITS)
        self.model = shutil.copytree(self.model, self.folder / "model")

    def kinds(self):
        return self.another_model, self.output, self.odd_text, self.killed_trainer, self.small_files, self.connections

    def start(self, arguments, **more):
        known = {"MODEL": self.model, "CORPORA": self.corpora, "NEW": self.folder / "new"}
        made = [re.sub("MODEL|CORPORA|NEW", lambda found: str(known[found[0]]), str(each)) for each in arguments]
        return process.Heed(made, self.folder / "console", extra={"OMP_NUM_THREADS": "1"}, **more)

    def expect(self, heed, status, *named):
        """Ends so, in one line of error that names all of these."""
        ended, text = heed.wait(), heed.text()
        self.complaints += process.complaints_about_error(text, ended, expected=(status,))
        missing = [str(name) for name in named if str(name) not in text]
        if status != 0 and not self.complaints and missing:
            self.complaints.append(f"{heed.arguments[0]} does not name {missing}: {text.splitlines()[-1:]}")

    def another_model(self):
        if self.draw.random() < 0.5:
            other = self.folder / "other.spm"
            self.expect(self.start(["vocab", self.corpora / "train.tgt", "--size", "32", "-o", other, "--algorithm",
                                    self.draw.choice(["bpe", "unigram"]), "--symbols", f"<{self.draw.randint(0, 99)}>"]), 0)
            named = self.model / "joint.spm"
            shutil.copy(other, named)
            disturbance = "another vocabulary under the same name"
        else:
            named = self.model / "config.yaml"
            text = named.read_text(encoding="utf-8")
            edits = [edit.split("|") for edit in EDITS[self.model_name]]
            old, new = self.draw.choice([edit for edit in edits if edit[0] in text])
            named.write_text(text.replace(old, new), encoding="utf-8")
            disturbance = "an edited key of the network"
        self.expect(self.start(self.draw.choice(READERS)), 2, named)
        return disturbance

    def output(self):
        victim = self.model / self.draw.choice([name for name in KEPT if (self.model / name).exists()])
        form = self.draw.choice(("the path", "a longer path", "a symbolic link", "a hard link"))
        out = {"the path": victim, "a longer path": self.model / "checkpoints/.." / victim.name}.get(form, self.folder / "out")
        if form == "a symbolic link":
            out.symlink_to(victim)
        if form == "a hard link":
            os.link(victim, out)
        before, writer = contents(self.model), self.draw.choice(WRITERS)
        # A hard link is replaced, and the model's file stays: who does not read the model need not know of it.
        harmless = form == "a hard link" and "MODEL" not in writer
        self.expect(self.start([str(out) if each == "OUT" else each for each in writer]), 0 if harmless else 2, out)
        if contents(self.model) != before:
            self.complaints.append(f"files of the model have changed: {victim.name} as the output, by {form}")
        return f"an output over a file of a model, by {form}"

    def odd_text(self):
        kind = self.draw.choice(sorted(RUNS))
        run = "".join(self.draw.choices(RUNS[kind], k=self.draw.randint(1000, 300_000)))
        lines = [" ".join(self.draw.choices(toy.WORDS, k=5)) for _ in range(300)]
        lines.insert(self.draw.randrange(300), run)
        text = self.folder / "text"
        text.write_text("\n".join(lines) + "\n", encoding="utf-8")
        begin = time.monotonic()
        train = ["vocab", text, "--algorithm", self.draw.choice(["bpe", "unigram"]), "-o", self.folder / "text.spm", "--size"]
        heed = self.start([*train, "200"])
        heed.wait()
        smaller = re.search(r"set --size to at most (\d+)", heed.text())
        self.expect(self.start([*train, smaller[1]]) if smaller else heed, 0)
        out = self.folder / "translated"
        self.expect(self.start(["translate", "MODEL", text, "-o", out]), 0)
        if not self.complaints and out.read_bytes().count(b"\n") != 301:
            self.complaints.append("not as many lines as the text has")
        if time.monotonic() - begin > 2 * PROMPT:
            self.complaints.append(f"{kind}: {len(run)} characters took {time.monotonic() - begin:.0f} s")
        return f"a long run of {kind}"

    def killed_trainer(self):
        text = self.folder / "text"
        words = ["".join(self.draw.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(20_000)]
        text.write_text("\n".join(" ".join(self.draw.choices(words, k=20)) for _ in range(20_000)) + "\n", encoding="utf-8")
        spm = self.folder / "text.spm"
        heed = self.start(["vocab", text, "--size", "4000", "-o", spm])
        if heed.until(lambda: child_of(heed.pid) is not None):
            time.sleep(self.draw.uniform(0, 0.5))
            victim = child_of(heed.pid)
            if victim is not None:
                os.kill(victim, self.draw.choice([signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT]))
                self.expect(heed, 1, text, "SentencePiece cannot train")
                if spm.exists():
                    self.complaints.append("there is a vocabulary all the same")
                return "the trainer of a vocabulary killed"
        heed.end()
        return "the trainer of a vocabulary was ready before"

    def small_files(self):
        limit = self.draw.choice([500, 1000, 4000])  # the error needs some, too
        heed = self.start(["average", "MODEL", "-o", "NEW"], limits={resource.RLIMIT_FSIZE: limit})
        status = heed.wait()
        if status == 1 and "File too large" not in heed.text():
            self.complaints.append(f"the limit is not named: {heed.text().splitlines()[-1:]}")
        elif status != 1:
            self.complaints.append(f"exit status {status} instead of 1 with files of at most {limit} bytes")
        if (self.folder / "new/model.safetensors").exists():
            self.complaints.append("there is a model all the same")
        return "a limit of file sizes"

    def connections(self):
        count = self.draw.choice([*READY, self.draw.randint(2, 300)])
        heed = self.start(["serve", "MODEL", "--port", "0"])
        found = []
        if not heed.until(lambda: found or found.extend(re.findall(r"http://127\.0\.0\.1:(\d+)", heed.text())), pause=0.05):
            self.complaints.append(f"does not serve: {heed.text().splitlines()[-1:]}")
            return "connections at the same time"
        begin, sockets = time.monotonic(), []
        try:
            for _ in range(count):
                sockets.append(socket.create_connection(("127.0.0.1", int(found[0])), timeout=20))
            for each in sockets:  # all are there before the first asks
                each.sendall(b"GET /languages HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            for each in sockets:
                answer = b"".join(iter(lambda: each.recv(65536), b""))
                json.loads(answer.partition(b"\r\n\r\n")[2])
        except (OSError, ValueError) as error:
            self.complaints.append(f"{count} connections: {error} after {time.monotonic() - begin:.0f} s")
        finally:
            for each in sockets:
                each.close()
            heed.send(signal.SIGTERM)
            if heed.wait() != 0:
                self.complaints.append(f"the server ended badly: {heed.text().splitlines()[-1:]}")
        return "connections at the same time"


def campaign(times, seed, work, only=None, say=print):
    return rounds.play(Misuse, times, seed, work, only, say)


def main():
    args = arguments.parser(__doc__, "rounds", 200, QUICK).parse_args()
    results = campaign(args.times, args.seed, args.work.resolve(), args.round, say=arguments.say)
    return table.end(results.rows(), results.complaints)


if __name__ == "__main__":
    sys.exit(main())
