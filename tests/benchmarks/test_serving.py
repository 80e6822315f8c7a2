"""serving.py: which measurements miss their goals."""

import unittest

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


if __name__ == "__main__":
    unittest.main()
