"""compare.py: ratios of what was measured alike."""

import pathlib
import tempfile
import unittest

from compare import Mistake, compare, keys_of

COLUMNS = "weights,batch,sentences_per_second,load_seconds\n"
SCALED = "system,row,where,batch,cores,ranks,parts,tokens,update_s\n"


class Compare(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")
        return str(self.folder / name)

    def refused(self, before, after, *parts):
        with self.assertRaises(Mistake) as caught:
            compare(before, after)
        for part in parts:
            self.assertIn(part, str(caught.exception))

    def test_divides_what_was_measured_alike(self):
        before = self.write("before.csv", COLUMNS + "fp32,1,10,0.5\nfp32,32,20,0\n")
        after = self.write("after.csv", COLUMNS + "fp32,1,25,0.25\nint8,1,7,1\n")
        rows, warnings = compare(before, after)
        self.assertEqual(rows[1:], [["fp32", "1", "2.500", "0.500"]])
        self.assertEqual(warnings, [f"int8 1: only in {after}", f"fp32 32: only in {before}"])
        other = self.write("other.csv", "system,tokens_per_s\nnone,3\n")
        self.refused(before, other, other, "other columns")
        none = self.write("none.csv", COLUMNS + "bf16,1,3,4\n")
        self.refused(before, none, none, "same settings")
        empty = self.write("empty.csv", "")
        self.refused(empty, before, empty, "CSV of heed-bench")
        ragged = self.write("ragged.csv", COLUMNS + "bf16,1\n")
        self.refused(ragged, before, ragged, "CSV of heed-bench")

    def test_nothing_is_divided_by_zero(self):
        before = self.write("before.csv", COLUMNS + "fp32,1,10,0\n")
        self.assertEqual(compare(before, before)[0][1], ["fp32", "1", "1.000", ""])

    def test_knows_every_setting_of_a_row(self):
        before = self.write("before.csv", SCALED + "none,predicted,here,same,1,1,2,90,2\n"
                                                   "none,predicted,here,same,8,1,2,90,1\n")
        after = self.write("after.csv", SCALED + "none,predicted,here,same,1,1,2,90,1\n"
                                                 "none,predicted,here,same,8,1,2,90,3\n")
        rows, _ = compare(before, after)
        self.assertEqual(rows[1], ["none", "predicted", "here", "same", "1", "1", "2", "1.000", "0.500"])
        self.assertEqual(rows[2], ["none", "predicted", "here", "same", "8", "1", "2", "1.000", "3.000"])
        twice = self.write("twice.csv", SCALED + "none,predicted,here,same,1,1,2,90,1\n"
                                                 "none,predicted,here,same,1,1,2,90,3\n")
        for pair in ((twice, after), (after, twice)):
            self.refused(*pair, twice, "two rows are 'none predicted here same 1 1 2'")

    def test_columns_of_every_table(self):
        for keys, columns in (
            (2, "attention,length,seconds,mib"), (2, "attention,position,ms,kib"), (2, "width,scale,score_variance"),
            (3, "attention,kv_heads,position,cached_ms"), (1, "system,parameters,precision,tokens_per_s"),
            (2, "system,operation,calls,seconds,%"), (2, "system,kernel,calls_per_update"),
            (4, "weights,batch,beam,threads,sentences_per_second"), (2, "system,length,seconds"),
        ):
            self.assertEqual(keys_of(columns.split(",")), keys, columns)


if __name__ == "__main__":
    unittest.main()
