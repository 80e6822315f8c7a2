"""quality.py and peer_quality.py make curves of moments of a training."""
import argparse
import pathlib
import tempfile
import unittest
from unittest import mock

import peer_quality
import peers
import quality


class TrainHeed(unittest.TestCase):
    def test_trains_on_to_each_moment_and_translates_there(self):
        called = []

        def run(command, **_):
            command = [str(part) for part in command]
            called.append(command)
            if command[1] == "train":
                minutes = next(part for part in command if part.startswith("training.max_minutes=")).split("=")[1]
                updates = {"0.5": 70, "2": 290}[minutes]
                (folder / "summary.json").write_text(f'{{"updates": {updates}}}', encoding="utf-8")
            return mock.Mock(stdout="BLEU 3.5 (BP 1.000)\n")

        with tempfile.TemporaryDirectory() as name, mock.patch.object(quality, "run", run):
            folder = pathlib.Path(name)
            args = argparse.Namespace(heed="heed", data=pathlib.Path("data"), test="test", languages="de,en",
                                      vocabulary="joint.spm", lowercase=True, threads=2, seed=1, minutes=[0.5, 2.0],
                                      set=["model.dropout=0.1"])
            self.assertEqual(quality.train_heed(args, folder), [(70, 3.5), (290, 3.5)])
        self.assertEqual([command[1] for command in called], ["train", "translate", "evaluate"] * 2)
        self.assertEqual(["--resume" in command for command in called if command[1] == "train"], [False, True])
        self.assertTrue(all("model.dropout=0.1" in command for command in called if command[1] == "train"))
        self.assertEqual([command[command.index("-o") + 1] for command in called if command[1] == "translate"],
                         [f"{name}/0.5.hypothesis", f"{name}/2.hypothesis"])


class Earlier(unittest.TestCase):
    def test_rows_come_back_as_they_were(self):
        rows = [{"trainer": "heed", "minutes": 5.0, "update": 1400, "bleu": 33.5}]
        with tempfile.TemporaryDirectory() as folder:
            table = pathlib.Path(folder) / "quality.csv"
            self.assertEqual(quality.earlier(table), [])
            quality.keep(table, rows)
            self.assertEqual(quality.earlier(table), rows)


class Moments(unittest.TestCase):
    def test_saves_at_each_and_ends_with_the_last(self):
        class Trainer:
            def step(self, batch):
                return batch

        clock, told = [0.0], []

        def save(_, updates):
            clock[0] += 1000  # the clock stops meanwhile
            return f"weights {updates}"

        moments = peer_quality.Moments([0.5, 1], save)
        with mock.patch.object(peer_quality.time, "perf_counter", lambda: clock[0]):
            moments.watch(Trainer, "step", lambda _, batch: told.append(batch))
            trainer = Trainer()
            with self.assertRaises(peers.Finished):
                while True:
                    clock[0] += 7
                    self.assertEqual(trainer.step(3), 3)
        # Updates begin 0, 7, 14, ... seconds after the first: 30 are over before the sixth, 60 before the tenth.
        self.assertEqual(moments.saved, {0.5: ("weights 5", 5), 1: ("weights 9", 9)})
        self.assertEqual(told, [3] * 9)


if __name__ == "__main__":
    unittest.main()
