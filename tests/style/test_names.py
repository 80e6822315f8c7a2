"""A file of tests bears the name of the unit that it tests: of a file of the same room in src/, or of a helper beside it. After that name there may be
what of the unit it tests: vocabulary_size_test.cpp.
"""

import pathlib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# These test whole programs, or have no folder in src/.
OF_PROGRAMS = {"accelerator", "architecture", "benchmarks", "cli", "combinations", "demo", "devices", "fuzz", "web"}

# In any room: tests of what docs/extending.md adds to its tables.
OF_THE_GUIDE = "toy"

# Tests of several units at once.
OF_SEVERAL = {
    "base/hung": "tests/hung.cpp, which is in every program of tests",
    "decode/equality": "the search, the translator and the engines, for every kind of model",
    "draw/hostile": "every page and every picture",
    "draw/pictures": "the heat map and the curves, as SVG",
    "kernels/collected": "additive attention and the product",
    "kernels/kernels": "every kernel against its readable twin",
    "kernels/nan": "every kernel",
    "kernels/rows/nan": "every loop",
    "model/guided": "every kind of model",
    "model/nan": "every kind of model",
    "model/worked_numbers": "windows, heads and positions of models of both types",
    "run/config_mistakes": "the configuration and what it names",
}


def names_in(folder):
    """Names of the files below a folder, without their endings, and of its folders."""
    return {path.stem for path in folder.rglob("*") if path.is_dir() or path.suffix in (".h", ".cpp", ".def")}


def rest(name, units):
    """Whether no beginning of the name, up to a _ or to its end, is a unit's."""
    parts = name.split("_")
    return not any("_".join(parts[:count]) in units for count in range(1, len(parts) + 1))


class Names(unittest.TestCase):
    def files(self):
        for path in sorted((ROOT / "tests").rglob("*_test.cpp")):
            room = path.parent.relative_to(ROOT / "tests")
            if room.parts[0] not in OF_PROGRAMS:
                yield path, room

    def test_a_file_of_tests_is_named_after_what_it_tests(self):
        without = []
        for path, room in self.files():
            units = names_in(ROOT / "src" / room) | {header.stem for header in path.parent.glob("*.h")}
            name = path.name.removesuffix("_test.cpp")
            if name != OF_THE_GUIDE and rest(name, units) and f"{room}/{name}" not in OF_SEVERAL:
                without.append(f"{path.relative_to(ROOT)}: no file in src/{room} has this name")
        self.assertEqual(without, [])

    def test_every_exception_is_there(self):
        there = {f"{room}/{path.name.removesuffix('_test.cpp')}" for path, room in self.files()}
        self.assertEqual(sorted(set(OF_SEVERAL) - there), [])

    def test_a_name_without_a_unit_is_found(self):
        self.assertTrue(rest("frame", {"svg", "plot"}))
        self.assertTrue(rest("plotted", {"svg", "plot"}))
        self.assertFalse(rest("svg_frame", {"svg", "plot"}))
        self.assertFalse(rest("plot", {"svg", "plot"}))


if __name__ == "__main__":
    unittest.main()
