"""scale_out.py: what its model of an update predicts."""

import types
import unittest

from scale_out import (COLUMNS, Connection, Costs, Layout, Shared, accumulate, exchange_seconds, predict, predict_gpus,
                       seconds_of, table_of)


def four_parts(**more):
    """Parts of 1 s and 100 tokens."""
    return Costs(parts=[(1, 100)] * 4, parts_per_update=4, **more)


class Accumulate(unittest.TestCase):
    def test_the_next_free_core_takes_the_next_part(self):
        # Core 0: 3. Core 1: 1, 2, then 2 more.
        for workers, seconds in ((2, 5), (1, 8), (9, 3)):
            self.assertAlmostEqual(accumulate([3, 1, 2, 2], 0, 4, workers, 0)[0], seconds)

    def test_equal_parts_take_rounds(self):
        for workers in (1, 2, 3, 4, 5, 7):
            self.assertAlmostEqual(accumulate([1] * 5, 0, 5, workers, 0)[0], -(-5 // workers))

    def test_adds_along_the_tree(self):
        # One core adds three times, four cores one after the other on two levels.
        self.assertAlmostEqual(accumulate([1, 1, 1, 1], 0, 4, 1, 0.1)[0], 4.3)
        self.assertAlmostEqual(accumulate([1, 1, 1, 1], 0, 4, 4, 0.1)[0], 1.2)
        # Parts 0 and 1 are added while part 2 is computed: one level remains.
        self.assertAlmostEqual(accumulate([1, 1, 3], 0, 3, 3, 0.1)[0], 3.1)

    def test_a_rank_is_left_with_the_sums_of_its_subtrees(self):
        self.assertEqual(accumulate([1, 1, 1, 1], 0, 4, 2, 0.1)[1], 1)
        self.assertEqual(accumulate([1, 1], 2, 4, 2, 0.1)[1], 1)
        self.assertEqual(accumulate([1, 1, 1], 0, 6, 1, 0.1)[1], 2)  # (0 + 1), 2
        self.assertEqual(accumulate([1, 1, 1], 3, 6, 1, 0.1)[1], 2)  # 3, (4 + 5)
        self.assertEqual(accumulate([], 0, 4, 1, 0.1)[1], 0)


class SharedWork(unittest.TestCase):
    def test_is_fitted_to_both_measurements(self):
        self.assertAlmostEqual(seconds_of(Shared(8, 2), 4, 4), 2)
        self.assertAlmostEqual(seconds_of(Shared(8, 2), 4, 16), 0.5)
        # 8 s (1/3 + 2/3 / 4) = 4 s on four cores: a third of it is serial.
        self.assertAlmostEqual(seconds_of(Shared(8, 4), 4, 1), 8)
        self.assertAlmostEqual(seconds_of(Shared(8, 4), 4, 4), 4)
        self.assertAlmostEqual(seconds_of(Shared(8, 4), 4, 8), 8 / 3 + 2 / 3)
        self.assertAlmostEqual(seconds_of(Shared(8, 9), 4, 8), 8)


class Exchange(unittest.TestCase):
    def test_sends_all_but_ones_own_share_twice(self):
        connection = Connection(1e9, 1e-3)
        self.assertEqual(exchange_seconds(1e9, 1, 1, connection), 0)
        self.assertAlmostEqual(exchange_seconds(1e9, 1, 2, connection), 1 + 0.005)
        self.assertAlmostEqual(exchange_seconds(1e9, 1, 4, connection), 1.5 + 0.015)
        self.assertAlmostEqual(exchange_seconds(1e9, 2, 4, connection), 2.25 + 0.015)  # two sums, one of weights


class Predict(unittest.TestCase):
    def test_one_core_does_all_in_turn(self):
        time = predict(four_parts(add=0.1, optimizer=Shared(0.5, 0.5)), Layout(parts=4), Connection())
        self.assertAlmostEqual(time.compute, 4)
        self.assertAlmostEqual(time.tree, 0.3)
        self.assertAlmostEqual(time.seconds(), 4.8)
        self.assertAlmostEqual(time.tokens / time.seconds(), 400 / 4.8)

    def test_cores_that_share_memory_slow_each_other_down(self):
        costs = four_parts(cores=4, slowdown=1.3)
        for workers, parts, seconds in ((1, 4, 4), (2, 4, 2 * 1.1), (4, 4, 1.3), (8, 8, 1.3), (8, 2, 1.1)):
            self.assertAlmostEqual(predict(costs, Layout(workers=workers, parts=parts), Connection()).compute, seconds)

    def test_more_cores_than_parts_are_idle(self):
        four = predict(four_parts(), Layout(workers=4, parts=4), Connection())
        many = predict(four_parts(), Layout(workers=64, parts=4), Connection())
        self.assertAlmostEqual(four.seconds(), many.seconds())
        grown = predict(four_parts(), Layout(workers=64, parts=64), Connection())
        self.assertAlmostEqual(grown.tokens / grown.seconds(), 6400)

    def test_the_slowest_part_of_each_update_counts(self):
        costs = Costs(parts=[(1, 10), (3, 10), (2, 10), (2, 10)], parts_per_update=2)
        time = predict(costs, Layout(workers=2, parts=2), Connection())
        self.assertAlmostEqual(time.compute, (3 + 2) / 2)
        self.assertAlmostEqual(time.tokens, 20)

    def test_ranks_exchange_and_step_their_shards(self):
        costs = four_parts(bytes=1e9, add=0.1, copy=Shared(0.01, 0.01), optimizer=Shared(0.4, 0.4))
        time = predict(costs, Layout(ranks=4, workers=1, parts=4), Connection(1e10, 0))
        self.assertAlmostEqual(time.compute, 1)
        self.assertAlmostEqual(time.tree, 0)  # along the exchange
        # 2 x 0.75 GB, one flat copy, one and a quarter of the weights, three quarters of an addition.
        self.assertAlmostEqual(time.exchange, 0.15 + 2.25 * 0.01 + 0.075)
        self.assertAlmostEqual(time.optimizer, 0.1)

    def test_ranks_on_too_few_cores_take_turns(self):
        layout = Layout(ranks=4, workers=1, parts=4, ranks_at_once=4, cores=2)
        self.assertAlmostEqual(predict(four_parts(), layout, Connection()).compute, 2)
        layout.parts = 2  # two of the ranks have no part
        self.assertAlmostEqual(predict(four_parts(), layout, Connection()).compute, 1)

    def test_batches_are_made_beside_the_update(self):
        costs = four_parts(making_batches=0.05)
        idle = predict(costs, Layout(workers=1, parts=4, cores=2), Connection())
        self.assertAlmostEqual(idle.seconds(), 4)  # a second core does it
        busy = predict(costs, Layout(workers=2, parts=4, cores=2), Connection())
        self.assertAlmostEqual(busy.seconds(), 2 + 0.2 / 2)
        late = predict(costs, Layout(workers=64, parts=64), Connection())
        self.assertAlmostEqual(late.waiting, 64 * 0.05 - 1)


class PredictGpus(unittest.TestCase):
    def test_compute_their_parts_and_exchange(self):
        costs = Costs(parts=[(9, 900), (9, 1100)])  # their seconds are those of a core
        connection = Connection(1e9, 0)
        one = predict_gpus(costs, 4000, 1, 8, connection)
        self.assertAlmostEqual(one.seconds(), 2)
        self.assertAlmostEqual(one.tokens, 8000)
        self.assertAlmostEqual(predict_gpus(costs, 4000, 3, 8, connection).compute, 0.75)
        self.assertAlmostEqual(predict_gpus(costs, 4000, 16, 8, connection).compute, 0.25)
        costs.bytes = 1e8
        self.assertAlmostEqual(predict_gpus(costs, 4000, 8, 8, connection).seconds(), 0.25 + 2 * 0.0875)
        costs.making_batches = 0.1
        self.assertAlmostEqual(predict_gpus(costs, 4000, 8, 8, connection).seconds(), 0.8)


class Table(unittest.TestCase):
    def test_predictions_stand_beside_what_was_measured(self):
        alone = {"parameters": "1.00M", "tokens_per_s": 1000, "forward_%": 30, "backward_%": 60, "optimizer_%": 5,
                 "waiting_%": 0}
        together = {**alone, "tokens_per_s": 1800}
        args = types.SimpleNamespace(system="none", threads=2, cores=[1, 8], cores_per_rank=[4], parts_per_core=1,
                                     bandwidth=1.1, latency=50, loading=1e5, gpus=[8, 64], gpu_tokens_per_second=1e5,
                                     gpu_bandwidth=20)
        exchanges = {2: Connection(1e9, 2e-5), 4: Connection(1e9, 2e-5)}
        rows = {}
        for row in table_of(alone, together, exchanges, 2, 2, 4000, args):
            self.assertEqual(len(row), len(COLUMNS))
            rows[" ".join(str(row[i]) for i in (1, 2, 4, 5, 6))] = row
        # Row, place, cores, ranks, parts: those of the configuration, and one for each core.
        for name in ("measured here 1 1 2", "measured here 2 1 2", "predicted here 1 1 2", "predicted here 2 1 2",
                     "predicted here 2 2 2", "predicted here 2 4 4", "predicted 2 machines 8 2 2",
                     "predicted 2 machines 8 2 8", "predicted GPUs 1 1 2", "predicted GPUs 64 64 2",
                     "predicted GPUs 64 64 128"):
            self.assertGreater(float(rows[name][9]), 0, name)  # tokens/s
            compared = name.startswith("predicted here") and rows[name][5] == 1
            self.assertEqual(rows[name][-1] != "", compared, name)
        self.assertEqual(rows["predicted 2 machines 8 2 8"][3], "larger")
        self.assertEqual(rows["predicted here 2 1 2"][3], "same")
        self.assertLess(abs(float(rows["predicted here 1 1 2"][-1])), 1)
        self.assertLess(abs(float(rows["predicted here 2 1 2"][-1])), 10)


if __name__ == "__main__":
    unittest.main()
