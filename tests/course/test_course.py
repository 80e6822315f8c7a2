"""The labs of `heed course`, done as a student does them: the commands of the handouts, with small models."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEED = os.environ.get("HEED_BINARY", str(ROOT / "build/release/heed"))
LABS = sorted((ROOT / "docs/course/labs").iterdir(), key=lambda lab: int(lab.name.split("_")[0]))
QUESTION = re.compile(r"^(\w+) =$", re.MULTILINE)
FEW = {"batch_size: 1536": "batch_size: 64", "size: 1000": "size: 300", "width: 128": "width: 32", "feed_forward: 512": "feed_forward: 64",
       "embedding_size: 128": "embedding_size: 32", "hidden_size: 256": "hidden_size: 32", "coder_layers: 3": "coder_layers: 2"}


def small(path):
    text = path.read_text()
    for many, few in FEW.items():
        text = text.replace(many, few)
    path.write_text(text)


class Course(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.place.cleanup)
        cls.folder = pathlib.Path(cls.place.name)
        (cls.folder / "bin").mkdir()
        (cls.folder / "bin/heed").symlink_to(HEED)
        (cls.folder / "configs").mkdir()
        shutil.copy(ROOT / "configs/demo.yaml", cls.folder / "configs")
        small(cls.folder / "configs/demo.yaml")
        cls.shell(f"python3 {ROOT}/data_scripts/demo_corpus.py --train 1500 --valid 24 --test 24 --long 6 --contrasts 4")
        cls.shell("heed bottleneck configs/demo.yaml --set training.updates=30 --set training.validate_every=30")
        for lab in LABS:
            cls.shell(f"heed course start {lab.name.split('_')[0]}")
            if (cls.folder / "labs" / lab.name / "lab.yaml").exists():
                small(cls.folder / "labs" / lab.name / "lab.yaml")

    @classmethod
    def shell(cls, command, status=0):
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": "",
                       "PATH": f"{cls.folder / 'bin'}:{os.environ['PATH']}"}
        done = subprocess.run(["bash", "-c", command], cwd=cls.folder, env=environment, capture_output=True, text=True, timeout=300)
        if done.returncode != status:
            raise AssertionError(f"{command} gave {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done.stdout + done.stderr

    def give(self, lab, answers):
        path = self.folder / "labs" / lab.name / "answers.txt"
        template = (lab / "answers.txt").read_text()
        path.write_text(QUESTION.sub(lambda found: f"{found[1]} = {answers(found[1])}", template))

    def do_commands(self, lab):
        """Runs the commands of the handout, but for what checks the answers."""
        handout = (lab / "handout.md").read_text()
        for block in re.findall(r"^```\n(.*?)^```", handout, re.MULTILINE | re.DOTALL):
            for command in block.splitlines():
                if not command.startswith("heed course"):
                    self.shell(command)

    def solve(self, lab):
        for file in (ROOT / "docs/course/answers" / lab.name).iterdir():
            if file.is_file() and file.name != "check.py":
                shutil.copy(file, self.folder / "labs" / lab.name)
        if (self.folder / "labs" / lab.name / "lab.yaml").exists():
            small(self.folder / "labs" / lab.name / "lab.yaml")

    def check_lab(self, lab):
        number = lab.name.split("_")[0]
        questions = set(QUESTION.findall((lab / "answers.txt").read_text()))
        nothing = self.shell(f"heed course check {number}", status=1)
        self.assertIn("\n0 of ", nothing)
        for question in questions:
            self.assertRegex(nothing, rf"wrong  {question}: ")

        self.solve(lab)
        self.do_commands(lab)
        shown = self.shell(f"heed course check {number} --answers", status=1)
        right = dict(re.findall(r"^  wrong  (\w+) \[(.*?)\]: no answer yet$", shown, re.MULTILINE))
        self.assertEqual(right.keys(), questions, shown)
        self.give(lab, lambda name: right[name].strip("[]'"))
        done = self.shell(f"heed course check {number}")
        count = re.search(r"^(\d+) of (\d+) right$", done, re.MULTILINE)
        self.assertEqual(count[1], count[2], done)

        self.give(lab, lambda name: "123456.5")
        wrong = self.shell(f"heed course check {number}", status=1)
        for question in questions:
            self.assertRegex(wrong, rf"wrong  {question}: \w")

    def test_an_answer_with_too_few_digits_is_asked_for_more(self):
        self.shell("heed course start 4 -o digits && sed -i 's/^largest_at_1 =/& 0.7/; s/^largest_at_4 =/& 0.417/' digits/answers.txt")
        said = self.shell("heed course check digits", status=1)
        self.assertIn("wrong  largest_at_1: right so far; write more digits\n", said)
        self.assertIn("right  largest_at_4\n", said)  # e^0.5 / (e^0.5 + e^0.25 + e^0.025) = 0.4165

    def test_the_list_tells_how_far_labs_are(self):
        answers = self.folder / "labs/5_masks/answers.txt"
        begun = answers.read_text()
        try:
            answers.write_text(begun.replace("\nwhy =", "\nwhy = because"))
            count = re.search(r"^\d+ of \d+ right$", self.shell("heed course check 5", status=1), re.MULTILINE)[0]
            said = self.shell("heed course")
            self.assertRegex(said, rf"(?m)^  5 .*\({count}[);]")
            answers.write_text("nothing\n")
            self.assertRegex(self.shell("heed course"), r"(?m)^  5 .*\(begun[);]")
        finally:
            answers.write_text(begun)
        self.assertRegex(self.shell("cd $(mktemp -d) && heed course"), r"(?m)^  5 [^;]*$")

    def test_a_choice_is_one_of_its_letters(self):
        self.shell("heed course start 5 -o letter && sed -i 's/^why =/& because/' letter/answers.txt")
        self.assertIn("wrong  why: write a or b or c\n", self.shell("heed course check letter", status=1))

    def test_a_loop_without_end_is_one_wrong_answer(self):
        self.shell("heed course start 7 -o loop && sed -i 's/^keys_with =/& 7/' loop/answers.txt")
        (self.folder / "loop/cache.py").write_text("def contexts(*all):\n    while True: pass\n")
        # A course of its own, which waits for 5 seconds in place of 30.
        impatient = pathlib.Path(shutil.copytree(ROOT / "docs/course", self.folder / "impatient"))
        patient = (impatient / "grading.py").read_text()
        self.assertIn("\nSECONDS = 30 ", patient)
        (impatient / "grading.py").write_text(patient.replace("\nSECONDS = 30 ", "\nSECONDS = 5 "))
        said = self.shell(f"{sys.executable} -B -X utf8 {impatient / 'course.py'} check loop", status=1)
        self.assertIn("right  keys_with\n", said)
        self.assertIn("wrong  cache.py contexts: did not end within 5 seconds, which all functions of the lab have together\n", said)
        self.assertIn("wrong  cache.py bytes_of_cache: not tried: the functions before took 5 seconds\n", said)

    def test_a_training_that_goes_on_is_no_answer_yet(self):
        self.shell("heed course start 8 -o running/labs/8 && mkdir -p running/runs/lab8/none running/runs/lab8/yours")
        for run in ("none", "yours"):
            (self.folder / f"running/runs/lab8/{run}/metrics.jsonl").write_text('{"event": "train", "update": 10}\n')
        self.assertIn("wrong  none_is_worse_by: runs/lab8/none/summary.json is not there: the handout's training writes it; let it finish\n",
                      self.shell("heed course check running/labs/8", status=1))

    def test_wrong_calls_end_in_one_line(self):
        for command, message in (
            ("heed course start 11", "heed: course: no lab '11'; the labs are 1 to 10: heed course"),
            ("heed course start ²", "heed: course: no lab '²'; the labs are 1 to 10: heed course"),
            ("heed course start 1", "heed: course: labs/1_bottleneck: is there already; choose another folder with -o, or delete it "
                                    "to begin again"),
            ("heed course start", "heed: course: start needs the number of one lab: heed course start 1"),
            ("heed course check bin", "heed: course: bin: no folder of a lab, it has no answers.txt; heed course start makes one"),
            ("heed course grade nobody", "heed: course: nobody: no such folder"),
            ("mkdir empty; heed course list --course empty", "heed: course: empty/labs: no labs, which are folders such as 1_bottleneck"),
        ):
            self.assertEqual(self.shell(command, status=2), message + "\n")
        self.assertEqual(self.shell("heed course begin 1", status=2),
                         "heed: course: action: begin not in {list,start,check,grade}; see heed course --help\n")

    def test_a_line_that_is_no_answer_is_named(self):
        self.shell("heed course start 5 -o elsewhere && echo 'what is this' >> elsewhere/answers.txt")
        said = self.shell("heed course check elsewhere", status=2)
        lines = len((self.folder / "elsewhere/answers.txt").read_text().splitlines())
        self.assertEqual(said, f"heed: course: elsewhere/answers.txt:{lines}: not of the form NAME = ANSWER; put explanations after a "
                               "#\n")

    def test_a_folder_of_another_name_is_that_of_its_commands(self):
        self.shell("heed course start 1 -o mine/first")
        handout = (self.folder / "mine/first/handout.md").read_text()
        self.assertIn("<pre><code>heed lengths runs/demo/none", (self.folder / "mine/first/handout.html").read_text())
        self.assertIn("--csv mine/first/curve.csv", handout)
        self.assertNotIn("labs/1_bottleneck", handout)

    def test_what_students_do_wrong_is_a_hint(self):
        self.shell("heed course start 5 -o holes")
        for code, hint in (("return [[1] * n] * n", "row i has ones up to and with column i (for 3)"), ("return nothing", "NameError"),
                           ("return [None]", "the hole is still there"), ("return 1 / 0", "ZeroDivisionError: division by zero (for 1)\n"),
                           ("return [[1] * (i + 1) + [0] * (n - i - 1) for i in range(n)] if n == 3 else 1 / 0", "division by zero (for "),
                           ("...\n  x", "IndentationError"), ("import sys; sys.exit(0)", "SystemExit"),
                           ("print('7 of 7 right'); return []", "row i has ones"),
                           ("import os; os.write(1, b'9 of 9 right\\n'); os._exit(0)", "the process of the function ended without a result"),
                           ("raise ValueError('a\\n9 of 9 right')", "ValueError: a 9 of 9 right"), ("return 10 ** 5000", "ValueError: Exceeds"),
                           ("import subprocess; subprocess.Popen(['sleep', '7777'], start_new_session=True); return []", "row i has ones")):
            (self.folder / "holes/masks.py").write_text(f"def causal(n):\n    {code}\n")
            said = self.shell("heed course check holes", status=1)
            self.assertIn("wrong  masks.py causal: ", said)
            self.assertIn(hint, said)

    def test_what_a_function_has_started_ends_with_it(self):
        self.shell("heed course start 5 -o orphan")
        (self.folder / "orphan/masks.py").write_text("import subprocess\ndef causal(n):\n    child = subprocess.Popen(['sleep', '7777'], "
                                                     f"start_new_session=True)\n    open('{self.folder}/pid', 'w').write(str(child.pid))\n    return []\n")
        self.shell("heed course check orphan", status=1)
        self.assertFalse(pathlib.Path(f"/proc/{(self.folder / 'pid').read_text()}").exists())

    def test_a_class_is_graded_whatever_one_lab_has_in_it(self):
        names = ("long", "marked", "forged", "wide", "odd", "good")
        for student in names:
            self.shell(f"heed course start 7 -o group/{student}/cache && sed -i 's/^keys_with =.*/keys_with = 7/' group/{student}/cache/answers.txt")
        group = self.folder / "group"
        (group / "long/cache/answers.txt").write_text(f"lab = {'7' * 5000}\n")
        marked = group / "marked/cache/answers.txt"
        marked.write_bytes(b"\xef\xbb\xbf" + marked.read_bytes() + b"bytes = " + b"7" * 5000 + b"\n")
        (group / "forged/cache/cache.py").write_text("import os\nos.write(1, b'7 of 7 right\\n')\nos._exit(0)\n")
        (group / "wide/cache/answers.txt").write_text("lab = 7\n", encoding="utf-16")
        (group / "odd/cache/step.html").write_text('<script type="application/json" id="data">[' + "7" * 5000 + "]</script>")
        lines = self.shell("heed course grade group/*").splitlines()
        rows = {line.split()[0]: line.split()[7] for line in lines[1:] if not line.startswith("heed: ")}
        self.assertEqual(rows, {"long": "-", "marked": "1/7", "forged": "1/7", "wide": "-", "odd": "1/7", "good": "1/7"})
        self.assertEqual(sorted(line for line in lines if line.startswith("heed: ")),
                         [f"heed: course: group/long/cache/answers.txt: no lab '{'7' * 40}...'; the labs are 1 to 10: heed course",
                          "heed: course: group/wide/cache/answers.txt: is not in UTF-8, from byte 0 on; save it as UTF-8"])

    def test_a_class_has_a_table(self):
        for student in ("ada", "bob"):
            self.shell(f"heed course start 7 -o class/{student}/cache")
        shutil.copy(ROOT / "docs/course/answers/7_cache/cache.py", self.folder / "class/ada/cache")
        self.shell("sed -i 's/^keys_with =.*/keys_with = 7/' class/*/cache/answers.txt")
        self.shell("mkdir class/bob/odd && echo nothing > class/bob/odd/answers.txt")
        table = self.shell("heed course grade class/*").splitlines()
        self.assertEqual(table.pop(), "heed: course: class/bob/odd/answers.txt:1: not of the form NAME = ANSWER; put explanations after a #")
        self.assertEqual(table[0].split(), ["student", *map(str, range(1, 11)), "all"])
        self.assertEqual(table[1].split(), ["ada", *"------", "3/7", *"---", "3"])
        self.assertEqual(table[2].split(), ["bob", *"------", "1/7", *"---", "1"])


for _lab in LABS:
    setattr(Course, f"test_lab_{_lab.name}", lambda self, lab=_lab: self.check_lab(lab))

if __name__ == "__main__":
    unittest.main()
