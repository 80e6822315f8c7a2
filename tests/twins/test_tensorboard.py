"""The files that `training.tensorboard` writes, read by TensorBoard itself."""

import io
import json
import unittest

from twins import TwinTest, heed

try:
    from PIL import Image
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from tensorboard.util import tensor_util
except ImportError:
    EventAccumulator = None
    print("NO-TENSORBOARD: pip install tensorboard to read event files with it")

UPDATES, EVERY = 20, 5
MODEL = {
    "type": "transformer",
    "width": 8,
    "feed_forward": 16,
    "heads": 2,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "tie": "all",
}
TRAINING = {
    "updates": UPDATES,
    "validate_every": EVERY,
    "save_every": EVERY,
    "log_every": EVERY,
}


@unittest.skipIf(EventAccumulator is None, "no TensorBoard")
class EventFiles(TwinTest):
    def read_by_tensorboard(self, run):
        everything = {"scalars": 0, "images": 0, "tensors": 0}
        found = EventAccumulator(str(run), size_guidance=everything)
        found.Reload()
        return found

    def train_with(self, name, **training):
        return self.train(MODEL, name, **{**TRAINING, **training})

    def assert_all_is_there(self, run):
        """Numbers, samples and pictures of the whole run, each once."""
        found = self.read_by_tensorboard(run)
        lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
        for event, name, keys in (
            ("train", "train", ("loss", "perplexity", "learning_rate", "tokens_per_second")),
            ("validation", "valid", ("loss", "perplexity")),
        ):
            told = [line for line in lines if line["event"] == event]
            self.assertGreaterEqual(len(told), UPDATES // EVERY)
            for key in keys:
                scalars = found.Scalars(f"{name}/{key}")
                self.assertEqual([each.step for each in scalars], [line["update"] for line in told])
                for each, line in zip(scalars, told):
                    self.assertAlmostEqual(each.value / line[key], 1, delta=1e-6)
        validated = [line["update"] for line in lines if line["event"] == "validation"]
        self.assertEqual(validated, list(range(EVERY, UPDATES + 1, EVERY)))

        plugin = found.SummaryMetadata("valid/samples").plugin_data
        self.assertEqual(plugin.plugin_name, "text")
        texts = found.Tensors("valid/samples")
        self.assertEqual([each.step for each in texts], validated)
        for each in texts:
            text = tensor_util.make_ndarray(each.tensor_proto).item().decode("utf-8")
            kept = (run / f"validations/{each.step}.txt").read_text(encoding="utf-8")
            self.assertIn("source     ", kept)
            self.assertEqual(text, f"```\n{kept}```")

        pictures = found.Images("valid/attention")
        self.assertEqual([each.step for each in pictures], validated)
        for each in pictures:
            kept = (run / f"validations/{each.step}.png").read_bytes()
            self.assertEqual(each.encoded_image_string, kept)
            with Image.open(io.BytesIO(kept)) as picture:
                picture.load()  # every pixel, with the checksums
                self.assertEqual(picture.size, (each.width, each.height))
                darkest, lightest = picture.convert("L").getextrema()
                self.assertLess(darkest, lightest)
        times = [each.wall_time for each in found.Scalars("train/loss")]
        self.assertEqual(times, sorted(times))

    def test_tensorboard_reads_numbers_samples_and_pictures(self):
        self.assert_all_is_there(self.train_with("whole", tensorboard=True))

    def test_a_resumed_run_tells_every_update_once(self):
        run = self.train_with("resumed", tensorboard=True, updates=2 * EVERY)
        heed("train", run, "--resume", "--set", f"training.updates={UPDATES}")
        self.assertEqual(len(list(run.glob("events.out.tfevents.*"))), 1)
        self.assert_all_is_there(run)

    def test_without_the_option_there_is_nothing_to_read(self):
        run = self.train_with("without")
        self.assertEqual(list(run.glob("events.out.tfevents.*")), [])
        self.assertEqual(list(run.glob("validations/*.png")), [])
        self.assertEqual(self.read_by_tensorboard(run).Tags()["scalars"], [])


if __name__ == "__main__":
    unittest.main()
