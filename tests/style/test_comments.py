"""Comments of src/ and apps/ name only what exists, and do not begin in the middle of a sentence."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILE = re.compile(r"(?<![\w./<-])((?:\w[\w-]*/)*\w[\w-]*\.(?:h|hpp|cpp|def|js|py|mjs|css|html|cmake))\b(?![/(]|\.\w)")
CALL = re.compile(r"(?<![\w.>~'])(\w+)\(\)")
MEMBER = re.compile(r"(?<![\w:])(?:\w+::)*?([A-Za-z]\w*)::~?([A-Za-z]\w*)\b(?!::)")
TYPE = re.compile(r"\b(?:class|struct|union|enum)\s+(?:\[\[\w+\]\]\s*)?(?:\w+::)*(\w+)(?:<[^;{}()]*>)?(?:\s+final)?\s*(:[^;{}()]*)?\{"
                  r"|\busing (\w+) =|\bHEED_ENUM\((\w+)|[<,] ?(?:class|typename) (\w+)[,>]")
FOREIGN_CALLS = {
    "is_discarded": "nlohmann::json", "state_dict": "PyTorch, whose files heed reads", "translate_batch": "CTranslate2, in Python",
}
FOREIGN_SPACES = {"std", "at", "c10", "fmt", "nlohmann", "YAML"}
FRAGMENT = re.compile(r"\A *(?:Of|Those) [^\n]*")
HELD = re.compile(r"Torch-free|No Torch here|Knows nothing of LibTorch")


def parted(text):
    """(code, comments) of a file in C++ or JavaScript: the code without literals; of each comment its line and its text, lines
    that follow each other as one comment."""
    literal = r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])*\''
    comments, end = [], -1

    def blank(found):
        nonlocal end
        if found[0][0] != "/":
            return '""'
        line = text.count("\n", 0, found.start()) + 1
        said = re.sub(r"^/[/*]+ ?|\*+/$", "", found[0]) if found[0][1] == "/" else re.sub(r"\n\s*\*? ?", "\n", found[0].strip("/* "))
        whole = not text[text.rfind("\n", 0, found.start()) + 1:found.start()].strip()
        if whole and line == end + 1:
            comments[-1] = (comments[-1][0], comments[-1][1] + "\n" + said)
        else:
            comments.append((line, said))
        end = line + found[0].count("\n") if whole else -1
        return " "

    return re.sub(rf"//[^\n]*|/\*.*?\*/|{literal}", blank, text, flags=re.S), comments


class Names:
    """The names that comments may use: files, and words of the code of src/ and apps/."""

    def __init__(self, codes, paths):
        self.files = {path[begin:] for path in paths for begin in [0] + [at.end() for at in re.finditer("/", path)]}
        self.calls, self.words, bases = set(), {}, {}  # words: by a type or namespace, those of the files that declare it
        for code in codes:
            self.calls |= set(re.findall(r"\b(\w+)(?:<[^;(){}]*>)?\(", code))
            words = set(re.findall(r"\w+", code))
            declared = {space for path in re.findall(r"\bnamespace ([\w:]+)", code) for space in path.split("::")}
            for found in TYPE.finditer(code):
                name = found[1] or found[3] or found[4] or found[5]
                declared.add(name)
                bases.setdefault(name, set()).update(re.findall(r"\w+", found[2] or ""))
            for name in declared:
                self.words.setdefault(name, set()).update(words)
        for name, above in bases.items():
            self.words[name] = self.words[name].union(*(self.words.get(base, set()) for base in above))

    def missing(self, comment):
        """The names in a comment that exist nowhere."""
        found = [name for name in FILE.findall(comment) if name not in self.files]
        found += [f"{name}()" for name in CALL.findall(comment) if name not in self.calls and name not in FOREIGN_CALLS]
        return found + [f"{space}::{name}" for space, name in MEMBER.findall(comment)
                        if space not in FOREIGN_SPACES and name not in self.words.get(space, set())]


def paths():
    """The paths of all files, from the root of the checkout."""
    folders = ("src", "apps", "tests", "docs", "cmake", "configs", "data_scripts", "findings")
    found = [*ROOT.glob("*.*"), *(path for folder in folders for path in (ROOT / folder).rglob("*.*"))]
    return [path.relative_to(ROOT).as_posix() for path in found]


class Comments(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        files = [path for folder in ("src", "apps") for path in sorted((ROOT / folder).rglob("*.*"))]
        files = {path.relative_to(ROOT).as_posix(): path for path in files if path.suffix in (".h", ".cpp", ".def", ".js")}
        cls.parts = {name: parted(path.read_text(encoding="utf-8")) for name, path in files.items()}

    def check(self, faults_of):
        self.assertGreater(sum(len(comments) for _, comments in self.parts.values()), 3000)
        found = [f"{name}:{line}: {fault}" for name, (_, comments) in self.parts.items() for line, comment in comments
                 for fault in faults_of(comment)]
        self.assertFalse(found, "\n".join(found))

    def test_what_comments_name_is_there(self):
        names = Names([code for code, _ in self.parts.values()], paths())
        self.check(names.missing)

    def test_comments_begin_with_their_subject(self):
        self.check(FRAGMENT.findall)

    def test_comments_do_not_say_what_the_test_of_rooms_holds(self):
        self.check(HELD.findall)

    def test_comments_are_found(self):
        text = ('// One.\n//   Two.\nint i; // Three\n/// Four\nf("// no", \'"\', 1\'000);  /* Five\n * Six */\n'
                'auto s = R"(// no)";\n\n// Seven\n')
        code, comments = parted(text)
        self.assertEqual([(1, "One.\n  Two."), (3, "Three"), (4, "Four"), (5, "Five\nSix"), (9, "Seven")], comments)
        self.assertEqual(['int i;', 'f("", "", 1\'000);', 'auto s = "";'], [line.strip() for line in code.splitlines() if line.strip()])

    def test_names_that_are_nowhere_are_found(self):
        code = ('namespace heed::text { class Base { int far(); }; template <class Part> struct Near final : public Base { int b; }; '
                'HEED_ENUM(Side, (left, "")) void go<int>(1); using Rows = int; }')
        names = Names([code, "struct Other { int other; };"], ["src/text/near.h", "docs/a.md"])
        right = ("near.h, text/near.h and src/text/near.h; in config.yaml, a.md; go(), text::go(), far(), state_dict(); Near::b, text::Near::far, "
                 "Side::left, Rows::far, std::any, Part::b, https://a.org/b.js; Near::~Near")
        self.assertEqual([], names.missing(right))
        wrong = "far.h, src/near.h, gone() and text::lost(), Near::other, Nobody::far, text::Gone::b"
        self.assertEqual(["far.h", "src/near.h", "gone()", "lost()", "text::lost", "Near::other", "Nobody::far", "Gone::b"],
                         names.missing(wrong))

    def test_fragments_are_found(self):
        for wrong in ("Of both.", "Those of a side.\nMore.", " Of the model."):
            self.assertTrue(FRAGMENT.findall(wrong), wrong)
        for right in ("Rows.\nOf both sides the first.", "Offers all.", "The length. Of both.", "One of those."):
            self.assertFalse(FRAGMENT.findall(right), right)
        self.assertEqual(["Torch-free"], HELD.findall("Numbers. Torch-free."))


if __name__ == "__main__":
    unittest.main()
