"""docs/notebook.ipynb, executed from its first cell to its last with a short training."""
import json
import os
import pathlib
import tempfile
import unittest

try:
    import ipykernel  # noqa: F401: the kernel that runs it
    import matplotlib  # noqa: F401: what it imports
    import nbformat
    import pandas  # noqa: F401
    from nbclient import NotebookClient
except ImportError as error:
    NotebookClient = None
    # ctest looks for this word.
    print(f"NO-NOTEBOOK: the notebook was not executed: {error}; ./run test installs it in .venv", flush=True)

ROOT = pathlib.Path(__file__).resolve().parents[2]
MINUTES = "0.2"  # enough for the loss to fall

# The results of the cells, for the test.
FACTS = """
import json
print(json.dumps({
    "losses": curves[curves["set"] == "train"]["loss"].tolist(),
    "validations": int((curves["set"] == "valid").sum()),
    "sentences": int(lengths["sentences"].sum()),
    "rows": matrix.sum(axis=1).tolist(),
    "source": source.tolist(),
    "target": target.tolist(),
}))
"""


@unittest.skipIf(NotebookClient is None, "no nbclient, ipykernel, pandas or matplotlib")
class Notebook(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.notebook = nbformat.read(ROOT / "docs/notebook.ipynb", as_version=4)
        cls.kept = [cell for cell in cls.notebook.cells if cell.cell_type == "code"]
        executed = nbformat.from_dict({**cls.notebook, "cells": [*cls.notebook.cells, nbformat.v4.new_code_cell(FACTS)]})
        for cell in executed.cells:
            if cell.cell_type == "code":
                cell.outputs = []
        with tempfile.TemporaryDirectory() as folder:
            # The training in it has one thread, and so has everything else.
            os.environ.update(HEED_NOTEBOOK_MINUTES=MINUTES, HEED_NOTEBOOK_FOLDER=folder, OMP_NUM_THREADS="1")
            os.environ.setdefault("HEED_BINARY", str(ROOT / "build/release/heed"))
            NotebookClient(executed, timeout=400, startup_timeout=120, kernel_name="python3",
                           resources={"metadata": {"path": str(ROOT / "docs")}}).execute()
        cls.cells = [cell for cell in executed.cells if cell.cell_type == "code"]
        cls.facts = json.loads(cls.cells[-1].outputs[0].text)

    def test_the_loss_falls(self):
        losses = self.facts["losses"]
        self.assertGreater(len(losses), 1)
        self.assertLess(losses[-1], losses[0])

    def test_every_test_sentence_is_in_a_bucket_of_lengths(self):
        self.assertEqual(self.facts["sentences"], 240)

    def test_each_row_of_the_heatmap_adds_up_to_one(self):
        self.assertEqual(self.facts["source"], ["the", "old", "dog", "saw", "a", "small", "bird", "</s>"])
        self.assertEqual(self.facts["target"][-1], "</s>")
        self.assertEqual(len(self.facts["rows"]), len(self.facts["target"]))
        for row in self.facts["rows"]:
            self.assertAlmostEqual(row, 1, delta=1e-3)

    def pictures(self, cells):
        return [output for cell in cells for output in cell.outputs if "image/png" in output.get("data", {})]

    def test_curve_and_heatmap_are_drawn(self):
        self.assertEqual(len(self.pictures(self.cells)), 2)

    def test_the_kept_outputs_are_those_of_these_cells(self):
        """GitHub shows the outputs as they are kept: of cells executed in order, without an error or a path of the machine."""
        self.assertEqual([cell.execution_count for cell in self.kept], list(range(1, len(self.kept) + 1)))
        self.assertEqual(len(self.pictures(self.kept)), 2)
        for cell in self.kept:
            for output in cell.outputs:
                self.assertNotEqual(output.output_type, "error")
                for folder in (ROOT, pathlib.Path.home(), tempfile.gettempdir()):
                    self.assertNotIn(f"{folder}/", json.dumps(output))


if __name__ == "__main__":
    unittest.main()
