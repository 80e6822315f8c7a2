#!/usr/bin/env bash
# md4c 0.4.8, in pymd4c 1.3.0 of PyPI, is said to read GitHub's tables. It reads two kinds of them differently from GitHub's own cmark
# (cmarkgfm 2024.11.20 of PyPI):
#
# - A cell of the rule below the header needs three characters, so |-|-| is no table. GitHub's specification asks for one dash or more.
# - If the header has more cells than the rule, the table has as many columns as the rule, and the text of the other cells of the header
#   is in no callback and in no output. By GitHub's specification this is no table, and all text stays.
#
# Seen on 29 November 2026. About 1 MB is fetched.
set -euo pipefail
unset CDPATH  # by which cd may go elsewhere
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pymd4c==1.3.0 cmarkgfm==2024.11.20
cd "$folder"
cat > tables.py <<'PY'
import glob
import importlib.metadata
import os
import sys

import cmarkgfm
import md4c

for name in ("pymd4c", "cmarkgfm"):
    print(name, importlib.metadata.version(name))
libraries = glob.glob(os.path.join(os.path.dirname(os.path.dirname(md4c.__file__)), "pymd4c.libs", "libmd4c-*"))
print("brings", sorted(os.path.basename(one) for one in libraries))
renderer = md4c.HTMLRenderer(md4c.MD_FLAG_TABLES)
found = {}
for name, text in {"short": "|one|two|\n|-|-|\n|red|blue|\n", "long": "|one|two|three|\n|---|---|\n|red|blue|green|\n"}.items():
    ours, theirs = renderer.parse(text), cmarkgfm.github_flavored_markdown_to_html(text)
    found[name] = ("<table>" in ours, "<table>" in theirs, [word for word in ("three", "green") if word in text and word not in ours])
    print(repr(text), "md4c: table" if found[name][0] else "md4c: no table", "| cmark-gfm: table" if found[name][1] else "| cmark-gfm: no table",
          "| text that md4c leaves out:", found[name][2])
good = found == {"short": (False, True, []), "long": (True, False, ["three", "green"])}
print("as described" if good else "changed")
sys.exit(not good)
PY
"$folder/venv/bin/python" tables.py
