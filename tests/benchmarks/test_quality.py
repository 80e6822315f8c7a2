"""What quality.py and peer_quality.py make of moments of a training."""
import pathlib
import tempfile
import unittest
from unittest import mock

import peer_quality
import peers
import quality


def validation(update, seconds, bleu):
    return [{"event": "validation", "update": update, "seconds": seconds, "bleu": 0.0},
            {"event": "further_validation", "update": update, "set": "test", "bleu": bleu}]


class AtMoments(unittest.TestCase):
    EVENTS = [{"event": "train", "update": 50, "seconds": 10.0}, *validation(200, 120.0, 3.5),
              *validation(400, 240.0, 7.25), *validation(600, 360.0, 6.0)]

    def test_takes_the_last_validation_before_each(self):
        self.assertEqual(quality.at_moments(self.EVENTS, [3, 5, 6, 60]),
                         [(2.0, 200, 3.5), (4.0, 400, 7.25), (6.0, 600, 6.0), (6.0, 600, 6.0)])

    def test_knows_nothing_before_the_first(self):
        self.assertEqual(quality.at_moments(self.EVENTS, [1]), [(0, 0, 0)])


class Earlier(unittest.TestCase):
    def test_rows_come_back_as_they_were(self):
        rows = [{"trainer": "heed", "moment": 5.0, "minutes": 4.75, "update": 1400, "bleu": 33.5}]
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
