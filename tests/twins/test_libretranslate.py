"""`heed serve` asked by a client that was written for LibreTranslate."""

import os
import subprocess
import unittest
import urllib.error
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


@unittest.skipIf(LibreTranslateAPI is None, "no libretranslatepy")
class Client(TwinTest):
    def serve(self, model):
        """Its address; the server ends with the test."""
        command = [HEED, "--quiet", "serve", model, "--source", "de", "--target", "en"]
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


if __name__ == "__main__":
    unittest.main()
