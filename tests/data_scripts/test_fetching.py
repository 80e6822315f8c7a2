"""Downloads, local copies, cleaning and the real corpora's scripts, all without a network."""

import gzip
import hashlib
import io
import tarfile
import threading
import unittest
import zipfile
from contextlib import redirect_stderr
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from scripts import FOLDER, ScriptTest, run

import fetching
import iwslt14
import multi30k
from script import UserMistake, WorldFailed

CONTENT = bytes(range(256)) * 50


class Server(BaseHTTPRequestHandler):
    """Serves CONTENT with ranges; /broken/ ends its first answer half-way; /gone/ is a 404;
    /page/ is a web page."""

    def __init__(self, *arguments, log, **named):
        self.log = log
        super().__init__(*arguments, **named)

    def log_message(self, *_):
        pass

    def do_GET(self):
        if self.path.startswith("/gone"):
            self.log.append("gone")
            self.send_error(404)
            return
        if self.path.startswith("/page"):
            self.log.append("page")
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(b"<html>Please log in.</html>")
            return
        wanted = self.headers.get("Range")
        start = int(wanted[len("bytes=") : -1]) if wanted else 0
        if start >= len(CONTENT):
            self.log.append("past the end")
            self.send_error(416)
            return
        body = CONTENT[start:]
        self.log.append(start)
        self.send_response(206 if wanted else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(
            body[: len(body) // 2] if self.path.startswith("/broken") and not wanted else body
        )


class Downloads(ScriptTest):
    def setUp(self):
        super().setUp()
        self.log = []
        server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Server, log=self.log))
        threading.Thread(
            target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        ).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.url = f"http://127.0.0.1:{server.server_port}"

    def download(self, path, **named):
        return fetching.download(self.url + path, self.folder, pause=0.01, **named)

    def test_a_file_is_fetched_once(self):
        self.assertEqual(self.download("/whole/a.gz").read_bytes(), CONTENT)
        self.assertEqual(self.download("/whole/a.gz").name, "a.gz")
        self.assertEqual(self.log, [0])

    def test_a_broken_download_goes_on_where_it_stopped(self):
        with redirect_stderr(io.StringIO()) as told:
            self.assertEqual(self.download("/broken/a.gz").read_bytes(), CONTENT)
        self.assertEqual(self.log, [0, len(CONTENT) // 2])
        self.assertIn("ended after 6400 of 12800 bytes; trying again", told.getvalue())

    def test_a_part_from_an_earlier_day_is_used(self):
        (self.folder / "a.gz.part").write_bytes(CONTENT[:100])
        self.assertEqual(self.download("/whole/a.gz").read_bytes(), CONTENT)
        self.assertEqual(self.log, [100])

    def test_a_part_that_cannot_be_continued_is_fetched_anew(self):
        (self.folder / "a.gz.part").write_bytes(CONTENT + b"more")
        with redirect_stderr(io.StringIO()):
            self.assertEqual(self.download("/whole/a.gz").read_bytes(), CONTENT)
        self.assertEqual(self.log, ["past the end", 0])

    def test_a_missing_file_is_not_asked_for_again(self):
        with self.assertRaisesRegex(WorldFailed, "cannot download .*/gone/a.gz: .*--from"):
            self.download("/gone/a.gz")
        self.assertEqual(self.log, ["gone"])
        self.assertFalse((self.folder / "a.gz").exists())

    def test_a_wrong_checksum_is_told(self):
        with self.assertRaisesRegex(
            WorldFailed, r"sha256 differs\); delete .*/a.gz and fetch it again"
        ):
            self.download("/whole/a.gz", sha256="0" * 64)

    def test_without_a_known_checksum_that_of_the_first_download_counts(self):
        with redirect_stderr(io.StringIO()) as told:
            self.download("/whole/a.gz")
        digest = hashlib.sha256(CONTENT).hexdigest()
        recorded = self.folder / "a.gz.sha256"
        self.assertEqual(recorded.read_text(), f"{digest}  a.gz\n")
        self.assertIn("later ones must be the same", told.getvalue())
        self.download("/whole/a.gz")
        for changed, content in ((self.folder / "a.gz", "damaged"), (recorded, "0" * 64)):
            changed.write_text(content)
            with self.assertRaisesRegex(
                WorldFailed, r"a\.gz is not the file that was downloaded first .*a\.gz\.sha256"
            ):
                self.download("/whole/a.gz")
            (self.folder / "a.gz").unlink()  # and the next is a new download

    def test_no_script_fetches_without_https(self):
        for script in FOLDER.glob("*.py"):
            self.assertNotRegex(script.read_text(), r"\"http://", script.name)

    def test_a_web_page_is_no_corpus_and_is_not_kept(self):
        (self.folder / "a.gz.part").write_bytes(CONTENT[:100])
        with self.assertRaisesRegex(WorldFailed, "cannot download .*/page/a.gz: .*page.*--from"):
            self.download("/page/a.gz")
        self.assertEqual(self.log, ["page"])
        self.assertEqual([path.name for path in self.folder.iterdir()], ["a.gz.part"])
        self.assertEqual(self.download("/whole/a.gz").read_bytes(), CONTENT)

    def test_file_addresses_work(self):
        path = self.write("origin/words.txt", "one", "two")
        got = fetching.download(path.as_uri(), self.folder / "here")
        self.assertEqual(got.read_text(), "one\ntwo\n")

    def test_a_missing_file_address_fails_at_once(self):
        with self.assertRaisesRegex(WorldFailed, "cannot download"):
            fetching.download((self.folder / "nothing").as_uri(), self.folder / "here")


class Text(ScriptTest):
    def test_cleaning_keeps_words_and_loses_what_breaks_lines(self):
        self.assertEqual(fetching.clean("\ufeff  Ein\tMann \u2028 geht \r"), "Ein Mann geht")
        self.assertEqual(fetching.clean("a\u00a0b 10\u202fkm"), "a\u00a0b 10\u202fkm")
        self.assertEqual(fetching.clean("one\ntwo"), "one two")

    def test_lines_end_at_line_feeds_alone(self):
        path = self.folder / "odd.gz"
        path.write_bytes(gzip.compress("a\u2028b\x85c\r\n\nlast".encode()))
        self.assertEqual(fetching.read_lines(path), ["a\u2028b\x85c\r", "", "last"])

    def test_lines_in_an_archive_end_there_too(self):
        path = self.folder / "odd.zip"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("one", "a\u2028b\x85c\vd\x1ce\f\r\n\nlast\n".encode())
            archive.writestr("two", b"fine\nna\xefve\n")
        self.assertEqual(
            fetching.lines_in_zip(path, ["one"]), [["a\u2028b\x85c\vd\x1ce\f\r", "", "last"]]
        )
        with self.assertRaisesRegex(UserMistake, r"odd.zip/two:2: not UTF-8 \(byte 3"):
            fetching.lines_in_zip(path, ["two"])

    def test_a_damaged_archive_is_told(self):
        path = self.folder / "damaged.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("one", b"line\n" * 1000)
        data = bytearray(path.read_bytes())
        data[40:50] = b"\xff" * 10
        path.write_bytes(data)
        with self.assertRaisesRegex(UserMistake, "no archive with one.*delete it"):
            fetching.lines_in_zip(path, ["one"])

    def test_bytes_that_are_not_utf8_are_named_with_their_line(self):
        path = self.folder / "latin"
        path.write_bytes(b"fine\nna\xefve\n")
        with self.assertRaisesRegex(UserMistake, r"latin:2: not UTF-8 \(byte 3"):
            fetching.read_lines(path)

    def test_a_cut_gzip_file_is_told(self):
        path = self.folder / "cut.gz"
        path.write_bytes(gzip.compress(b"line\n" * 1000)[:-20])
        with self.assertRaisesRegex(UserMistake, "not a whole gzip file.*delete it"):
            fetching.read_lines(path)

    def test_checksums_are_of_the_lines(self):
        # sha256sum of a file with "a" and "b" on a line each.
        self.assertEqual(
            fetching.sha256_of_lines(["a", "b"]),
            "911169ddaaf146aff539f58c26c489af3b892dff0fe283c1c264c65ae5aa59a2",
        )


class Multi30k(ScriptTest):
    def copy(self, split, language, count):
        lines = [f"{language} {number}" for number in range(count)]
        (self.folder / f"{split}.{language}.gz").write_bytes(
            gzip.compress("\n".join(lines).encode() + b"\n")
        )

    def whole_copy(self, missing=0):
        for split, count in multi30k.LINES.items():
            for language in ("de", "en"):
                self.copy(split, language, count - (missing if split == "valid" else 0))

    def test_text_that_is_not_multi30k_stops_unless_told_otherwise(self):
        self.whole_copy()
        done = run("multi30k.py", "--from", self.folder, "--output", self.folder / "out")
        self.assert_one_line_error(
            done, 2, "train.de", "sha256 differs", "delete it and fetch it again", "--no-check"
        )
        done = self.run_well(
            "multi30k.py", "--from", self.folder, "--output", self.folder / "out", "--no-check"
        )
        self.assertEqual(done.stderr.count("warning: "), 10)
        self.assertEqual(
            (self.folder / "out" / "test2016.en").read_text().splitlines()[999], "en 999"
        )

    def test_a_missing_line_is_counted(self):
        self.whole_copy(missing=1)
        done = run(
            "multi30k.py", "--from", self.folder, "--output", self.folder / "out", "--no-check"
        )
        self.assertIn("1013 lines, not 1014", done.stderr)

    def test_sides_of_unlike_length_are_not_written_in_any_case(self):
        self.whole_copy()
        self.copy("train", "en", 28999)
        done = run(
            "multi30k.py", "--from", self.folder, "--output", self.folder / "out", "--no-check"
        )
        self.assertEqual(done.returncode, 2)
        self.assertIn("train.de has 29000 lines but train.en has 28999", done.stderr)
        self.assertFalse((self.folder / "out" / "train.de").exists())

    def test_a_missing_folder_and_a_missing_file_are_one_line(self):
        self.assert_one_line_error(
            run("multi30k.py", "--from", self.folder / "no", "--output", self.folder / "out"),
            2,
            "no such folder",
        )
        self.assert_one_line_error(
            run("multi30k.py", "--from", self.folder, "--output", self.folder / "out"),
            2,
            "found none of train.de.gz",
        )

    def test_an_unknown_language_is_one_line(self):
        self.assert_one_line_error(
            run("multi30k.py", "--languages", "de", "xx", "--output", self.folder / "out"),
            2,
            "'xx'",
            "de, en, fr",
        )


class Iwslt14(ScriptTest):
    def official(self, pairs=50):
        for language in ("de", "en"):
            lines = [
                f"<url>http://x/{language}</url>",
                "<talkid>1</talkid>",
                "<keywords>a, b</keywords>",
                f"<title>{language} title</title>",
            ]
            self.write(
                f"de-en/train.tags.de-en.{language}",
                *lines,
                *[f" {language} sentence number {n} " for n in range(2, pairs + 1)],
            )
            for name in iwslt14.TESTS:
                self.write(
                    f"de-en/IWSLT14.{name}.de-en.{language}.xml",
                    "<refset>",
                    f'<seg id="1"> {language} &amp; {name} it\u2019s </seg>',
                    "</refset>",
                )

    def check_written(self):
        out = self.folder / "out"
        train, valid, test = (
            (out / f"{split}.de").read_text().splitlines() for split in ("train", "valid", "test")
        )
        self.assertEqual(train[0], "de title")
        self.assertEqual(valid, ["de sentence number 23", "de sentence number 46"])
        self.assertEqual(len(train), 48)
        self.assertEqual(test[1], "de & TEDX.dev2012 it's")
        self.assertEqual(len((out / "train.en").read_text().splitlines()), 48)

    def test_neighbours_are_glued_two_three_and_four_in_turn(self):
        lines = {language: [f"{language}{n}" for n in range(12)] for language in ("de", "en")}
        lines["de"][6] = "word " * 118 + "de6"  # three more make it too long
        self.assertEqual(
            iwslt14.glued(lines),
            {
                "de": ["de0 de1", "de2 de3 de4", "de9 de10", "de11"],
                "en": ["en0 en1", "en2 en3 en4", "en9 en10", "en11"],
            },
        )

    def test_the_unpacked_archive_is_split_as_published(self):
        self.official()
        self.run_well(
            "iwslt14.py", "--from", self.folder, "--output", self.folder / "out", "--no-check"
        )
        self.check_written()

    def test_the_archive_itself_is_taken_and_what_else_it_holds_stays_inside(self):
        self.official()
        with tarfile.open(self.folder / "de-en.tgz", "w:gz") as tar:
            tar.add(self.folder / "de-en", "de-en")
            stray = tarfile.TarInfo("../../escaped")
            stray.size = 1
            tar.addfile(stray, io.BytesIO(b"x"))
        for path in (self.folder / "de-en").iterdir():
            path.unlink()
        self.run_well(
            "iwslt14.py",
            "--from",
            self.folder,
            "--output",
            self.folder / "out",
            "--no-check",
            "--downloads",
            self.folder / "downloads",
        )
        self.check_written()
        self.assertFalse(
            list(self.folder.rglob("escaped")) + list(self.folder.parent.glob("escaped"))
        )

    def test_files_of_an_earlier_archive_are_not_mixed_with_those_of_the_next(self):
        self.write("old/IWSLT14.older.xml", "x")
        archive = self.folder / "de-en.tgz"
        with tarfile.open(archive, "w:gz") as tar:
            tar.add(self.write("train.tags.de-en.de", "Satz"), "de-en/train.tags.de-en.de")
        folder = iwslt14.unpack(archive, self.folder / "old")
        self.assertEqual([path.name for path in folder.iterdir()], ["train.tags.de-en.de"])

    def test_other_counts_than_the_published_stop(self):
        self.official()
        done = run("iwslt14.py", "--from", self.folder, "--output", self.folder / "out")
        self.assert_one_line_error(done, 2, "50 training lines, not 174443", "--no-check")

    def test_a_ready_copy_is_taken_as_it_is(self):
        for split in ("train", "valid", "test"):
            for language in ("de", "en"):
                self.write(f"{split}.{language}", f"{split} in {language}")
        done = self.run_well(
            "iwslt14.py", "--from", self.folder, "--output", self.folder / "out", "--no-check"
        )
        self.assertEqual((self.folder / "out" / "valid.en").read_text(), "valid in en\n")
        self.assertIn("lowercased", done.stderr)

    def test_pairs_of_unlike_length_are_dropped(self):
        self.assertTrue(iwslt14.keeps("a b c", "a b"))
        self.assertFalse(iwslt14.keeps("a b c d", "a b"))
        self.assertFalse(iwslt14.keeps("", "a"))
        self.assertFalse(iwslt14.keeps("a " * 176, "a " * 176))


class Iwslt15(ScriptTest):
    def test_official_names_become_splits_without_entities(self):
        for name in ("train", "tst2012", "tst2013"):
            self.write(f"{name}.en", f"it &apos;s {name}", "")
            self.write(f"{name}.vi", f"là {name}", "không")
        self.run_well(
            "iwslt15.py", "--from", self.folder, "--output", self.folder / "out", "--no-check"
        )
        self.assertEqual((self.folder / "out" / "train.en").read_text(), "it 's train\n")
        self.assertEqual((self.folder / "out" / "test.vi").read_text(), "là tst2013\nkhông\n")

    def test_the_folder_that_holds_the_copy_will_do(self):
        for name in ("train", "tst2012", "tst2013"):
            self.write(f"iwslt15/{name}.en", name)
            self.write(f"iwslt15/{name}.vi", name)
        self.run_well(
            "iwslt15.py", "--from", self.folder, "--output", self.folder / "out", "--no-check"
        )
        self.assertEqual((self.folder / "out" / "valid.en").read_text(), "tst2012\n")

    def test_a_copy_is_not_looked_for_in_the_output_or_in_an_empty_folder(self):
        for name in ("train", "tst2012", "tst2013"):
            self.write(f"{name}.en", name)
            self.write(f"{name}.vi", name)
        (self.folder / "iwslt15").mkdir()
        given = ("iwslt15.py", "--from", self.folder, "--no-check", "--output")
        self.run_well(*given, self.folder / "out")
        for _ in range(2):  # what the first time writes is no copy for the second
            self.run_well(*given, self.folder / "iwslt15")
            self.assertEqual((self.folder / "iwslt15/valid.en").read_text(), "tst2012\n")

    def test_other_counts_than_the_published_stop(self):
        self.write("train.en", "a")
        self.write("train.vi", "b")
        self.assert_one_line_error(
            run("iwslt15.py", "--from", self.folder, "--output", self.folder / "out"),
            2,
            "1 lines, not 133317",
        )


if __name__ == "__main__":
    unittest.main()
