"""loading.py: rates of two runs, and files without a name."""

import os
import tempfile
import unittest

from loading import bytes_without_name, rates


class Loading(unittest.TestCase):
    def test_the_corpus_is_repeated_whole(self):
        row = {"resident_mib": "133", "waiting_%": "0.5"}
        found = rates((2.0, 0, row), (5.0, 3 << 20, row), 1500, 4000)
        self.assertEqual(found, {"pairs": 4500, "pairs_per_s": 1000, "disk_mib": 3, "memory_mib": 133,
                                 "waiting_%": 0.5})

    def test_files_without_a_name_are_counted(self):
        before = bytes_without_name(os.getpid())
        with tempfile.TemporaryFile() as file:
            file.write(b"x" * 5000)
            file.flush()
            self.assertEqual(bytes_without_name(os.getpid()) - before, 5000)


if __name__ == "__main__":
    unittest.main()
