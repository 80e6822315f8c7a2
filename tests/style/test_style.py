"""Holds what is promised about the house and its texts: links, commands, paths, keys, the registry, the pages' files."""
import functools
import html.parser
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEED = os.environ.get("HEED_BINARY", ROOT / "build/release/heed")
BENCH = os.environ.get("HEED_BENCH", ROOT / "build/release/heed-bench")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "docs/slides/README.md"]


def text(page):
    return page.read_text(encoding="utf-8")


def prose(page):
    """The page without its code blocks."""
    return re.sub(r"^```.*?^```", "", text(page), flags=re.M | re.S)


def commands(page):
    """The commands that code blocks without a language, and code in the prose, tell to type: (line, words)."""
    blocks = [block for language, block in re.findall(r"^```(\w*)\n(.*?)^```", text(page), flags=re.M | re.S) if not language]
    lines = "\n".join(blocks).replace("\\\n", " ").splitlines()
    lines += re.findall(r"`((?:build/release/)?heed(?:-bench)? [^`\n]+|\./run [^`\n]+|python3 [^`\n]+)`", prose(page))
    for line in lines:
        try:
            yield line, shlex.split(line, comments=True)
        except ValueError:  # a sentence with an apostrophe
            continue


def simple_commands(words):
    """The parts of a line between ;, |, && and redirections, of which each begins with a program."""
    part = []
    for word in words + [";"]:
        if word in (";", "|", "&&", "do", "done", "||", "<", ">", "2>") or word.endswith(";"):
            if part + ([word.rstrip(";")] if word.rstrip(";") and word.endswith(";") else []):
                yield part + ([word[:-1]] if len(word) > 1 and word.endswith(";") else [])
            part = []
        else:
            part.append(word)


@functools.lru_cache(maxsize=None)
def help_of(*command, program=HEED):
    done = subprocess.run([program, *command, "--help"], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else ""


def source_of(script, seen=frozenset()):
    """A Python script, and the modules of its folder that it imports."""
    own = text(script)
    names = set(re.findall(r"^(?:import|from) (\w+)", own, flags=re.M)) - seen
    modules = [script.parent / f"{name}.py" for name in names if (script.parent / f"{name}.py").is_file()]
    return own + "".join(source_of(module, seen | names) for module in modules)


def configurations(page):
    """The code blocks that are YAML, whole or a part of a file."""
    blocks = re.findall(r"^```(yaml)?\n(.*?)^```", text(page), flags=re.M | re.S)
    return [block for language, block in blocks if language or re.match(r"[a-z]+:[ \n]", block)]


def anchors(page):
    for heading in re.findall(r"^#+ (.+)$", prose(page), flags=re.M):
        plain = re.sub(r"[`*\[\]()]", "", heading).lower()
        yield re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def bare(code):
    """C++ code without its comments and literals."""
    blank = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"' + r"|'(?:\\.|[^'\\\n])'"
    return re.sub(blank, "", code, flags=re.S)


def class_names(code):
    """The classes, structures and enumerations that C++ code defines outside unnamed namespaces, nested ones, too."""
    code = bare(code)
    opening = re.compile(r"namespace\s*([\w:]*)\s*\{|(?:class|struct|union|enum)\s+(?:class\s+)?(?:\[\[\w+\]\]\s*)?"
                         r"(\w+(?:::\w+)*)(?:\s+final)?\s*(?::[^;{}()]*)?\{|[{}]")
    hidden = []  # for each open brace: whether it is that of an unnamed namespace
    for found in opening.finditer(code):
        if found.group() == "}":
            del hidden[-1:]
            continue
        if found.group(2) and "::" not in found.group(2) and not any(hidden):
            yield found.group(2)
        hidden.append(found.group(1) == "")


def metrics_named(code, keys):
    """The metrics that C++ or JavaScript code names: as a text, a value of Metric, a member or a key of an object."""
    keys = set(re.findall(rf"\b(?:{'|'.join(keys)})\b", code))  # most files have none of these words
    if not keys:
        return keys
    code = re.sub(r"(?<!:)//[^\n]*|/\*.*?\*/", "", code, flags=re.S)
    pattern = r"\"{0}\"|'{0}'|\bMetric::{0}\b|(?:scores|values|line|best|event|validation)(?:\.|->){0}\b|[{{,]\s*{0}:"
    return {key for key in keys if re.search(pattern.format(key), code)}


def folded(code, pattern, mark):
    """The code with a mark for what is between brackets, the innermost ones first."""
    count = 1
    while count:
        code, count = re.subn(pattern, mark, code)
    return code


def changing_fields(members):
    """The fields that may be assigned among members of a class; @ stands for each block in braces."""
    members = re.sub(r"operator\s*(?:\(\)|[^\w\s(]+)", "operator_", members)
    for pattern, mark in ((r"\([^()]*\)", "%"), (r"<[^<>;]*>", "")):
        members = folded(members, pattern, mark)
    set_up = r"[\w:]+\s*[%@][\s.]*"
    body = rf"[^;@%=]*%(?:[^;@=:]|::)*(?::\s*{set_up}(?:,\s*{set_up})*)?@"
    for member in re.sub(body, ";", members).split(";")[:-1]:
        declared = re.split("[=@]", member)[0].strip()
        other = r"(using|friend|typedef|template|enum|struct|class|union|static|inline static|constexpr)\b|const\b[^*]*$"
        fixed = r"(&|\bconst\b)\s*\w+$"
        if declared and "%" not in declared and not re.match(other, declared) and not re.search(fixed, declared):
            yield declared


def half_open_types(code):
    """The classes with public fields that may be assigned, and the structures that have more than a public part: (its name, a
    field or part)."""
    head = re.compile(r"\b(class|struct)\s+(?:\[\[\w+\]\]\s*)?([\w:]+)(?:<[^;{}]*>)?(?:\s+final)?\s*(?::(?!:)[^;(){}]*)?$")
    found = []

    def fold(block):
        begin = max(block.string.rfind(mark, 0, block.start()) for mark in ";{}@") + 1
        if kind := head.search(block.string[begin:block.start()]):
            parts = re.split(r"\b(public|protected|private)\s*:(?!:)", block[1])
            if kind[1] == "struct":
                found.extend((kind[2], part) for part in parts[1::2] if part != "public")
            else:
                found.extend((kind[2], field) for access, part in zip(parts[1::2], parts[2::2]) if access == "public"
                             for field in changing_fields(part))
        return "@"

    folded(re.sub(r"^\s*#(?:[^\n]*\\\n)*[^\n]*", "", bare(code), flags=re.M), r"\{([^{}]*)\}", fold)
    return found


class Docs(unittest.TestCase):
    def test_links_resolve(self):
        for page in PAGES:
            for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
                if re.match(r"https?:", target):
                    continue
                path, _, anchor = target.partition("#")
                found = (page.parent / path) if path else page
                self.assertTrue(found.exists(), f"{page.name}: {target}")
                if anchor:
                    self.assertIn(anchor, list(anchors(found)), f"{page.name}: {target}")

    def test_every_page_is_on_the_map(self):
        map_page = text(ROOT / "docs/README.md")
        for page in (ROOT / "docs").glob("*.md"):
            if page.name != "README.md":
                self.assertIn(f"({page.name})", map_page)

    def test_paths_exist(self):
        pattern = r"`((?:src|apps|tests|configs|data_scripts|docs|cmake)/[\w./*-]*)`"
        for page in PAGES:
            for path in re.findall(pattern, prose(page)):
                if any(ROOT.glob(f"tests/*/toy/**/{pathlib.Path(path).name}")):  # an example of extending.md
                    continue
                there = list(ROOT.glob(path.rstrip("/"))) or list(ROOT.glob(path + ".*"))
                self.assertTrue(there, f"{page.name}: {path}")

    def test_commands_and_options_exist(self):
        seen = 0
        for page in PAGES:
            for line, words in commands(page):
                for part in simple_commands(words):
                    program = re.fullmatch(r"(?:build/release/)?(heed(?:-bench)?)", part[0]) if part else None
                    if not program or len(part) < 2:
                        continue
                    if not re.fullmatch(r"[a-z]+", part[1]):  # heed COMMAND, heed --version
                        continue
                    program = {"heed": HEED, "heed-bench": BENCH}[program[1]]
                    shown = help_of(part[1], program=program)
                    self.assertTrue(shown, f"{page.name}: no such command: {line}")
                    seen += 1
                    for word in part[2:]:
                        option = word.split("=")[0]
                        if re.fullmatch(r"--?[a-z][\w-]*", option):
                            known = re.search(rf"(^|[\s,]){re.escape(option)}([\s,]|$)", shown + help_of(program=program))
                            self.assertTrue(known, f"{page.name}: {option} in: {line}")
        self.assertGreater(seen, 30)

    def test_scripts_their_options_and_configurations_exist(self):
        seen = 0
        for page in PAGES:
            for line, words in commands(page):
                for part in simple_commands(words):
                    for word in part:
                        if re.fullmatch(r"configs/\w+\.yaml", word):
                            self.assertTrue((ROOT / word).is_file(), f"{page.name}: {line}")
                    # A script stands after python3, after sudo python3 or first.
                    scripts = [word for word in part[:3] if re.fullmatch(r"(data_scripts|tests)/[a-z0-9_/]+\.py", word)]
                    if not scripts:
                        continue
                    self.assertTrue((ROOT / scripts[0]).is_file(), f"{page.name}: {line}")
                    seen += 1
                    known = source_of(ROOT / scripts[0])
                    for word in part:
                        option = word.split("=")[0]
                        if re.fullmatch(r"--[a-z][\w-]*", option):
                            self.assertIn(f'"{option}"', known, f"{page.name}: {line}")
        self.assertGreater(seen, 20)

    def test_configurations_are_accepted(self):
        blocks = [(page.name, block) for page in PAGES for block in configurations(page)]
        self.assertIn("training.md", [name for name, _ in blocks])
        for name, block in blocks:
            with tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder, "page.yaml")
                file.write_text(block, encoding="utf-8")
                done = subprocess.run([HEED, "config", file], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, f"{name}: {done.stderr}")

    def test_messages_are_those_of_the_source(self):
        """troubleshooting.md quotes messages of the source, apart from what is different each time (…)."""
        sources = "".join(text(path) for kind in ("src/**/*.cpp", "apps/**/*.cpp", "src/**/*.js") for path in ROOT.glob(kind))
        literals = re.sub(r'"\s*\n\s*"', "", sources)  # a long one is cut over lines
        rows = [line for line in text(ROOT / "docs/troubleshooting.md").splitlines() if line.startswith("| `")]
        self.assertGreater(len(rows), 30)
        for row in rows:
            for message in re.findall(r"`([^`]*)`", row.split(" | ")[0]):
                for part in message.split("…"):
                    self.assertTrue(part.strip(" '") in literals, f"{message}: no source says '{part}'")

    def test_run_knows_what_the_docs_tell(self):
        usage = subprocess.run([ROOT / "run", "help"], capture_output=True, text=True).stdout
        for page in PAGES:
            for line, words in commands(page):
                for part in simple_commands(words):
                    if len(part) > 1 and part[0] == "./run" and part[1].islower():
                        self.assertRegex(usage, rf"(?m)^  {part[1]} ", f"{page.name}: {line}")

    def test_keys_exist(self):
        pattern = r"--set ((?:model|data|training|decoding|evaluation)\.[\w.]+)="
        keys = {key: page.name for page in PAGES + sorted(ROOT.glob("configs/*.yaml")) for key in re.findall(pattern, text(page))}
        self.assertGreater(len(keys), 10)
        for key, page in sorted(keys.items()):  # with a page that names it
            done = subprocess.run([HEED, "config", "--explain", key], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, f"{page}: {key}: {done.stderr}")

    def test_the_tests_of_each_promise_exist(self):
        table = text(ROOT / "docs/reliability.md").partition("## Which test holds which promise")[2].partition("\n## ")[0]
        sources = "".join(text(path) for path in ROOT.glob("tests/**/*.cpp"))
        cases = {".".join(names) for names in re.findall(r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", sources, flags=re.M)}
        rows = re.findall(r"^\| (?!promise|---)(.+?) \| (.+) \|$", table, flags=re.M)
        self.assertGreater(len(rows), 15)
        for promise, tests in rows:
            names = re.findall(r"`([^`]+)`", tests)
            self.assertTrue(names, promise)
            for name in names:
                self.assertTrue(name in cases or (ROOT / name).is_file(), f"{promise}: no test is called {name}")

    def test_help_ends_with_two_examples(self):
        names = re.findall(r"^  ([a-z]+) {2,}", help_of().partition("Make a model:")[2], flags=re.M)
        self.assertGreater(len(names), 15)
        for command in names:
            examples = help_of(command).partition("\n\nExamples:\n")[2].strip().splitlines()
            self.assertEqual(len(examples), 2, command)
            for example in examples:
                self.assertIn("heed " + command, example)


class House(unittest.TestCase):
    def test_each_attention_is_one_file_and_one_line(self):
        folder = ROOT / "src/model/recurrent/attention"
        names = re.findall(r"^HEED_ATTENTION\((\w+),", text(folder / "registry.def"), flags=re.M)
        self.assertEqual(len(names), len(set(names)))
        for name in names:
            made = [path.name for path in folder.glob("*.cpp") if f"make_{name}(" in text(path)]
            self.assertEqual(made, [f"{name}.cpp"])
            self.assertTrue(text(folder / f"{name}.cpp").startswith("//"), f"{name}.cpp begins with its equation")

    def test_each_kind_of_position_and_normaliser_is_one_file_and_one_line(self):
        for folder, macro, function in (
            ("src/model/transformer/positions", "HEED_POSITIONS", "PositionsPtr make_{}("),
            ("src/kernels/normalisers", "HEED_NORMALISER", "Tensor {}(const Tensor& scores)"),
        ):
            lines = text(ROOT / folder / "registry.def")
            names = re.findall(rf"^{macro}\((\w+),", lines, flags=re.M)
            self.assertEqual(len(names), len(set(names)))
            for name in names:
                files = (ROOT / folder).glob("*.cpp")
                made = [path.name for path in files if function.format(name) in text(path)]
                self.assertEqual(made, [f"{name}.cpp"])
                self.assertTrue(text(ROOT / folder / f"{name}.cpp").startswith("//"), f"{name}.cpp begins with its equation")

    def test_registries_are_the_only_lists_of_their_names(self):
        """Code that computes asks a registry once what a name stands for, and compares no strings after that."""
        names = set()
        for path in (ROOT / "src").glob("**/registry.def"):
            names |= set(re.findall(r"^HEED_\w+\((\w+),", text(path), flags=re.M))
        self.assertGreater(len(names), 15)
        for room in ("src/engine", "src/kernels/rows"):
            for path in (ROOT / room).glob("*.*"):
                code = re.sub(r"//.*", "", text(path))
                self.assertEqual(names & set(re.findall(r'"(\w*)"', code)), set(), path)
                self.assertNotRegex(code, r'[=!]= "|" [=!]= ', path)

    def test_each_optimizer_and_schedule_is_one_function_and_one_line(self):
        train = ROOT / "src/train"
        for table, macro, function in (
            ("optimizers.def", "HEED_OPTIMIZER", "void {}_step("),
            ("schedules.def", "HEED_SCHEDULE", "double {}_factor("),
        ):
            names = re.findall(rf"^{macro}\((\w+),", text(train / table), flags=re.M)
            self.assertEqual(len(names), len(set(names)))
            self.assertGreater(len(names), 3)
            for name in names:
                made = [path.name for path in train.glob("**/*.cpp") if function.format(name) in text(path)]
                self.assertEqual(len(made), 1, name)
        for room in ("src", "apps"):
            for path in (ROOT / room).glob("**/*.*"):
                if path.suffix in (".h", ".cpp") and path != train / "config.h":  # which has the defaults
                    self.assertNotRegex(text(path), r"(Optimizer|Schedule)Kind::\w", path)

    def test_the_guide_counts_the_files_of_a_change(self):
        """Its table names as many files as it says, and each is there, or its folder where it has a name of its own."""
        rows = re.findall(r"^\| a new ([\w -]+) \| (\d) \| (.*) \|$", text(ROOT / "docs/extending.md"), flags=re.M)
        counts = {change: int(count) for change, count, _ in rows}
        self.assertEqual(counts, {"recurrent attention": 2, "self-attention": 2, "kind of position": 2, "normaliser": 2,
                                  "optimizer": 2, "schedule": 2, "loss": 3, "metric": 2, "command": 2, "import format": 2,
                                  "document format": 2, "page": 4})
        for change, count, files in rows:
            paths = re.findall(r"`((?:src|apps)/[^`]+)`", files)
            self.assertEqual(len(paths), int(count), change)
            for path in paths:
                self.assertTrue((ROOT / (path if "<" not in path else path.rpartition("/")[0])).exists(), path)
        # The examples, which are built and tested, have so many files, too.
        examples = {
            "recurrent attention": ["model/toy/cosine.cpp", "model/toy/model/recurrent/attention/registry.def"],
            "self-attention": ["model/toy/qk_norm.cpp", "model/toy/model/transformer/attention/registry.def"],
            "kind of position": ["model/toy/kerple.cpp", "model/toy/model/transformer/positions/registry.def"],
            "normaliser": ["model/toy/sigmoids.cpp", "model/toy/kernels/normalisers/registry.def"],
            "optimizer": ["train/toy/momentum.cpp", "train/toy/train/optimizers.def"],
            "schedule": ["train/toy/linear.cpp", "train/toy/train/schedules.def"],
            "metric": ["score/toy/exact.cpp", "score/toy/score/metrics.def"],
            "command": ["cli/toy/pairs.cpp", "cli/toy/apps/commands.def"],
            "import format": ["exchange/toy/lab.cpp", "exchange/toy/exchange/formats.def"],
            "page": ["draw/toy/draw/page/pairs.html", "draw/toy/pairs_page.cpp", "draw/toy/draw/pages.def", "cli/toy/pairs.cpp"],
        }
        self.assertEqual({change: len(files) for change, files in examples.items()} | {"loss": 3, "document format": 2}, counts)
        there = {path.relative_to(ROOT / "tests").as_posix() for path in ROOT.glob("tests/*/toy/**/*.*")}
        self.assertEqual(there, {file for files in examples.values() for file in files})

    def test_document_formats_are_named_in_their_table_alone(self):
        """A format is one file: no other one asks for its name. HTML and XML are names of markup, TMX and XLIFF of root elements, too."""
        table = ROOT / "src/document/formats.def"
        names = re.findall(r"^HEED_DOCUMENT_\w+\((\w+), ", text(table), flags=re.M)
        self.assertLessEqual({"csv", "html", "jsonl", "markdown", "srt", "txt", "vtt"}, set(names))
        names = [name for name in names if name not in ("html", "xml", "tmx", "xliff")]
        for path in [*ROOT.glob("src/**/*.cpp"), *ROOT.glob("src/**/*.h"), *ROOT.glob("apps/**/*.cpp"), *ROOT.glob("apps/**/*.h")]:
            if path != table:
                code = re.sub(r"^ *//.*$", "", text(path), flags=re.M)
                self.assertEqual([name for name in names if f'"{name}"' in code], [], path)

    def test_what_registries_say_of_names_are_sentences(self):
        for path in (ROOT / "src").glob("**/registry.def"):
            for line in re.findall(r"^HEED_\w+\((.*?)\)$", text(path), flags=re.M | re.S):
                said = "".join(re.findall(r'"([^"]*)"', line))
                self.assertRegex(said, r"^[A-Z].*\.$", path)

    def test_metrics_are_listed_in_their_table_alone(self):
        """Whoever needs more than one metric of translations walks the table: a chain of names would forget the next one."""
        table = ROOT / "src/score/metrics.def"
        rows = re.findall(r"^HEED_METRIC\((\w+), (\w+), (?:less|more), \w+, .*\"(\w[^\"]*\.)\"\)$", text(table), flags=re.M)
        self.assertEqual(len(rows), text(table).count("\nHEED_METRIC("))
        keys = [key for key, source, _ in rows if source != "heed"]
        self.assertLessEqual({"bleu", "chrf", "ter", "command"}, set(keys))
        choice = ROOT / "src/score/config.h"  # of the metrics that evaluations have by default
        for folder in ("src", "apps"):
            for path in [*(ROOT / folder).rglob("*.h"), *(ROOT / folder).rglob("*.cpp"), *(ROOT / folder).rglob("*.js")]:
                if path != choice:
                    self.assertLessEqual(len(metrics_named(text(path), keys)), 1, f"{path}: read {table.relative_to(ROOT)}")
                self.assertNotRegex(text(path), r"\bcase (\w+::)*Metric::", path)

    def test_lists_of_metrics_are_found(self):
        keys = ["bleu", "chrf", "ter"]
        for code in ('names = {"bleu", "chrf"};', "if (m == Metric::bleu || m == score::Metric::chrf)", "scores.bleu = scores.chrf;",
                     "const S = { bleu: 1, chrf: 2 };", '(m == "bleu" ? a : line->chrf) = 1;'):
            self.assertEqual(metrics_named(code, keys), {"bleu", "chrf"}, code)
        for code in ('arguments = {"--chrf-lowercase"};  // as "bleu"', "config.ter, chrf_word_order", "statistics.bleu"):
            self.assertEqual(metrics_named(code, keys), set(), code)

    def test_parameterised_cases_have_names(self):
        for path in ROOT.glob("tests/**/*_test.cpp"):
            for made in re.findall(r"INSTANTIATE_TEST_SUITE_P\((.*?)\);\n\n", text(path), flags=re.S):
                self.assertRegex(made, r"\(const auto& info\)|name_of", f"{path.name}: {made[:60]}")

    def test_scripts_that_change_the_folder_do_not_heed_cdpath(self):
        listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
        for name in listed:
            script = (ROOT / name).read_bytes()
            if not re.match(rb"#!.*\b(ba)?sh\n", script):
                continue
            changes = re.search(rb"^[^#\n]*\bcd ", script, flags=re.M)
            if changes:
                self.assertIn(b"\nunset CDPATH", script[:changes.start()], name)

    def test_pages_files_are_right(self):
        folder = ROOT / "src/draw/page"
        for path in folder.glob("*.css"):
            self.assertEqual(text(path).count("{"), text(path).count("}"), path.name)
        def whole(name):
            """A page with the files in it, without marks of sections."""
            page = re.sub(r"{{> ([\w.]+)}}", lambda part: whole(part[1]), text(folder / name))
            return re.sub(r"{{[#^/][\w.]+}}", "", page)

        for path in folder.glob("*.html"):
            Tags().check(whole(path.name), path.name)
        node = shutil.which("node")
        scripts = sorted(folder.glob("*.js"))
        if node:
            parse = "for (const file of process.argv.slice(1)) new vm.Script(fs.readFileSync(file, 'utf8'), { filename: file })"
            subprocess.run([node, "-e", parse, *scripts], check=True)
        else:  # no more than that its brackets close
            for path in scripts:
                for pair in ("()", "[]", "{}"):
                    self.assertEqual(*(text(path).count(bracket) for bracket in pair), path.name)

    def test_each_page_is_one_file_one_function_and_one_line(self):
        draw = ROOT / "src/draw"
        rows = re.findall(r'^HEED_PAGE\((\w+), "([\w.]+)", k\w+,', text(draw / "pages.def"), flags=re.M)
        self.assertEqual(len(rows), text(draw / "pages.def").count("\nHEED_PAGE("))
        self.assertGreater(len(rows), 5)
        for name, style in rows:
            body = text(draw / "page" / f"{name}.html")
            self.assertNotRegex(body, r"<(!DOCTYPE|html|head|body|style)\b", f"{name}.html: frame.html has it")
            self.assertTrue(text(draw / "page" / style).startswith("{{> "), style)
            made = [path.name for path in draw.glob("*.cpp") if f'render_page("{name}"' in text(path)]
            self.assertEqual(len(made), 1, name)

    def test_each_import_format_is_one_reader_and_one_line(self):
        exchange = ROOT / "src/exchange"
        names = re.findall(r"^HEED_IMPORT\((\w+),", text(exchange / "formats.def"), flags=re.M)
        self.assertGreater(len(names), 2)
        for name in names:
            for function in (f"ForeignModel read_{name}(", f"std::string {name}_file_in("):
                made = [path.name for path in exchange.glob("*.*") if function in text(path)]
                self.assertEqual(len(made), 1, function)

    def test_no_class_name_stands_twice(self):
        """One name, one meaning: outside unnamed namespaces a class, struct or enumeration of src/ has a name of its own."""
        places = {}
        for file in sorted([*(ROOT / "src").rglob("*.h"), *(ROOT / "src").rglob("*.cpp")]):
            for name in class_names(text(file)):
                places.setdefault(name, []).append(str(file.relative_to(ROOT)))
        self.assertGreater(len(places), 300)
        self.assertEqual({}, {name: files for name, files in places.items() if len(files) > 1})

    def test_class_names_are_found(self):
        code = ('namespace a { struct One; struct One { enum class Two { x }; };  // class Three {\n'
                'struct One::Impl { int i; };\nnamespace { class Four {}; }\n'
                'class [[nodiscard]] Five final : public One { const char* s = "struct Six {"; }; }')
        self.assertEqual(["One", "Two", "Five"], list(class_names(code)))

    def test_labels_quick_and_slow_are_of_folders_of_tests_and_stand_in_the_guide(self):
        code = text(ROOT / "CMakeLists.txt")
        paces = {pace: re.search(rf"set\({pace}_labels\s+([^)]*)\)", code)[1].split() for pace in ("quick", "slow")}
        folders = {str(path.relative_to(ROOT / "tests")).replace("/", "_") for path in (ROOT / "tests").rglob("*") if path.is_dir()}
        self.assertEqual(set(), set(paces["quick"]) & set(paces["slow"]))
        self.assertEqual(set(), set(paces["quick"] + paces["slow"]) - folders)
        row = re.search(r"^\| `ctest --preset release -L slow` \| (.*) \|$", text(ROOT / "CONTRIBUTING.md"), flags=re.M)[1]
        self.assertEqual(sorted(paces["slow"]), sorted(re.findall(r"[a-z]+", row.replace(" and ", " "))))

    def test_a_type_is_a_class_or_a_value(self):
        """No class has a public field that may be assigned, no structure a part that is not public."""
        files = [file for root in ("src", "apps") for kind in ("*.h", "*.cpp") for file in sorted((ROOT / root).rglob(kind))]
        self.assertGreater(len(files), 300)
        found = [f"{file.relative_to(ROOT)}: {name}: {what}" for file in files for name, what in half_open_types(text(file))]
        self.assertFalse(found, "\n".join(found))

    def test_half_open_types_are_found(self):
        code = ('#define WRONG class Zero { public: int i; }\n'
                'template <class T> class One final : public a::Base<T> { public: One() : i_{1}, j(2) {} int i_ = {1}; '
                'const int j; class Two { int k; public: std::map<int, std::function<void(int)>> f{}; // int l;\n'
                'bool operator()(int x = 0) const { return x < 0; } T* p, q; }; private: int m; };\n'
                'struct Three { int n; struct Four { private: int o; }; void f() { int p; } };\n'
                'enum class Five : int { x }; class Six : public Base { public: int r() const; const int* s; int& t; int* const u; '
                'static int v; virtual void w() = 0; protected: int y; };')
        self.assertEqual([("Four", "private"), ("One", "int i_"), ("Six", "const int* s"), ("Two", "T* p, q"), ("Two", "std::map f")],
                         sorted(half_open_types(code)))

    def test_top_level_holds_what_it_should(self):
        listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
        if listed.returncode:
            self.skipTest("no git checkout")
        known = {"apps", "src", "configs", "data_scripts", "tests", "docs", "cmake", "findings", "run", "CMakeLists.txt",
                 "CMakePresets.json", "README.md", "CONTRIBUTING.md", "CHANGELOG.md"}
        top = {path.split("/")[0] for path in listed.stdout.splitlines()}
        self.assertEqual({name for name in top if not name.startswith(".")} - known, set())


class Tags(html.parser.HTMLParser):
    """Tags that nest."""
    ALONE = {"meta", "br", "img", "link", "input"}

    def check(self, page, name):
        self.open, self.name = [], name
        self.feed(page)
        assert not self.open, f"{name}: {self.open} are not closed"

    def handle_starttag(self, tag, attrs):
        if tag not in self.ALONE:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, f"{self.name}: </{tag}>"


if __name__ == "__main__":
    unittest.main()
