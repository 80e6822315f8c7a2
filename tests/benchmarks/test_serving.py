"""serving.py: which measurements miss their goals; the clients and the arithmetic of the comparison with another server."""

import argparse
import collections
import contextlib
import http.server
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock

import beside
import clients
import libretranslate
import serving

GOOD = {"throughput": 0.9, "others": 0, "latency": 1.3, "wrong": 0, "growth": 32.0, "status": 0}


class Missed(unittest.TestCase):
    def test_goals_that_are_just_reached(self):
        self.assertEqual(serving.missed(GOOD), [])
        self.assertEqual(serving.missed({**GOOD, "growth": -7.5}), [])

    def test_what_was_not_measured(self):
        self.assertEqual(serving.missed({}), [])
        self.assertEqual(serving.missed({"latency": 1.07, "status": 0}), [])

    def test_each_goal_by_itself(self):
        for change, line in (
            ({"others": 3}, "equality: 3 answers are not what heed translate gives"),
            ({"throughput": 0.899}, "throughput: 0.899 times the lines per second of heed translate, less than 0.9"),
            ({"latency": 1.301}, "latency: an answer takes 1.301 times as long as its search, more than 1.3"),
            ({"wrong": 1}, "mixed: 1 requests got another status than they must"),
            ({"growth": 32.1}, "mixed: the server grew by 32.1 MiB the second time, more than 32"),
            ({"status": -9}, "the server ended with status -9 after SIGTERM"),
        ):
            self.assertEqual(serving.missed({**GOOD, **change}), [line])

    def test_all_that_was_missed_is_told(self):
        found = {"throughput": 0.5, "others": 1, "latency": 2.0, "wrong": 2, "growth": 100.0, "status": 1}
        self.assertEqual(len(serving.missed(found)), 6)


class FakeServer(http.server.ThreadingHTTPServer):
    """Answers with the text in capitals. It closes the connection after every third answer, is late with what begins with "late",
    sends each answer in two parts, and answers nothing before so many requests are there `together`."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with self.server.lock:
                self.server.asked.append((self.path, asked, self.client_address))
                number = len(self.server.asked)
            closes = number % 3 == 0
            if number <= self.server.together.parties:
                self.server.together.wait()
            if asked["q"].startswith("late"):
                time.sleep(0.5)
            body = json.dumps({"translatedText": asked["q"].upper()}).encode()
            self.send_response(500 if asked["q"] == "bad" else 200)
            self.send_header("Content-Length", str(len(body)))
            if closes:
                self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(body[:5])
            self.wfile.flush()
            time.sleep(0.01)
            self.wfile.write(body[5:])

        def log_message(self, *_):
            pass

    daemon_threads = True

    def __init__(self, together=1):
        super().__init__(("127.0.0.1", 0), self.Handler)
        self.lock, self.asked, self.together = threading.Lock(), [], threading.Barrier(together, timeout=60)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()

    def requests(self, texts):
        return [clients.request_of(self.server_address, "/translate", {"q": text, "format": "text"}) for text in texts]


class Clients(unittest.TestCase):
    def test_each_request_is_asked_once_and_gets_its_own_answer(self):
        texts = [f"zeile {i} ä" for i in range(20)]
        with FakeServer(together=4) as server:
            answers = clients.ask_all(server.server_address, server.requests(texts), 4)
            self.assertEqual(answers.texts, [text.upper() for text in texts])
            self.assertEqual(collections.Counter(asked["q"] for _, asked, _ in server.asked), collections.Counter(texts))
            self.assertEqual({(path, asked["format"]) for path, asked, _ in server.asked}, {("/translate", "text")})

    def test_connections_are_kept(self):
        with FakeServer() as server:
            clients.ask_all(server.server_address, server.requests(["a"] * 6), 1)
            self.assertEqual(len({connection for *_, connection in server.asked}), 2)  # closed after the third answer

    def test_the_time_of_an_answer_is_its_own(self):
        with FakeServer() as server:
            answers = clients.ask_all(server.server_address, server.requests(["late", "a", "b"]), 2)
        self.assertGreater(answers.times[0], 0.5)
        self.assertLess(min(answers.times[1:]), 0.5)
        self.assertGreaterEqual(answers.seconds, answers.times[0])

    def test_more_clients_than_requests(self):
        with FakeServer() as server:
            self.assertEqual(clients.ask_all(server.server_address, server.requests(["a"]), 64).texts, ["A"])

    def test_another_status_ends_the_measurement(self):
        with FakeServer() as server, self.assertRaisesRegex(RuntimeError, "status 500"):
            clients.ask_all(server.server_address, server.requests(["a", "bad"]), 1)

    def test_answers_in_parts(self):
        whole = b"HTTP/1.1 200 OK\r\nContent-length: 3\r\nConnection: close\r\n\r\nabc"
        for size in range(len(whole)):
            self.assertIsNone(clients.answer_in(whole[:size]))
        self.assertEqual(clients.answer_in(whole), (200, b"abc", False))
        with self.assertRaisesRegex(RuntimeError, "has 4"):
            clients.answer_in(whole + b"d")
        with self.assertRaisesRegex(RuntimeError, "without Content-Length"):
            clients.answer_in(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")

    def test_percentiles(self):
        self.assertEqual(clients.percentile([3, 1, 2], 0.5), 2)
        self.assertEqual(clients.percentile([4, 3, 2, 1], 0.5), 2)
        self.assertEqual(clients.percentile(range(1, 101), 0.99), 99)
        self.assertEqual(clients.percentile(range(1, 102), 0.99), 100)
        self.assertEqual(clients.percentile([7], 0.99), 7)

    def test_a_process_counts_with_its_children(self):
        child = "import sys; held = bytearray(64 << 20); print(flush=True); sys.stdin.read()"
        code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
        with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            process.stdout.readline()
            self.assertEqual(len(clients.family(process.pid)), 2)
            memory = clients.memory(process.pid)
            self.assertGreater(memory.resident, 64)
            self.assertLess(memory.resident, 200)
            self.assertLessEqual(memory.proportional, memory.resident)
            self.assertGreater(clients.processor(process.pid), 0)
            process.stdin.close()


class Beside(unittest.TestCase):
    def test_a_page_has_every_line_once(self):
        lines = [f"Satz {i} & eins < zwei" for i in range(12)]
        page = beside.page_of(lines)
        text = beside.text_of(page.replace("<style>p { margin: 1em }</style>", ""))
        self.assertEqual(text, " ".join(lines))
        tags = beside.tags_in(page)
        self.assertEqual([tags[name] for name in ("p", "/p", "b", "/b", "a", "li", "td", "title", "h1")], [6, 6, 2, 2, 2, 2, 2, 1, 1])
        self.assertIn("<p>Satz 7 <b>&amp;</b> eins &lt; zwei</p>", page)
        self.assertIn('<p>Satz 8 <a href="/8.html">&amp;</a> eins &lt; zwei</p>', page)

    def test_pages_go_on_in_the_text(self):
        first, second = beside.pages_of([str(i) for i in range(5)], 2, 4)
        self.assertIn("<title>0</title>", first)
        self.assertIn("<title>4</title>", second)
        self.assertIn("<h1 class=\"top\">0</h1>", second)

    def test_what_was_left_alone(self):
        source = "<p>eins zwei drei</p><p>vier <b>fünf</b> sechs</p><li>kurz</li>"
        self.assertEqual(beside.left_alone(source, source), (2, 3))
        self.assertEqual(beside.left_alone(source, "<p>one two three</p><p>vier <b>fünf</b> sechs</p><li>short</li>"), (1, 3))
        self.assertEqual(beside.left_alone(source, "<p>one two three</p><p>four <b>five</b> six</p><li>kurz</li>"), (0, 3))

    def test_figures(self):
        answers = clients.Answers(2.0, [0.1, 0.4, 0.2, 0.3], ["a"] * 4)
        self.assertEqual(beside.figures_of(answers, 1.0), beside.Figures(2.0, 0.2, 0.4, 0.25))

    def test_ratios_are_those_of_neighbours(self):
        rounds = [(beside.Figures(10, 1, 2, 3), beside.Figures(1, 4, 8, 6)), (beside.Figures(30, 2, 4, 3), beside.Figures(2, 4, 8, 3)),
                  (beside.Figures(20, 9, 9, 9), beside.Figures(4, 3, 3, 3))]
        ours, theirs, ratios = beside.medians(rounds)
        self.assertEqual(ours, (20, 2, 4, 3))
        self.assertEqual(theirs, (2, 4, 8, 3))
        self.assertEqual(ratios, (10, 0.5, 0.5, 1))

    def test_goals(self):
        good = beside.Figures(5, 1 / 3, 1 / 3, 1)
        self.assertEqual(beside.missed({("lines", 1): good}, 0.2), [])
        told = beside.missed({("lines", 1): good._replace(requests=4.99), ("pages", 64): beside.Figures(6, 0.34, 0.5, 1)}, 0.21)
        self.assertEqual(told, [
            "lines, 1 client: 4.99 times the requests per second, less than 5",
            "pages, 64 clients: 0.340 of the median time of an answer, more than 0.333",
            "pages, 64 clients: 0.500 of the 99th percentile of an answer, more than 0.333",
            "memory: 0.210 of the resident memory, more than 0.200"])

    def test_table(self):
        ours, theirs = beside.Figures(100, 0.01, 0.02, 0.005), beside.Figures(10, 0.1, 0.4, 0.05)
        rows = beside.table({("lines", 8): beside.medians([(ours, theirs)])}).split("\n")
        self.assertEqual(rows[2], "| lines | 8 | 100.0 / 10.0 | 10.0 | 10.0 / 100.0 | 0.10 | 20.0 / 400.0 | 0.05 | 5.0 / 50.0 | 0.10 |")
        self.assertEqual({row.count("|") for row in rows}, {11})

    def test_variables(self):
        self.assertEqual(beside.variable("LT_THREADS=8"), ("LT_THREADS", "8"))
        self.assertEqual(beside.variable("A=b=c"), ("A", "b=c"))
        for wrong in ("LT_THREADS", "=8", ""):
            with self.assertRaisesRegex(argparse.ArgumentTypeError, "is not NAME=VALUE"):
                beside.variable(wrong)

    def test_heed_searches_as_argos_translate_does(self):
        self.assertEqual(beside.search_settings(argparse.Namespace(weights="int8"), 2), [
            "decoding.beam_size=4", "decoding.length_penalty=power", "decoding.alpha=0.2", "decoding.weights=int8", "threads=2"])

    def test_shares_of_equal_answers(self):
        self.assertEqual(beside.equal_share(["a", "b", "c", "d"], ["a", "x", "c", "d"]), 0.75)

    def comparison(self, **changes):
        args = argparse.Namespace(source="file", segments=3, line_requests=5, page_requests=2, rounds=2, source_language="de",
                                  target_language="en", **changes)
        return beside.Comparison(args, [f"zeile {i} von zwölf" for i in range(12)] + ["", "zeile 3 von zwölf"])

    def run_quietly(self, comparison, ours, theirs):
        with unittest.mock.patch("clients.processor", return_value=0.0), contextlib.redirect_stdout(io.StringIO()):
            comparison.run(ours, theirs)

    def test_servers_take_turns_with_the_same_requests(self):
        comparison = self.comparison()
        with FakeServer() as one, FakeServer() as other:
            ours, theirs = (beside.Peer(name, server.server_address, 1) for name, server in (("heed", one), ("other", other)))
            self.run_quietly(comparison, ours, theirs)
            bodies = [collections.Counter(json.dumps(asked) for _, asked, _ in server.asked) for server in (one, other)]
            self.assertEqual(*bodies)
            self.assertEqual(bodies[0].total(), 2 * 3 * (5 + 2))
            self.assertEqual({len(rounds) for rounds in comparison.rounds.values()}, {2})
            self.assertEqual(comparison.answers["heed", "lines"], [line.upper() for line in comparison.lines])
        asked = {line for line in comparison.lines} | {one for page in comparison.pages for one in page.split("\n")}
        self.assertFalse(asked & set(comparison.warm))

    def test_answers_that_depend_on_the_number_of_clients_are_told(self):
        comparison = self.comparison()
        comparison.answers["heed", "lines"] = ["another"] * 5
        with FakeServer() as server:
            peer = beside.Peer("heed", server.server_address, 1)
            with self.assertRaisesRegex(SystemExit, "in another way to 1 clients"):
                self.run_quietly(comparison, peer, peer._replace(name="other"))


class Package(unittest.TestCase):
    def test_layout(self):
        with tempfile.TemporaryDirectory() as folder:
            exported, package = pathlib.Path(folder, "exported"), pathlib.Path(folder, "package")
            exported.mkdir()
            for name in ("model.bin", "config.json", "shared_vocabulary.json", "joint.spm", ".heed.files"):
                (exported / name).write_text(name)
            libretranslate.make_package(exported, package, "de", "en")
            files = sorted(str(path.relative_to(package)) for path in package.rglob("*") if path.is_file())
            self.assertEqual(files, ["metadata.json", "model/config.json", "model/model.bin", "model/shared_vocabulary.json",
                                     "sentencepiece.model"])
            self.assertEqual((package / "sentencepiece.model").read_text(), "joint.spm")
            described = json.loads((package / "metadata.json").read_text())
            self.assertEqual((described["from_code"], described["to_code"], described["type"]), ("de", "en", "translate"))

    def test_two_vocabularies_do_not_fit(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("source.spm", "target.spm"):
                pathlib.Path(folder, name).touch()
            with self.assertRaisesRegex(SystemExit, "kind: joint"):
                libretranslate.make_package(folder, pathlib.Path(folder, "package"), "de", "en")


if __name__ == "__main__":
    unittest.main()
