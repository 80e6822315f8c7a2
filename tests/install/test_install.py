"""What `./run install` puts into a folder works from any other, may be moved, and goes again without a trace."""
import os
import pathlib
import re
import resource
import shutil
import subprocess
import tempfile
import unittest

import checkout
import toy

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "cmake/packaging/install.sh"
BUILD = pathlib.Path(os.environ.get("HEED_BUILD", ROOT / "build/release"))
# The environment of a shell that knows nothing of this checkout.
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LANG": "C.UTF-8", "CUDA_VISIBLE_DEVICES": ""}
FILES = ("share/heed/configs/demo.yaml", "share/heed/data_scripts/multi30k.py", "share/doc/heed/README.md",
         "share/doc/heed/docs/training.md", "share/doc/heed/docs/course/course.py")


def contents(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def script(*arguments):
    return subprocess.run([SCRIPT, *arguments], capture_output=True, text=True)


def setUpModule():
    done = script("stage", BUILD)
    assert done.returncode == 0, done.stderr


def tearDownModule():
    shutil.rmtree(BUILD / "stage")


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="heed install ", dir=BUILD))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.prefix = cls.folder / "for everybody"
        # Files that were there before stay as they are.
        (cls.prefix / "share/doc").mkdir(parents=True)
        (cls.prefix / "share/doc/other").write_text("another program's")
        (cls.prefix / "bin").mkdir(mode=0o700)
        cls.before = contents(cls.prefix)
        done = script("install", BUILD / "stage", cls.prefix)
        assert done.returncode == 0, done.stderr
        cls.elsewhere = cls.folder / "elsewhere"
        cls.elsewhere.mkdir()

    def heed(self, *arguments, prefix=None, **variables):
        done = subprocess.run([(prefix or self.prefix) / "bin/heed", *arguments], capture_output=True, text=True,
                              cwd=self.elsewhere, env={**ENVIRONMENT, **variables})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_it_runs_and_is_complete(self):
        self.assertRegex(self.heed("--version"), r"^heed \d")
        for file in FILES:
            self.assertTrue((self.prefix / file).read_text(encoding="utf-8"), file)
        self.assertEqual((self.prefix / "share/doc/other").read_text(), "another program's")
        self.assertEqual((self.prefix / "bin").stat().st_mode & 0o777, 0o700)

    def test_all_may_read_it(self):
        for name in (self.prefix / "lib/heed/manifest").read_text().splitlines():
            mode = (self.prefix / name).stat().st_mode
            wanted = 0o555 if name.endswith("/") or name.startswith("bin/") else 0o444
            self.assertEqual(mode & wanted, wanted, name)

    def test_libraries_are_those_that_it_brought(self):
        programs = [self.prefix / "bin/heed", self.prefix / "lib/heed/heed-torch"]
        for program in programs:
            done = subprocess.run(["ldd", program], capture_output=True, text=True, env=ENVIRONMENT)
            self.assertNotIn("not found", done.stdout)
            self.assertEqual("libtorch" in done.stdout, program == programs[1])
            for line in done.stdout.splitlines():
                name, arrow, path = line.partition(" => ")
                if arrow and not str(path).startswith(str(self.prefix)):
                    self.assertRegex(name.strip(), r"^lib(c|m|dl|rt|util|pthread|stdc\+\+|gcc_s)\.so|^linux-vdso", line)
        # Nor does any of them name a folder of this machine.
        for library in [*programs, *(self.prefix / "lib/heed").glob("*.so*")]:
            dynamic = subprocess.run(["readelf", "-d", library], capture_output=True, text=True, check=True).stdout
            for line in dynamic.splitlines():
                if "PATH)" in line:
                    paths = line[line.index("[") + 1:line.index("]")].split(":")
                    self.assertTrue(all(path.startswith("$ORIGIN") for path in paths), f"{library}: {line}")

    def test_without_its_half_of_libtorch_it_says_so(self):
        half = self.prefix / "lib/heed/heed-torch"
        moved = half.rename(self.elsewhere / "heed-torch")
        self.addCleanup(moved.rename, half)
        self.assertIn("name: demo", self.heed("config", "configs/demo.yaml"))
        done = subprocess.run([self.prefix / "bin/heed", "train", "x.yaml"], capture_output=True, text=True, env=ENVIRONMENT)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^heed: .*/heed-torch: No such file or directory; this command needs it, .*\n$")

    def test_licences_of_what_it_carries_are_beside_it(self):
        notices = (self.prefix / "share/doc/heed/THIRD_PARTY").read_text(encoding="utf-8")
        carried = {library.name for library in (self.prefix / "lib/heed").glob("*.so*")} - {"libheed_nccl.so", "libheed_gpu.so"}
        named = set(re.findall(r"^  (\S+) \(.+\)$", notices, flags=re.M))
        self.assertLessEqual(carried | {"CLI.hpp", "json.hpp"}, named)
        for project in ("yaml-cpp", "zlib", "Zstd", "spdlog", "CLI11"):  # whose authors these are
            self.assertTrue(f"Upstream-Name: {project}" in notices, project)
        self.assertTrue((self.prefix / "share/doc/heed/licences/libtorch/LICENSE").is_file())

    def test_it_has_the_labs(self):
        self.assertIn("  1       10  The bottleneck", self.heed("course"))
        self.heed("course", "start", "7", "-o", "cache")
        self.assertTrue((self.elsewhere / "cache/cache.py").is_file())

    def test_it_trains_ten_updates_and_translates(self):
        settings = toy.write(self.elsewhere)
        self.heed("train", settings)
        self.assertEqual(len(self.heed("translate", "runs/toy", toy.SOURCE).splitlines()), toy.PAIRS)

    def test_sacrebleu_is_that_of_its_own_environment(self):
        scorer = self.prefix / "lib/heed/python/bin/sacrebleu"
        scorer.parent.mkdir(parents=True)
        self.addCleanup(shutil.rmtree, self.prefix / "lib/heed/python")
        scorer.write_text(f"#!/bin/sh\necho '{checkout.SCORES}'\n")
        scorer.chmod(0o755)
        self.assertIn(f"sacrebleu    {scorer}\n", self.heed("doctor"))

    def test_configurations_are_found_from_any_folder(self):
        self.assertIn("name: demo", self.heed("config", "configs/demo.yaml"))
        (self.elsewhere / "configs").mkdir()
        self.addCleanup(shutil.rmtree, self.elsewhere / "configs")
        (self.elsewhere / "configs/demo.yaml").write_text("name: mine\n")
        self.assertIn("name: mine", self.heed("config", "configs/demo.yaml"))

    def test_a_link_to_it_and_a_moved_folder_work(self):
        (self.elsewhere / "heed").symlink_to(self.prefix / "bin/heed")
        self.addCleanup((self.elsewhere / "heed").unlink)
        done = subprocess.run([self.elsewhere / "heed", "config", "configs/demo.yaml"], capture_output=True, text=True,
                              cwd=self.elsewhere, env=ENVIRONMENT)
        self.assertIn("name: demo", done.stdout)
        moved = self.folder / "moved"
        self.prefix.rename(moved)
        self.addCleanup(moved.rename, self.prefix)
        self.assertIn("name: demo", self.heed("config", "configs/demo.yaml", prefix=moved))

    def test_z_again_and_away(self):
        first = contents(self.prefix)
        (self.prefix / "share/heed/configs/demo.yaml").unlink()
        again = script("install", BUILD / "stage", self.prefix)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(contents(self.prefix), first)
        (self.prefix / "share/heed/data_scripts/__pycache__").mkdir()
        (self.prefix / "share/heed/mine.yaml").write_text("name: mine\n")
        away = script("uninstall", self.prefix)
        self.assertEqual(away.returncode, 0, away.stderr)
        self.assertIn("share/heed stays", away.stderr)
        shutil.rmtree(self.prefix / "share/heed")
        self.assertEqual(contents(self.prefix), self.before)
        self.assertIn("nothing here was installed", script("uninstall", self.prefix).stderr)


class Run(unittest.TestCase):
    """`run` itself, where nothing is fetched or built."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="heed run ", dir=BUILD))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.checkout = self.folder / "checkout"
        self.environment = checkout.make(self.checkout, BUILD / "stage")

    def run_it(self, *arguments, status=0, **variables):
        """Runs a command in self.folder, which is the home of the user, too."""
        own = {"PATH": f"{self.checkout / 'bin'}:{os.environ['PATH']}", "HOME": str(self.folder)}
        done = subprocess.run([self.checkout / "run", *arguments], capture_output=True, text=True, cwd=self.folder,
                              env={**self.environment, **own, **variables})
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def test_install_and_uninstall(self):
        prefix = self.folder / "for me"
        done = self.run_it("install", "--prefix=~/for me")
        for file in FILES:
            self.assertTrue((prefix / file).is_file(), file)
        version = subprocess.run([prefix / "bin/heed", "--version"], capture_output=True, text=True, env=ENVIRONMENT)
        self.assertRegex(version.stdout, r"^heed \d")
        self.assertIn(f"sacrebleu    {prefix}/lib/heed/python/bin/sacrebleu\n", done.stdout)  # heed doctor
        self.assertIn(f'export PATH="{prefix}/bin:$PATH"', done.stdout)
        self.assertFalse((self.checkout / "build/release/stage").exists())
        self.run_it("uninstall", "--prefix", "for me")
        self.assertEqual(contents(prefix), [])
        self.assertIn("nothing here was installed", self.run_it("uninstall", "--prefix", "for me", status=1).stderr)

    def test_cdpath_leads_into_no_other_folder(self):
        other = self.folder / "elsewhere/checkout/build"
        other.mkdir(parents=True)
        own = self.checkout / "build"
        self.assertTrue(own.is_dir())
        done = subprocess.run(["bash", "checkout/run", "clean"], cwd=self.folder, capture_output=True, text=True,
                              env={**self.environment, "CDPATH": str(self.folder / "elsewhere")})
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertTrue(other.is_dir())
        self.assertFalse(own.exists())

    def test_a_prefix_without_a_folder_is_refused(self):
        for given in (["--prefix"], ["--prefix", ""], ["--prefix="]):
            self.assertIn("run: --prefix needs a folder", self.run_it("install", *given, status=1).stderr)

    def test_a_bundle_needs_a_folder_and_a_corpus(self):
        for given in ([], ["-DHEED_NCCL=OFF"]):
            self.assertIn("run: gpu-bundle needs the name of a folder", self.run_it("gpu-bundle", *given, status=1).stderr)
        done = self.run_it("gpu-bundle", "there", status=1)
        self.assertIn("run: there is no data/multi30k; python3 data_scripts/multi30k.py makes it", done.stderr)
        self.assertFalse((self.folder / "there").exists())

    def test_sudo_is_for_other_folders_than_ones_own(self):
        self.assertIn("name another folder by --prefix", self.run_it("install", status=1, SUDO_USER="somebody").stderr)

    def test_all_may_read_what_a_checkout_keeps_to_itself(self):
        staged = self.folder / "staged"
        shutil.copytree(BUILD / "stage/share/heed", staged / "share/heed")
        for path in staged.rglob("*"):
            path.chmod(0o700 if path.is_dir() else 0o600)
        self.environment["STAGED"] = str(staged)
        stage = subprocess.run([self.checkout / "cmake/packaging/install.sh", "stage", self.checkout / "build/release"],
                               env={**self.environment, "PATH": f"{self.checkout / 'bin'}:{os.environ['PATH']}"})
        self.assertEqual(stage.returncode, 0)
        for path in (self.checkout / "build/release/stage").rglob("*"):
            self.assertEqual(path.stat().st_mode & 0o044, 0o044, path)

    def test_what_uninstall_does_not_know_takes_nothing_away(self):
        manifest = self.folder / ".local/lib/heed/manifest"
        manifest.parent.mkdir(parents=True)
        manifest.write_text("lib/heed/manifest\n")
        done = self.run_it("uninstall", "for me", status=1)
        self.assertEqual(done.stderr, "run: uninstall: 'for me' is unknown; --prefix names the folder\n")
        self.assertTrue(manifest.is_file())

    def test_downloads_are_shown(self):
        lines = self.run_it("setup", MISSING="yes").stderr.splitlines()
        for line in ("    Get:1 http://mirror.example/debian bookworm InRelease [151 kB]",
                     "    Need to get 907 kB of archives.",
                     "    Get:1 http://mirror.example/debian bookworm/main amd64 zsh amd64 5.9-4 [907 kB]",
                     "    Fetched 907 kB in 1s (1,234 kB/s)",
                     "    Downloading torch-2.11.0-cp311-none-linux_x86_64.whl (123.4 MB)"):
            self.assertIn(line, lines)
        for line in lines:
            self.assertNotRegex(line, "Reading|Setting up|Collecting")

    def test_libtorch_of_an_earlier_call_is_not_fetched(self):
        cache = self.checkout / "build/release/CMakeCache.txt"
        cache.write_text("LIBTORCH:PATH=/opt/libtorch\n")
        self.run_it("setup")
        self.assertEqual(len(self.calls()), 1)  # sacrebleu
        self.run_it("setup", "-DLIBTORCH=")
        self.assertEqual(len(self.calls()), 2)

    def test_a_package_source_that_does_not_answer_is_no_end(self):
        done = self.run_it("setup", MISSING="yes", STALE="yes")
        self.assertIn("==> apt-get update failed; going on with the lists that are there\n", done.stderr)
        self.assertEqual(len(self.calls()), 2)

    def test_too_old_programs_are_named_before_anything_is_fetched(self):
        self.assertIn("run: heed needs CMake 3.25, and this one is 3.22.1;",
                      self.run_it("setup", status=1, CMAKE="3.22.1").stderr)
        for version in ("3.9", "3.15"):
            self.assertIn(f"has packages for Python 3.10 to 3.14, and .venv has {version}; delete .venv,",
                          self.run_it("setup", status=1, PYTHON=version).stderr)
            self.run_it("setup", "-DLIBTORCH=/opt/libtorch", PYTHON=version)  # sacrebleu alone
        self.assertNotIn("torch==", "".join(self.calls()))

    def test_another_libtorch_is_installed_where_it_is_chosen_and_stays(self):
        self.run_it("setup")
        self.run_it("setup", HEED_TORCH="2.15.0")
        self.run_it("setup")
        self.assertEqual(len(self.calls()), 3)  # sacrebleu once
        self.assertRegex(self.calls()[0], r"--no-deps --no-compile torch==2\.11\.0 nvidia-cuda-runtime==13\.0\.96 nvidia-cuda-cupti==13\.0\.85$")
        self.assertRegex(self.calls()[2], r"--no-deps --no-compile torch==2\.15\.0 nvidia-cuda-runtime==13\.2\.86 nvidia-cuda-cupti==13\.2\.86$")
        for _ in range(2):
            self.run_it("setup", HEED_TORCH="")
            self.run_it("setup")
        self.assertEqual(self.calls()[3:], self.calls()[:1])

    def test_libraries_for_gpus_are_of_the_same_libtorch(self):
        self.run_it("setup")
        (self.checkout / ".venv/.heed-gpu").write_text("of ./run gpu")
        self.run_it("setup", HEED_TORCH="2.15.0")
        self.assertIn(" nvidia-nccl-cu13==2.30.7 ", self.calls()[3])
        self.run_it("setup", HEED_TORCH="2.11.0")
        self.assertIn(" nvidia-nccl-cu13==2.28.9 ", self.calls()[5])

    def test_a_libtorch_that_was_not_tried_or_is_not_used_is_named(self):
        done = self.run_it("setup", status=1, HEED_TORCH="2.13.0")
        self.assertEqual(done.stderr, "run: HEED_TORCH: heed was not tried with LibTorch 2.13.0; it takes one of 2.11.0 2.15.0, without a "
                                      "value the first; -DLIBTORCH=FOLDER takes any from 2.11 on\n")
        done = self.run_it("setup", "-DLIBTORCH=/opt/libtorch", status=1, HEED_TORCH="2.15.0")
        self.assertIn("run: HEED_TORCH is for the LibTorch of .venv", done.stderr)
        for version in ("3.10", "3.16"):
            done = self.run_it("setup", status=1, HEED_TORCH="2.15.0", PYTHON=version)
            self.assertIn(f"LibTorch 2.15.0 has packages for Python 3.11 to 3.15, and .venv has {version};", done.stderr)
        self.assertFalse((self.checkout / ".venv/calls").exists())

    def calls(self):
        """The arguments with which pip in .venv was called, each time."""
        return (self.checkout / ".venv/calls").read_text().splitlines()

    def test_a_moved_checkout_is_set_up_again(self):
        self.run_it("setup")
        self.run_it("setup")
        self.assertEqual(len(self.calls()), 2)  # LibTorch and sacrebleu, once
        self.checkout = self.checkout.rename(self.folder / "moved")
        self.run_it("setup")
        self.run_it("setup")
        torch, scoring = self.calls()[2:]
        self.assertRegex(torch, r"--no-deps --no-compile torch==")
        self.assertNotIn("--force-reinstall", torch)  # nothing of it is fetched again
        self.assertRegex(scoring, r"--force-reinstall sacrebleu==")

    def test_an_environment_whose_python_is_gone_is_made_anew(self):
        self.run_it("setup")
        working = (self.checkout / ".venv/bin/python3").rename(self.folder / "working")
        maker = self.checkout / "bin/python3"
        maker.write_text(f"""#!/bin/sh
[ "$1" = -c ] && exit
echo "$*" > made
rm .venv/.heed-*
cp "{working}" .venv/bin/python3
""")
        maker.chmod(0o755)
        done = self.run_it("setup")
        self.assertIn("==> .venv: its Python is gone, or another version; the environment is made anew\n", done.stderr)
        self.assertEqual((self.checkout / "made").read_text(), "-m venv --clear .venv\n")
        self.assertEqual(len(self.calls()), 4)
        self.assertNotIn("--force-reinstall", "".join(self.calls()))

    def start(self, *command):
        """Starts a command in the checkout, as by hand."""
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.checkout)
        self.assertEqual(done.returncode, 0, done.stderr)

    def generate(self, *options):
        self.start("python3", "data_scripts/demo_corpus.py", *options)

    def runs(self):
        return sorted(path.name for path in (self.checkout / "runs").iterdir())

    def test_the_demo_keeps_what_was_trained_on_the_same_corpus(self):
        checkout.add_demo(self.checkout)
        self.generate()
        self.start("build/release/heed", "bottleneck", "configs/demo.yaml")
        for _ in range(2):
            self.assertNotIn("another corpus", self.run_it("demo").stderr)
            self.assertEqual(self.runs(), ["demo"])
        self.assertNotIn("demo corpus", self.run_it("demo").stderr)  # which is as it was made
        shutil.rmtree(self.checkout / "data")
        self.assertIn("==> demo corpus\n", self.run_it("demo").stderr)
        self.assertEqual(self.runs(), ["demo"])

    def test_the_demo_makes_its_own_corpus_again_where_another_was_written(self):
        checkout.add_demo(self.checkout)
        self.run_it("demo")
        train = self.checkout / "data/demo/train.src"
        own = train.read_bytes()
        self.generate("--seed", "2")
        self.assertNotEqual(train.read_bytes(), own)
        self.run_it("demo")
        self.assertEqual(train.read_bytes(), own)
        self.assertEqual(self.runs(), ["demo"])  # trained on what is there again
        (self.checkout / "data/demo/sets/classic.src").unlink()
        self.run_it("demo")
        self.assertTrue((self.checkout / "data/demo/sets/classic.src").is_file())

    def test_the_demo_moves_what_was_trained_on_another_corpus_and_no_older_backup_goes(self):
        checkout.add_demo(self.checkout)
        self.generate("--seed", "2")
        self.start("build/release/heed", "bottleneck", "configs/demo.yaml")
        for number in ("", ".2"):
            backup = self.checkout / f"runs/demo.old{number}"
            backup.mkdir()
            (backup / "mine").write_text(number)
        done = self.run_it("demo")
        self.assertIn("==> runs/demo was trained on another corpus: now runs/demo.old.3\n", done.stderr)
        self.assertEqual(self.runs(), ["demo", "demo.old", "demo.old.2", "demo.old.3"])
        self.assertEqual((self.checkout / "runs/demo.old/mine").read_text(), "")
        self.assertEqual((self.checkout / "runs/demo.old.2/mine").read_text(), ".2")
        self.assertTrue((self.checkout / "runs/demo.old.3/none/provenance.json").is_file())
        self.assertNotIn("another corpus", self.run_it("demo").stderr)

    def test_packages_that_cannot_be_installed_are_named(self):
        done = self.run_it("aarch64", status=1, MISSING="yes", BROKEN="yes")
        self.assertIn("run: apt-get could not install: g++ cmake ninja-build ", done.stderr)


class Refused(unittest.TestCase):
    def test_what_is_there_is_not_overwritten(self):
        with tempfile.TemporaryDirectory() as folder:
            other = pathlib.Path(folder, "bin/heed")
            other.parent.mkdir()
            other.write_text("another program")
            done = script("install", BUILD / "stage", folder)
            self.assertEqual(done.returncode, 1)
            self.assertIn("bin/heed is there, and not by ./run install", done.stderr)
            self.assertEqual(contents(pathlib.Path(folder)), ["bin", "bin/heed"])

    def test_a_full_disk_leaves_the_earlier_program(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            for number, size in ((1, 10), (2, 100_000)):
                for name in ("bin/heed", "lib/heed/libtorch.so", f"share/heed/of {number}"):
                    file = folder / f"stage {number}" / name
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_bytes(str(number).encode() * size)
            prefix = folder / "there"

            def install(number, limit=resource.RLIM_INFINITY):
                return subprocess.run([SCRIPT, "install", folder / f"stage {number}", prefix], capture_output=True, text=True,
                                      preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))

            def installed():
                return {str(file.relative_to(prefix)): file.read_bytes() for file in prefix.rglob("*") if file.is_file()}

            self.assertEqual(install(1).returncode, 0)
            before = installed()
            # A limit of files' sizes stands in for a disk without room.
            full = install(2, limit=10_000)
            self.assertEqual(full.returncode, 1)
            self.assertIn("what was installed is as it was", full.stderr)
            self.assertEqual(installed(), before)
            self.assertEqual(install(2).returncode, 0)
            self.assertEqual(sorted(installed()), ["bin/heed", "lib/heed/libtorch.so", "lib/heed/manifest", "share/heed/of 2"])

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_a_folder_of_others_says_what_to_do(self):
        done = script("install", BUILD / "stage", "/usr/lib/heed-test")
        self.assertIn("choose another folder by --prefix", done.stderr)


if __name__ == "__main__":
    unittest.main()
