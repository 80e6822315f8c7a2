"""`heed serve` asked by clients that were written for LibreTranslate, and by its own tests."""

import asyncio
import importlib.util
import inspect
import json
import os
import pathlib
import subprocess
import types
import unittest
import urllib.error
import urllib.parse
import urllib.request
from unittest import mock

from twins import HEED, SOURCES, TwinTest, heed

if importlib.util.find_spec("libretranslatepy") is None:
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
    def serve(self, model, source="de", target="en", settings=()):
        """Its address; the server ends with the test."""
        command = [HEED, "--quiet", "serve", model, "--source-language", source, "--target-language", target, *settings]
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


# Translations of lines from German into English, as the users of each client ask for them. `address` ends in a slash.


def by_libretranslatepy(address, lines):
    from libretranslatepy import LibreTranslateAPI

    return [LibreTranslateAPI(address).translate(line, "de", "en", timeout=60) for line in lines]


def by_deep_translator(address, lines):
    from deep_translator import LibreTranslator

    return LibreTranslator("de", "en", api_key="none", custom_url=address).translate_batch(lines)


def by_libretranslate_aio(address, lines):
    from libretranslate_aio import AsyncLibreTranslate

    async def ask():
        async with AsyncLibreTranslate(address) as client:
            return (await client.translate(lines, "de", "en")).translated_text

    return asyncio.run(ask())


def by_quart_libretranslate(address, lines):
    import quart
    import quart_libretranslate

    application = quart.Quart("client")
    client = quart_libretranslate.LibreTranslate(application, url=address)

    async def ask():
        async with application.app_context():
            return [(await client.translate(line, "de", "en"))["translatedText"] for line in lines]

    return asyncio.run(ask())


def by_wagtail_localize(address, lines):
    """It asks for HTML, under an address with two slashes."""
    from wagtail_localize.machine_translators.libretranslate import LibreTranslator
    from wagtail_localize.strings import StringValue

    german, english = (types.SimpleNamespace(language_code=code) for code in ("de-AT", "en-GB"))
    texts = [StringValue(line) for line in lines]
    found = LibreTranslator({"LIBRETRANSLATE_URL": address, "API_KEY": ""}).translate(german, english, texts)
    return [found[text].data for text in texts]


def by_neon(address, lines):
    """The plugin of Neon and OpenVoiceOS."""
    from libretranslate_neon_plugin import LibreTranslatePlugin

    client = LibreTranslatePlugin(config={"libretranslate_host": address.rstrip("/")})
    return [client.translate(line, "en", "de") for line in lines]


def by_argostranslate(address, lines):
    from argostranslate.apis import LibreTranslateAPI
    from argostranslate.translate import Language, RemoteTranslation

    remote = RemoteTranslation(Language("de", "German"), Language("en", "English"), LibreTranslateAPI(address))
    return [remote.translate(line) for line in lines]


def by_transpolibre(address, lines):
    """It translates files of gettext by libretranslatepy."""
    from transpolibre.lib.trans_msg import trans_msg

    return [trans_msg(line, "de", "en", address, None) for line in lines]


def by_translate(address, lines):
    """By libretranslatepy, too."""
    from translate.providers import LibreProvider

    client = LibreProvider("en", "de", base_url=address)
    return [client.get_translation(line) for line in lines]


CLIENTS = {
    "libretranslatepy": by_libretranslatepy,
    "deep_translator": by_deep_translator,
    "libretranslate_aio": by_libretranslate_aio,
    "quart_libretranslate": by_quart_libretranslate,
    "wagtail_localize": by_wagtail_localize,
    "libretranslate_neon_plugin": by_neon,
    "argostranslate": by_argostranslate,
    "transpolibre": by_transpolibre,
    "translate.providers.libre": by_translate,  # another package has a module `translate`
}


def is_installed(module):
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # of the package
        return False


@unittest.skipUnless(any(map(is_installed, CLIENTS)), "no client of LibreTranslate")
class Clients(Serving):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.model = cls.train(cls, MODEL, "served", **TRAINING)
        cls.expected = heed("translate", cls.model, cls.folder / "sources").splitlines()

    def setUp(self):
        self.assertTrue(all(self.expected), self.expected)
        # A proxy knows nothing of this machine.
        self.enterContext(mock.patch.dict(os.environ, no_proxy="127.0.0.1"))

    def test_get_the_translations_of_heed_translate(self):
        address = self.serve(self.model)
        for module in filter(is_installed, CLIENTS):
            with self.subTest(module):
                self.assertEqual(CLIENTS[module](address, SOURCES), self.expected)

    @unittest.skipUnless(is_installed("libretranslatepy"), "no libretranslatepy")
    def test_libretranslatepy_understands_languages_and_refusals(self):
        from libretranslatepy import LibreTranslateAPI

        client = LibreTranslateAPI(self.serve(self.model))
        self.assertEqual(client.translate(SOURCES[0], "DE", "en-GB", timeout=60), self.expected[0])
        detected = client.detect(SOURCES[0], timeout=60)
        self.assertEqual([each["language"] for each in detected], ["de"])
        self.assertGreater(detected[0]["confidence"], 50)
        two = client.translate("\n".join(SOURCES[:2]), "auto", "en", timeout=60)
        self.assertEqual(two, "\n".join(self.expected[:2]))
        languages = [(each["code"], each["name"]) for each in client.languages(timeout=60)]
        self.assertEqual(languages, [("de", "German"), ("en", "English")])
        with self.assertRaises(urllib.error.HTTPError) as refused:
            client.translate("a", "fr", "en", timeout=60)
        self.assertEqual(refused.exception.code, 400)
        refused.exception.close()

    @unittest.skipUnless(is_installed("libretranslate_aio"), "no libretranslate-aio")
    def test_libretranslate_aio_understands_every_answer(self):
        from libretranslate_aio import LibreTranslate
        from libretranslate_aio.exceptions import ForbiddenError

        address = self.serve(self.model)
        with LibreTranslate(address) as client:
            found = client.translate([*SOURCES, ""], "auto", "en", alternatives=2)
            self.assertEqual(found.translated_text, [*self.expected, ""])
            self.assertEqual({each.language for each in found.detected_language}, {"de"})
            self.assertEqual({len(each) for each in found.alternatives}, {2})
            self.assertEqual([each.language for each in client.detect(SOURCES[0])], ["de"])
            self.assertEqual([each.targets for each in client.languages()], [["en"], []])
            self.assertTrue(client.health())
            settings = client.frontend_settings()
            self.assertEqual((settings.char_limit, settings.suggestions), (-1, False))
            with self.assertRaises(ForbiddenError):
                client.suggest(SOURCES[0], "k", "de", "en")
            document = self.folder / "na\u00efve \"text\".txt"
            document.write_text("\n\n".join(SOURCES))
            url = client.translate_file(document, "de", "en").translated_file_url
        with urllib.request.urlopen(url, timeout=60) as answer:
            self.assertEqual(answer.read().decode().split("\n\n"), self.expected)
            self.assertIn(urllib.parse.quote(document.name), answer.headers["Content-Disposition"])


class Sampling(Serving):
    """A request is sampled as a file of its lines is."""

    def test_gives_the_translations_of_heed_translate(self):
        self.enterContext(mock.patch.dict(os.environ, no_proxy="127.0.0.1"))
        model = self.train(MODEL, "sampled", **TRAINING)
        lines = SOURCES * 15  # in several batches
        self.write("lines", lines)
        settings = ["--set", "decoding.beam_size=1", "--set", "decoding.sampling.top_p=0.9",
                    "--set", "decoding.batch_size=2"]  # a chunk has 64 lines
        expected = heed("translate", model, self.folder / "lines", *settings).splitlines()
        self.assertGreater(len(set(expected)), len(SOURCES))  # equal lines are drawn anew
        client = FlaskClient(self.serve(model, settings=settings))
        # Others ask at the same time, and again: nothing of them is left.
        for asked in (lines[:3], lines, lines[:1], lines):
            answer = client.post("/translate", json={"q": asked})
            self.assertEqual(answer.json["translatedText"], expected[: len(asked)])
        as_text = client.post("/translate", data={"q": "\n".join(lines)})
        self.assertEqual(as_text.json["translatedText"].split("\n"), expected)
        marked = [f"{line} <b>{line}</b>" for line in SOURCES]
        self.write("marked", marked)
        expected = heed("translate", model, self.folder / "marked", "--markup", "xml", *settings).splitlines()
        answer = client.post("/translate", json={"q": marked, "format": "xml"})
        self.assertEqual(answer.json["translatedText"], expected)


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
