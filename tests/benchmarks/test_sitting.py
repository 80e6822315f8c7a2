"""A sitting runs commands that work, fail, hang, or come too late."""
import os
import pathlib
import sys
import tempfile
import time
import unittest

import sitting
from sitting import Part, Row, Sitting, Step


def shell(script, what="a", setting="b", read=None, **more):
    return Step(what, setting, ["/bin/sh", "-c", script], read or (lambda done: [Row(what, setting, done.said.strip())]), **more)


class Table(unittest.TestCase):
    def test_one_row_is_one_line(self):
        text = sitting.table([Row("a", "b|c", "d\ne", ">= 3: met", "heed doctor"), Row("f", "g", "h")])
        self.assertEqual(text.splitlines(), [
            "| what | setting | result | goal | command |", "| --- | --- | --- | --- | --- |",
            "| a | b\\|c | d e | >= 3: met | `heed doctor` |", "| f | g | h |  |  |"])


class Sat(unittest.TestCase):
    """A sitting in a folder of its own; steps run as they are, with no environment."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.path = self.folder / "report.md"

    def sit(self, *parts, seconds=60, clock=time.monotonic, patience=1):
        one = Sitting(self.path, seconds, "# head\n\n", lambda command: (command, None), lambda command: command[-1],
                      folder=self.folder, clock=clock, patience=patience)
        stderr, sys.stderr = sys.stderr, open(os.devnull, "w", encoding="utf-8")
        try:
            one.run(parts)
        finally:
            sys.stderr.close()
            sys.stderr = stderr
        return one

    def results(self, *steps, seconds=60):
        return [row.result for row in self.sit(Part("p", seconds, "?", lambda: steps)).rows]

    def test_what_a_command_prints_is_a_row_with_the_command(self):
        one = self.sit(Part("p", 60, "?", lambda: [shell("echo 7")]))
        self.assertEqual(one.rows, [Row("a", "b", "7", "", "echo 7")])
        self.assertTrue(one.good)
        self.assertIn("| a | b | 7 |  | `echo 7` |", self.path.read_text())

    def test_a_command_that_fails_is_a_row_and_the_next_one_runs(self):
        one = self.sit(Part("p", 60, "?", lambda: [shell("echo 1; echo 'NCCL fell over' >&2; exit 3"), shell("echo 2"),
                                                   shell("kill -9 $$")]))
        self.assertEqual([row.result for row in one.rows],
                         ["FAILED: exit code 3: NCCL fell over", "2", "FAILED: signal SIGKILL: it printed nothing"])
        self.assertFalse(one.good)

    def test_a_program_that_is_not_there_is_a_row(self):
        self.assertEqual(self.results(Step("a", "b", ["/nowhere/heed"], lambda _: [])),
                         ["FAILED: /nowhere/heed: No such file or directory"])

    def test_what_failed_may_say_why_on_standard_output(self):
        step = shell("echo 'attention.causal  bf16  FAILED: 3'; exit 1", why=lambda said: said.split()[0] if said else "")
        self.assertEqual(self.results(step), ["FAILED: attention.causal"])

    def test_what_program_or_device_do_not_have_is_no_failure_of_an_optional_step(self):
        one = self.sit(Part("p", 60, "?", lambda: [shell("echo 'training.graphs: unknown key' >&2; exit 2", optional="unknown key"),
                                                   shell("echo 'no memory' >&2; exit 2", optional="unknown key")]))
        self.assertEqual([row.good for row in one.rows], [True, False])
        self.assertEqual(one.rows[0].result, "left out: exit code 2: training.graphs: unknown key")

    def test_a_command_has_its_own_limit(self):
        one = self.sit(Part("p", 60, "?", lambda: [shell("echo 1; sleep 60", limit=0.2), shell("echo 2")]))
        self.assertEqual([row.result for row in one.rows], ["FAILED: not done after 0 s", "2"])
        self.assertFalse(one.good)

    def test_what_was_printed_before_a_limit_or_a_failure_counts_where_a_step_asks_for_it(self):
        def rows(done):
            for line in done.said.splitlines():
                yield Row("a", "b", str(int(line)))

        late, failed = "echo 1; echo 2; printf 3; sleep 60", "echo 4; echo x; echo 5; echo 'no memory' >&2; exit 1"
        self.assertEqual(self.results(shell(late, read=rows, limit=0.5, partial=True), shell(late, read=rows, limit=0.2),
                                      shell(failed, read=rows, partial=True)),
                         ["1", "2", "FAILED: not done after 0 s", "FAILED: not done after 0 s",
                          "4", "FAILED: exit code 1: no memory"])

    def test_what_was_printed_before_the_end_of_a_part_counts_and_is_no_failure(self):
        one = self.sit(Part("p", 0.5, "?", lambda: [shell("echo 1; sleep 60", least=0, partial=True)]))
        self.assertEqual([row.result for row in one.rows], ["1", "left out: not done after 0 s, the end of its part"])
        self.assertTrue(one.good)

    def test_the_end_of_a_part_is_no_failure_of_the_command_and_the_next_part_runs(self):
        parts = [Part("p", 0.3, "?", lambda: [shell("sleep 60", least=0), shell("echo 2", "c", "d", least=5)]),
                 Part("q", 60, "?", lambda: [shell("echo 3")])]
        one = self.sit(*parts)
        self.assertEqual([row.result for row in one.rows], ["left out: not done after 0 s, the end of its part",
                                                            "left out: it needs 5 s, and 0 s were left", "3"])
        self.assertEqual(one.rows[1].what, "c")
        self.assertTrue(one.good)

    def test_a_part_that_ends_early_leaves_its_time_to_the_later_ones(self):
        now = iter(range(0, 10_000, 2))  # each look at the clock is two seconds later
        one = self.sit(Part("p", 50, "?", lambda: [shell("echo 1")]), Part("q", 500, "?", lambda: [shell("echo 2", limit=500)]),
                       seconds=100, clock=lambda: next(now))
        self.assertEqual([row.result for row in one.rows], ["1", "2"])

    def test_patience_is_a_factor_of_all_limits_but_that_of_the_sitting(self):
        part = Part("p", 1, "?", lambda: [shell("sleep 0.6; echo 1", limit=0.1, least=0), shell("sleep 60", limit=50, least=0)])
        one = self.sit(part, seconds=2, patience=10)
        self.assertEqual([row.result for row in one.rows], ["1", "left out: not done after 1 s, the end of its part"])

    def test_all_parts_together_have_a_limit(self):
        one = self.sit(Part("p", 60, "?", lambda: [shell("sleep 60", limit=50, least=0)]),
                       Part("q", 60, "?", lambda: [shell("echo 3")]), seconds=0.3)
        self.assertEqual([row.result for row in one.rows], ["left out: not done after 0 s, the end of its part",
                                                            "left out: it needs 4 s, and 0 s were left"])

    def test_the_report_is_whole_after_each_row(self):
        def kept():
            return [shell("echo 1"), shell("cat report.md", "seen", read=lambda done: seen.append(done.said) or [])]

        seen = []
        self.sit(Part("p", 60, "?", kept), Part("q", 60, "?", lambda: [shell("echo 3")]), Part("r", 60, "?", list))
        self.assertTrue(seen[0].startswith("# head\n\n- "))
        self.assertIn("| a | b | 1 |", seen[0])
        self.assertNotIn("| 3 |", seen[0])
        self.assertTrue(seen[0].endswith("\nNot reached: q, r.\n"))
        self.assertNotIn("Not reached", self.path.read_text())

    def test_rows_can_be_computed_of_what_was_found(self):
        found = {}
        steps = [shell("echo 4", read=lambda done: found.update(four=int(done.said)) or []),
                 Step("", "", None, lambda _: [Row("sum", "", str(found["four"] + 1))])]
        self.assertEqual(self.results(*steps), ["5"])

    def test_output_that_is_not_understood_is_a_row_that_failed(self):
        one = self.sit(Part("p", 60, "?", lambda: [shell("echo x", read=lambda done: [Row("", "", int(done.said))]),
                                                   shell("echo 2")]))
        self.assertIn("FAILED: its output was not understood: ValueError", one.rows[0].result)
        self.assertEqual([row.good for row in one.rows], [False, True])

    def test_a_part_that_cannot_run_says_why(self):
        one = self.sit(Part("ranks", 60, "?", lambda: [shell("echo 1")], missing=lambda: "there is one GPU"))
        self.assertEqual([(row.what, row.result) for row in one.rows], [("ranks", "left out: there is one GPU")])

    def test_processes_that_a_command_started_end_with_it(self):
        self.results(shell("sleep 60 & echo $! > pid; sleep 60", limit=0.5))
        process = int((self.folder / "pid").read_text())
        for _ in range(100):
            state = pathlib.Path(f"/proc/{process}/stat")
            if not state.exists() or ") Z " in state.read_text():
                return
            time.sleep(0.05)
        self.fail("the process still runs")

    def test_all_that_a_command_printed_is_kept(self):
        self.results(shell("echo out; echo err >&2", "one thing", "fp32, batch 3"))
        logs = sorted(path.name for path in (self.folder / "logs").iterdir())
        self.assertEqual(logs, ["01_one_thing_fp32_batch_3.err", "01_one_thing_fp32_batch_3.out"])
        self.assertEqual((self.folder / "logs" / logs[1]).read_text(), "out\n")
        self.assertIn("err\n", (self.folder / "logs" / logs[0]).read_text())

    def test_an_earlier_report_is_put_aside(self):
        for text in ("first", "second"):
            self.path.write_text(text)
            self.results()
        self.assertEqual((self.folder / "report-1.md").read_text(), "first")
        self.assertEqual((self.folder / "report-2.md").read_text(), "second")


if __name__ == "__main__":
    unittest.main()
