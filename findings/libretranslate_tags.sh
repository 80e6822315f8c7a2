#!/usr/bin/env bash
# libretranslate 1.9.6 with argos-translate-lt 1.12.1 (both PyPI): a sentence with a tag in it is cut at the tag, and what stands before,
# inside and after it is translated by itself. Line feeds and blanks between blocks are lost.
#
# argostranslate/tags.py translates an element of depth 2, a sentence with tags in it, as a whole, and puts the tags around the
# words that are found in the translation (inject_tags_inference()). But its depth() never counts an element: it is the largest
# depth of the children, and that of a text is 0. So every element has depth 0, and each text between two tags is translated
# alone. A text of white space alone is translated, too, into nothing.
#
# The script calls LibreTranslate's translate_html() with a translation that writes down what it is asked; no model is needed. About
# 200 MB are fetched.
# Seen on 29 November 2026.
set -euo pipefail
unset CDPATH  # by which cd may go elsewhere
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check libretranslate==1.9.6 setuptools==80.9.0
export HOME="$folder" XDG_DATA_HOME="$folder/data" XDG_CONFIG_HOME="$folder/config" XDG_CACHE_HOME="$folder/cache"
cd "$folder"
cat > tags.py <<'PY'
import importlib.metadata
import sys

from argostranslate.tags import Tag, depth
from argostranslate.translate import Hypothesis, ITranslation
from argostranslatefiles.translatehtml import translate_html


class Capitals(ITranslation):
    def __init__(self):
        self.asked = []

    def hypotheses(self, input_text, num_hypotheses=4):
        self.asked.append(input_text)
        return [Hypothesis(input_text.strip().upper(), 0)] * num_hypotheses  # models drop blanks at both ends


for name in ("libretranslate", "argos-translate-lt"):
    print(name, importlib.metadata.version(name))
capitals = Capitals()
page = "<p>Ein <b>Mann</b> rennt.</p>\n<p>Ein Hund.</p>"
answer = str(translate_html(capitals, page))
print("a sentence with a tag has depth", depth(Tag(["Ein ", Tag(["Mann"]), " rennt."])))
print("asked for", capitals.asked)
print("answered", repr(answer))
good = capitals.asked == ["Ein ", "Mann", " rennt.", "\n", "Ein Hund."] and "\n" not in answer
print("as described" if good else "changed")
sys.exit(not good)
PY
"$folder/venv/bin/python" -W ignore tags.py
