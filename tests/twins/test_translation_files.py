"""Translation files that heed fills, read by the programs that write and check them."""

import io
import shutil
import subprocess
import unittest

from twins import TwinTest, heed

try:
    import polib
    from babel.messages import pofile
    from translate.storage import pypo, tmx, xliff
except ImportError:
    polib = None
    print("NO-TRANSLATE-TOOLKIT: pip install translate-toolkit polib babel")

MODEL = {
    "type": "transformer",
    "width": 16,
    "feed_forward": 32,
    "heads": 2,
    "encoder_layers": 1,
    "decoder_layers": 1,
    "tie": "all",
}
# Enough for translations of several words.
TRAINING = {"updates": 60, "validate_every": 60, "save_every": 60, "learning_rate": 0.01}
LANGUAGES = ["--source-language", "en", "--target-language", "ru"]
NAMESPACE = "urn:oasis:names:tc:xliff:document:"
XLIFF = f"""<?xml version="1.0" encoding="UTF-8"?>
<xliff version="1.2" xmlns="{NAMESPACE}1.2">
 <file source-language="en" original="a.html" datatype="html"><body>
  <trans-unit id="1">
   <source>a <g id="1">b c</g> d &lt; <ph id="2">%s</ph></source>
   <note>c</note>
  </trans-unit>
  <trans-unit id="2"><source>c c</source><target/></trans-unit>
  <trans-unit id="3"><source>e</source><target>k &amp; l</target></trans-unit>
 </body></file>
</xliff>
"""
PO = """msgid ""
msgstr ""
"Project-Id-Version: a\\n"
"Language: ru\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && "
"n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);\\n"

#, c-format
msgid "a %s b %d c"
msgstr ""

#, c-format
msgid "a b"
msgid_plural "%d c d"
msgstr[0] ""
msgstr[1] ""

msgctxt "menu"
msgid ""
"\\n"
"a b \\"c\\"\\n"
msgstr ""

msgid "e"
msgstr "k"
"""
TMX = """<?xml version="1.0" encoding="UTF-8"?>
<tmx version="1.4"><header srclang="en" adminlang="en" o-tmf="a" datatype="plaintext"
 segtype="sentence" creationtool="a" creationtoolversion="1"/><body>
 <tu><tuv xml:lang="en"><seg>a b c</seg></tuv></tu>
 <tu><tuv xml:lang="en"><seg>e</seg></tuv><tuv xml:lang="ru"><seg>k</seg></tuv></tu>
</body></tmx>
"""


@unittest.skipIf(polib is None, "no translate-toolkit, polib and Babel")
class TranslationFiles(TwinTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.model = cls.train(cls, MODEL, "model", **TRAINING)

    def fill(self, text, kind):
        (self.folder / "in").write_text(text, encoding="utf-8")
        filled = heed("translate", self.model, self.folder / "in", "--document", kind, *LANGUAGES)
        (self.folder / "again").write_text(filled, encoding="utf-8")
        again = heed("translate", self.model, self.folder / "again", "--document", kind, *LANGUAGES)
        self.assertEqual(again, filled)
        return filled

    def test_xliff(self):
        store = xliff.xlifffile.parsestring(self.fill(XLIFF, "xliff").encode())
        first, second, third = store.units
        self.assertEqual(store.gettargetlanguage(), "ru")
        for unit in (first, second):
            self.assertTrue(unit.istranslated() or unit.isfuzzy())
            self.assertTrue(unit.target)
            self.assertTrue(unit.isreview())
            self.assertFalse(unit.isapproved())
        self.assertEqual(third.target, "k & l")

    def test_po(self):
        filled = self.fill(PO, "po")
        entries = list(polib.pofile(filled))
        self.assertEqual([entry.fuzzy for entry in entries], [True, True, True, False])
        one, plural, menu, last = entries
        self.assertLess(one.msgstr.index("%s"), one.msgstr.index("%d"))
        self.assertEqual(len(plural.msgstr_plural), 3)
        # Russian 21 has the form of 1, so that form has the number, too.
        self.assertTrue(all("%d" in form for form in plural.msgstr_plural.values()))
        self.assertEqual((menu.msgstr[0], menu.msgstr[-1]), ("\n", "\n"))
        self.assertEqual(last.msgstr, "k")
        catalog = pofile.read_po(io.BytesIO(filled.encode()))
        self.assertEqual(catalog.get("menu", "x"), None)
        self.assertEqual(catalog["a %s b %d c"].string, one.msgstr)
        self.assertEqual(len(pypo.pofile.parsestring(filled.encode()).units), 5)
        if shutil.which("msgfmt"):
            command = ["msgfmt", "-c", "--use-fuzzy", "-o", "/dev/null", "-"]
            done = subprocess.run(command, input=filled, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_tmx(self):
        store = tmx.tmxfile.parsestring(
            self.fill(TMX, "tmx").encode(), sourcelanguage="en", targetlanguage="ru"
        )
        self.assertTrue(store.units[0].target)
        self.assertEqual(store.units[1].target, "k")


if __name__ == "__main__":
    unittest.main()
