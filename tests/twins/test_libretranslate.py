"""`heed serve` asked by a client that was written for LibreTranslate."""

import importlib.util
import inspect
import json
import os
import pathlib
import subprocess
import unittest
import urllib.error
import urllib.parse
import urllib.request
from unittest import mock

from twins import HEED, SOURCES, TwinTest, heed

try:
    from libretranslatepy import LibreTranslateAPI
except ImportError:
    LibreTranslateAPI = None
    print("NO-LIBRETRANSLATE: pip install libretranslatepy to ask heed serve with it")

MODEL = {
    "type": "transformer",
    "width": 16,
    "feed_forward": 32,
    "heads": 2,
    "encoder_layers": 1,
    "decoder_layers": 1,
    "tie": "all",
}
# Enough for translations of several words.
TRAINING = {"updates": 60, "validate_every": 60, "save_every": 60, "learning_rate": 0.01}


def tests_of_libretranslate():
    """The files of the tests that LibreTranslate's package brings along; none where it is not installed."""
    package = importlib.util.find_spec("libretranslate")
    folders = package.submodule_search_locations if package else []
    return [test for folder in folders for test in sorted(pathlib.Path(folder).glob("tests/test_api/test_*.py"))]


class Answered:
    """An answer, as those tests read it."""

    def __init__(self, status, data):
        self.status_code, self.data = status, data

    @property
    def json(self):
        return json.loads(self.data)


class FlaskClient:
    """Asks a server as the test client of LibreTranslate's framework asks a program."""

    def __init__(self, address):
        self.address = address

    def ask(self, method, path, data=None, json=None):
        body, kind = None, {}
        if json is not None:
            body, kind = __import__("json").dumps(json).encode(), {"Content-Type": "application/json"}
        elif data is not None:
            body = urllib.parse.urlencode(data).encode()
        request = urllib.request.Request(self.address.rstrip("/") + path, body, kind, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return Answered(answer.status, answer.read())
        except urllib.error.HTTPError as answer:
            with answer:
                return Answered(answer.code, answer.read())

    def get(self, path):
        return self.ask("GET", path)

    def post(self, path, **body):
        return self.ask("POST", path, **body)


class Serving(TwinTest):
    def serve(self, model, source="de", target="en"):
        """Its address; the server ends with the test."""
        command = [HEED, "--quiet", "serve", model, "--source", source, "--target", target]
        environment = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
        # It gets a signal, which a process of the fork server would not live to see.
        environment.pop("HEED_FORK_SERVER", None)
        server = subprocess.Popen(
            [*command, "--port", "0"], stdout=subprocess.PIPE, text=True, env=environment
        )
        self.addCleanup(self.end, server)
        return server.stdout.readline().strip()

    def end(self, server):
        server.terminate()
        server.stdout.close()
        self.assertEqual(server.wait(60), 0)


@unittest.skipIf(LibreTranslateAPI is None, "no libretranslatepy")
class Client(Serving):
    def test_translations_and_languages_are_understood(self):
        model = self.train(MODEL, "served", **TRAINING)
        expected = heed("translate", model, self.folder / "sources").splitlines()
        self.assertTrue(all(expected), expected)
        # A proxy knows nothing of this machine.
        self.enterContext(mock.patch.dict(os.environ, no_proxy="127.0.0.1"))
        client = LibreTranslateAPI(self.serve(model))
        found = [client.translate(line, "de", "en", timeout=60) for line in SOURCES]
        self.assertEqual(found, expected)
        self.assertEqual(client.translate(SOURCES[0], "DE", "en-GB", timeout=60), expected[0])
        detected = client.detect(SOURCES[0], timeout=60)
        self.assertEqual([each["language"] for each in detected], ["de"])
        self.assertGreater(detected[0]["confidence"], 50)
        two = client.translate("\n".join(SOURCES[:2]), "auto", "en", timeout=60)
        self.assertEqual(two, "\n".join(expected[:2]))
        languages = [(each["code"], each["name"]) for each in client.languages(timeout=60)]
        self.assertEqual(languages, [("de", "German"), ("en", "English")])
        with self.assertRaises(urllib.error.HTTPError) as refused:
            client.translate("a", "fr", "en", timeout=60)
        self.assertEqual(refused.exception.code, 400)
        refused.exception.close()


@unittest.skipUnless(tests_of_libretranslate(), "no libretranslate")
class ItsOwnTests(Serving):
    # They compare the texts of errors. heed's say more.
    TEXTS = {"test_api_translate_unsupported_language", "test_api_translate_missing_parameter"}

    def test_pass_but_for_the_texts_of_errors(self):
        self.enterContext(mock.patch.dict(os.environ, no_proxy="127.0.0.1"))
        client = FlaskClient(self.serve(self.train(MODEL, "tested", **TRAINING), "en", "es"))
        ran, failed = set(), set()
        for file in tests_of_libretranslate():
            names = {}
            exec(compile(file.read_text(), file, "exec"), names)
            for name, test in names.items():
                if not name.startswith("test_") or list(inspect.signature(test).parameters) != ["client"]:
                    continue
                ran.add(name)
                try:
                    test(client)
                except AssertionError:
                    failed.add(name)
        self.assertGreater(len(ran), 10)
        self.assertEqual(failed, self.TEXTS & ran)


if __name__ == "__main__":
    unittest.main()
