// Markdown: what is text and what is not. Blocks are CommonMark 0.31.2's, sections 4.4 to 4.6 and
// 5; markdown-it-py 4.3.0 reads all of these so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "document/document.h"
#include "document/filled.h"
#include "document/inlays.h"
#include "document/word_weights.h"
#include "message.h"
#include "text/words.h"

namespace heed::document {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Texts = std::vector<std::string>;

Document read_md(const std::string& bytes, const Texts& also = {}) {
  return {bytes, *format_named("md"), {.read = {.source_language = "en", .also = also}}};
}

Texts markdown_texts(const std::string& bytes, const Texts& also = {}) {
  Texts texts;
  const Document document = read_md(bytes, also);
  for (const Segment& segment : document.text().segments()) texts.push_back(segment.text);
  return texts;
}

/// The document with the translation of each text, by diagonal attention.
std::string markdown_with(const std::string& bytes, const std::string& translation,
                          const Texts& also = {}) {
  const Document document = read_md(bytes, also);
  Texts out;
  for (const Segment& segment : document.text().segments())
    out.push_back(translated_in_order(segment, translation));
  return document.text().with(out);
}

TEST(Markdown, AFenceEndsAtALineOfItsMarkThatIsAtLeastAsLong) {
  EXPECT_THAT(markdown_texts("```\na\n```\nb"), ElementsAre("b"));
  EXPECT_THAT(markdown_texts("```\n    ```\na\n```\nb"), ElementsAre("b"));  // indented: no end
  EXPECT_THAT(markdown_texts("   ```\n   ```\nb"), ElementsAre("b"));
  EXPECT_THAT(markdown_texts("````\n```\na\n`````  \nb"),
              ElementsAre("b"));  // too short, long enough
  EXPECT_THAT(markdown_texts("```\n~~~\n``` x\na\n```\nb"), ElementsAre("b"));
  EXPECT_THAT(markdown_texts("~~~ ``` ~~~\n```\n~~~\nb"), ElementsAre("b"));
  EXPECT_THAT(markdown_texts("```\n> ```\n```\nb"), ElementsAre("b"));
  EXPECT_THAT(markdown_texts("```\na\n\nb"), IsEmpty());  // without an end, to that of the document
  EXPECT_THAT(markdown_texts("a\n```\nb\n```"), ElementsAre("a"));
  EXPECT_THAT(markdown_texts("    ```\na"), ElementsAre("a"));
  EXPECT_THAT(markdown_texts("- a\n\n  ```\n  b\n\n  ```\n  c"), ElementsAre("a", "c"));
  EXPECT_THAT(markdown_texts("- ```\n  a\nb"), ElementsAre("b"));  // ends with the item
  EXPECT_THAT(markdown_texts("> ```\n> a\nb"), ElementsAre("b"));
  EXPECT_THAT(markdown_texts("1. a\n   > ~~~\n   > b\n   > ~~~\n   > c"), ElementsAre("a", "c"));
  EXPECT_THAT(markdown_texts("-\t```\n\ta\n\t```\nb"), ElementsAre("b"));
}

TEST(Markdown, IndentedCodeFollowsWhatIsNoParagraph) {
  EXPECT_THAT(markdown_texts("a\n    b\n\n    c\n\td\n  e"), ElementsAre("a b", "e"));
  EXPECT_THAT(markdown_texts("# a\n    b\n***\n    c\n```\n```\n    d"), ElementsAre("a"));
  EXPECT_THAT(markdown_texts("a\n=\n    b"), ElementsAre("a"));
  EXPECT_THAT(markdown_texts("- a\n\n    b\n\n        c\n\nd\n"), ElementsAre("a", "b", "d"));
  EXPECT_THAT(markdown_texts("> a\n    b\n\n>     c"), ElementsAre("a b"));
  EXPECT_THAT(markdown_texts("- a\n-\n\n    b\n"), ElementsAre("a"));  // an empty item ends there
}

TEST(Markdown, HtmlIsReadByItsTags) {
  EXPECT_THAT(markdown_texts("<!-- a\n\n```\n-->\nb"), ElementsAre("b"));
  EXPECT_THAT(markdown_texts("<?php\n\na\n?>\n<!DOCTYPE\nhtml>\n<![CDATA[\n\n]]>\nb"),
              ElementsAre("b"));
  EXPECT_THAT(markdown_texts("<Script>\n\n    a\n</script>\nb"), ElementsAre("b"));
  EXPECT_THAT(markdown_texts("<pre>\na\n\nb</pre> c\n\nd"), ElementsAre("c", "d"));
  EXPECT_THAT(markdown_texts("> <div title='a'>\n> one\n> <b>two</b>\n> </div>\n\n    code"),
              ElementsAre("one two"));
  EXPECT_THAT(markdown_texts("<p>one <code>two three</code> four<br>five</p>"),
              ElementsAre("one X1 four", "five"));
  EXPECT_THAT(markdown_texts("one <kbd>Ctrl</kbd> two <svg><g>x</g></svg> three"),
              ElementsAre("one X1 two three"));
  EXPECT_THAT(markdown_texts("one <code>two three"), ElementsAre("one two three"));
  EXPECT_THAT(markdown_texts("one <br/>two<br>\n**three<br>four**"),
              ElementsAre("one", "two", "three", "four"));
  EXPECT_EQ(markdown_with("> <div>\n> one\n> two\n> </div>\n", "x y"),
            "> <div>\n> x\n> y\n> </div>\n");
}

TEST(Markdown, EachElementOfABlockOfHtmlStaysByItself) {
  EXPECT_THAT(markdown_texts("<p>The <code>a</code> in <code>b</code> is.</p>\n"),
              ElementsAre("The X1 in X2 is."));
  EXPECT_THAT(markdown_texts("<table>\n<tr><td><code>a</code></td><td>One.</td></tr>\n"
                             "<tr><td><code>b</code></td><td>Two.</td></tr>\n</table>\n"),
              ElementsAre("One.", "Two."));
  EXPECT_THAT(markdown_texts("<tr>\n<td><kbd>a</kbd></td>\n<td>One</td></tr>\n</tbody>\n"),
              ElementsAre("One"));
  EXPECT_THAT(markdown_texts("<div>The <code>a</code> dog.</div>\n<div>The <kbd>b</kbd> cat\n"
                             "and <samp>c</samp> <b>run</b>.</div>\n"),
              ElementsAre("The X1 dog.", "The X1 cat and X2 run."));
  const std::string quoted =
      "> - <p>The <code>a\n>   b</code> &amp; {{ c }} :dog:\n>   in <samp>d</samp>.</p>\n";
  EXPECT_THAT(markdown_texts(quoted), ElementsAre("The X1 in X2."));
  EXPECT_EQ(markdown_with(quoted, ""), quoted);
  EXPECT_EQ(markdown_with("<p translate=no>a\n<p CLASS='x notranslate'>b\n<p>c\n", "z"),
            "<p translate=no>a\n<p CLASS='x notranslate'>b\n<p>z\n");
}

TEST(Markdown, DefinitionsAreNoText) {
  EXPECT_THAT(markdown_texts("[foo]:\n  /url\n  'the title'\n\n[foo]"), ElementsAre("foo"));
  EXPECT_THAT(markdown_texts("[a b]: <x y>\n[c]: d \"e\"\ntext"), ElementsAre("text"));
}

TEST(Markdown, ALinkWhoseTextIsTheNameOfItsAddressKeepsTheName) {
  const std::string end = "\n\n[the dog]: x\n";
  EXPECT_EQ(markdown_with("[the dog]" + end, "z"), "[z][the dog]" + end);
  EXPECT_EQ(markdown_with("a [the dog][] b" + end, "x y z w"), "x [y z][the dog] w" + end);
  EXPECT_EQ(markdown_with("> a [the\n> dog] b" + end, "u v w"), "> u\n> [v][the dog] w" + end);
  EXPECT_EQ(markdown_with("[the dog] | [the dog](y)" + end, "z"), "[z][the dog] | [z](y)" + end);
  EXPECT_EQ(markdown_with("![the dog]" + end, "z"), "![z][the dog]" + end);
  EXPECT_EQ(markdown_with("[a][the dog]" + end, "z"), "[z][the dog]" + end);
  EXPECT_EQ(markdown_with("[the dog]" + end, "the dog"), "[the dog]" + end);
}

TEST(Markdown, MarksBetweenTextsAreFoundAgain) {
  for (const std::string text :
       {"a\n\t## b c\n    - d\n", "***a* b** c", "**[a](b \"c)d\")** e",
        "[![](a)](b) c [![](d(e))](<f g>)", "**![](a) b**", "> **a**\n> *b* `c\n> d` e",
        "\\*a\\* **\\*b** c\\", "- **a** b\n- *`c`*", "``\na `` b",
        "a <b\nx='1'>c</b> &amp; d  \n*e\\\nf*", "[a\nb](c\n\"d\") e", "[](a) b", "~a~ ~~b~~ c"})
    EXPECT_EQ(markdown_with(text, ""), text);
  EXPECT_THAT(markdown_texts("***a* b** c"), ElementsAre("a b c"));
  EXPECT_THAT(markdown_texts("**[a](b \"c)d\")** e"), ElementsAre("a e"));
  EXPECT_THAT(markdown_texts("[![](a)](b) c [![](d(e))](<f g>)"), ElementsAre("c"));
  EXPECT_THAT(markdown_texts("**![](a) b** c"), ElementsAre("b c"));
  EXPECT_THAT(markdown_texts("> **a**\n> *b* `c\n> d` e"), ElementsAre("a b X1 e"));
  EXPECT_THAT(markdown_texts("[a\nb](c\n\"d\") e"), ElementsAre("a b e"));
}

TEST(Markdown, RulesOfTablesMayBeShort) {
  EXPECT_THAT(markdown_texts("|a b|c d|\n|-|:-|\n|e|`f\\|g` h|\n"),
              ElementsAre("a b", "c d", "e", "X1 h"));
  EXPECT_EQ(markdown_with("|a|b|\n|-|--|\n|c|d|\n\ne *f* g\n", "x y"),
            "|x y|x y|\n|-|--|\n|x y|x y|\n\nx *y*\n");
  // A rule with fewer cells makes no table, and nothing is left out.
  EXPECT_THAT(markdown_texts("|a|b|c|\n|---|---|\n|d|e|f|\n"), ElementsAre("|a|b|c| |d|e|f|"));
}

TEST(Markdown, AWideTableIsRefused) {
  const auto table = [](std::size_t columns) {
    std::string head, rule;
    for (std::size_t i = 0; i < columns; ++i) head += "|a", rule += "|-";
    return "# b\n\n" + head + "|\n" + rule + "|\n|c|\n";
  };
  EXPECT_EQ(markdown_texts(table(1000)).size(), 1002U);
  EXPECT_EQ(message_of<UserError>([&] { markdown_texts(table(1001)); }),
            "line 4: the table has 1001 columns, and 1000 are the most; divide it");
}

TEST(Markdown, StructureOfOtherDialectsStays) {
  EXPECT_THAT(markdown_texts("> [!NOTE]\n> One\n> two\n\n> [!tip]- Three\n> four\n"),
              ElementsAre("One two", "Three", "four"));
  EXPECT_EQ(markdown_with(":::warning One\ntwo\n:::\n::: {.note}\nthree\n:::\n", "z"),
            ":::warning z\nz\n:::\n::: {.note}\nz\n:::\n");
  EXPECT_EQ(
      markdown_with("!!! note \"One two\"\n    three\n\n        code\n\n    four\n\nfive\n", "z"),
      "!!! note \"z\"\n    z\n\n        code\n\n    z\n\nz\n");
  EXPECT_EQ(markdown_with("??? tip\n    one\n", "z"), "??? tip\n    z\n");
  EXPECT_EQ(markdown_with("a\n{% if b %}\nc {{ d }} e\n{% endif %}\n", "z"),
            "z\n{% if b %}\nz {{ d }}\n{% endif %}\n");
  EXPECT_THAT(markdown_texts("{{< figure src=\"a b\"\n  title=\"c d\" >}}\n\none\n"),
              ElementsAre("one"));
  EXPECT_THAT(markdown_texts("[TOC]\n\n[[toc]]\n[[_TOC_]]\none"), ElementsAre("one"));
  EXPECT_EQ(markdown_with("*[HTML]: Hyper *Text*\n", "z"), "*[HTML]: *z*\n");
  EXPECT_THAT(markdown_texts("Term\n:   the meaning\n:   another\n\n    and more\n"),
              ElementsAre("Term", "the meaning", "another", "and more"));
  EXPECT_EQ(markdown_with("[^1]: one two\n\n    three\n\nfour[^1]\n", "z"),
            "[^1]: z\n\n    z\n\nz[^1]\n");
  EXPECT_THAT(markdown_texts("\\[\na = b\n\\]\n\n\\[optional\\] one\n\n$$\nx\n$$\ntwo $a_b c_d$"),
              ElementsAre("[optional] one", "two X1"));
  EXPECT_EQ(markdown_with("# One {#a}\n\n[b](c){target=_blank} two\n{: .d }\n", "z"),
            "# z {#a}\n\n[z](c){target=_blank}\n{: .d }\n");
  EXPECT_THAT(markdown_texts("<div>\n:::note\n{% x %}\none\n</div>"), ElementsAre("one"));
  EXPECT_THAT(markdown_texts("[a b]({{ site.url }}/c) e"), ElementsAre("a b e"));
  EXPECT_THAT(markdown_texts("`{{` and `}}` are, `$a` and `$b` or :--- and :a b:"),
              ElementsAre("and are, X1 and X2 or :--- and :a b:"));
}

TEST(Markdown, WhatATranslationWritesIsNoTag) {
  EXPECT_EQ(markdown_with("a < 3.1\n", "<zucker> 31"), "&lt;zucker> 31\n");
  EXPECT_EQ(markdown_with("a\n", "x < 3 </b> <!-- <? <"), "x < 3 &lt;/b> &lt;!-- &lt;? <\n");
  EXPECT_EQ(markdown_with("<p>a</p>\n", "<b"), "<p>&lt;b</p>\n");
  EXPECT_EQ(markdown_with("a <b\n", "x <y"), "x <y\n");  // as the text
  EXPECT_EQ(markdown_with("a \\<b> c\n", "x <b> y"), "x \\<b> y\n");
  EXPECT_EQ(markdown_with("a \\<b> c\n", "x \\<b> y"), "x \\\\\\<b> y\n");
  EXPECT_EQ(markdown_with("a < 3.1\n", "a < 3.1"), "a < 3.1\n");
}

TEST(Markdown, TabsKeepTheirMarks) {
  EXPECT_EQ(markdown_with(
                "=== \"Linux\"\n\n    one *two*\n\n    ```\n    code\n    ```\n\n===! \"Mac\"\n\n"
                "    three\n\n        code\n\n===+ \"x y\"\n    four\n\nfive\n",
                "z"),
            "=== \"z\"\n\n    *z*\n\n    ```\n    code\n    ```\n\n===! \"z\"\n\n"
            "    z\n\n        code\n\n===+ \"z\"\n    z\n\nz\n");
  EXPECT_THAT(markdown_texts("a\n===\nb\n\n=== c"), ElementsAre("a", "b", "=== c"));
}

TEST(Markdown, InclusionsAndAttributesOfContainersStay) {
  EXPECT_THAT(
      markdown_texts("a\n<<< @/snippets/snippet.js{1,3}\nb\n\n<<< ./c.js#d\n--8<-- \"a.md\"\n"),
      ElementsAre("a", "b"));
  EXPECT_EQ(
      markdown_with("::: tip {no-title}\none\n:::\n::: details Click me {open}\ntwo\n:::\n", "z"),
      "::: tip {no-title}\nz\n:::\n::: details z {open}\nz\n:::\n");
}

TEST(Markdown, LabelsOfDirectivesAreTextsOfTheirOwn) {
  EXPECT_EQ(
      markdown_with(
          ":::note[One `a` [two](b)?]\nthree\n:::\n\n:::tip[*four*]{icon=\"x\"}\n\nfive\n\n:::\n",
          "z"),
      ":::note[[z](b) `a`]\nz\n:::\n\n:::tip[*z*]{icon=\"x\"}\n\nz\n\n:::\n");
  EXPECT_THAT(markdown_texts(":::note[One `a` [two](b)?]\nthree\n:::\n"),
              ElementsAre("One X1 two?", "three"));
}

TEST(Markdown, DirectivesOfMystInFencesAreText) {
  EXPECT_EQ(markdown_with("```{note}\none\n\n- two\n```\nthree\n", "z"),
            "```{note}\nz\n\n- z\n```\nz\n");
  EXPECT_EQ(
      markdown_with("~~~~{admonition} The title\n:class: tip\n:name: my-tip\none\n~~~~\n", "z"),
      "~~~~{admonition} z\n:class: tip\n:name: my-tip\nz\n~~~~\n");
  EXPECT_EQ(markdown_with(
                "> ```{figure} img.png\n> ---\n> width: 100px\n> ---\n> one\n> ```\ntwo\n", "z"),
            "> ```{figure} img.png\n> ---\n> width: 100px\n> ---\n> z\n> ```\nz\n");
  // A directive in another one, and code in it.
  EXPECT_THAT(markdown_texts("````{tip}\none\n```{warning}\ntwo\n```\n```python\nx\n```\nthree\n"
                             "````\nfour\n"),
              ElementsAre("one", "two", "three", "four"));
  // Code, and the same marks in code.
  EXPECT_THAT(markdown_texts("```{code-block} python\na b\n```\n```{r, echo=FALSE}\na\n```\n"
                             "```{math}\na\n```\n```{toctree}\na\n```\none\n"),
              ElementsAre("one"));
  EXPECT_THAT(
      markdown_texts("```\n```{note}\na\n```\none\n\n````md\n```{note}\na\n```\n````\ntwo\n"),
      ElementsAre("one", "two"));
  EXPECT_THAT(markdown_texts("```{note}\none\n\ntwo"), ElementsAre("one", "two"));
  EXPECT_EQ(markdown_with(":::{figure} img.png\n:name: fig-1\none\n:::\n", "z"),
            ":::{figure} img.png\n:name: fig-1\nz\n:::\n");
  EXPECT_THAT(markdown_texts("::::{code-block} sh\na\n:::\n::::\none\n\n:::{math}\ntwo\n"),
              ElementsAre("one", "two"));  // without an end it is text
}

TEST(Markdown, BlocksOfPymdownKeepTheirMarks) {
  const std::string text =
      "/// tip | Good to know\n    type: note\n\nOne two.\n\n///\n\n//// tab | A *b*\n\n"
      "three\n////\n/// html | div.x\n\nfour\n///\n/// note\nfive\n///\n";
  EXPECT_THAT(markdown_texts(text),
              ElementsAre("Good to know", "One two.", "A b", "three", "four", "five"));
  EXPECT_EQ(markdown_with("/// tip | One two\nthree\n///\n", "z"), "/// tip | z\nz\n///\n");
  EXPECT_THAT(markdown_texts("/// a comment of code\n\n// a\n"),
              ElementsAre("/// a comment of code", "// a"));
}

TEST(Markdown, TargetsCommentsAndPartsOfMystStay) {
  EXPECT_THAT(markdown_texts("(glue/main)=\n\n# One\n\n(my-label)=\n## Two\n\n(three four)=\n"),
              ElementsAre("One", "Two", "(three four)="));
  EXPECT_THAT(
      markdown_texts("one\n\n% a comment\n% and more\n\n+++ {\"a\": 1}\ntwo\n\n+++\n\nthree 5\n"
                     "% of four\n"),
      ElementsAre("one", "two", "three 5 % of four"));
  EXPECT_THAT(markdown_texts("% The title\n"), ElementsAre("% The title"));  // Pandoc's
}

TEST(Markdown, NotesRolesAndReferencesOfOtherDialectsStay) {
  EXPECT_THAT(markdown_texts("This is a text.^[The *note* is here. Two.] It goes on.\n"),
              ElementsAre("This is a text.", "The note is here.", "Two.", "It goes on."));
  EXPECT_EQ(markdown_with("The house^[a [big] one] is red.\n", "u v w x"), "u v^[u v w x] w x\n");
  EXPECT_THAT(markdown_texts("See Figure \\@ref(fig:a) and [@xie2015, p. 33; @b] here.\n"),
              ElementsAre("See Figure X1 and X2 here."));
  // After a sentence a citation belongs to it.
  EXPECT_THAT(markdown_texts("It is so. [@a] Two.\n"), ElementsAre("It is so.", "Two."));
  EXPECT_THAT(markdown_texts("See {ref}`the\nname` and :ref:`a\nb`.\n"),
              ElementsAre("See X1 and X2."));
  EXPECT_EQ(markdown_with("[@user](x) [@user]\n\n[@user]: y\n", ""),
            "[@user](x) [@user]\n\n[@user]: y\n");
  EXPECT_THAT(markdown_texts("Look at ![[image.png]] here.\n"), ElementsAre("Look at X1 here."));
  EXPECT_THAT(markdown_texts("See {ref}`the text <a>` and {glue:text}``b`c``, {d}.\n"),
              ElementsAre("See X1 and X2, {d}."));
  EXPECT_THAT(markdown_texts("Write `{ref}` and `b` or `` {ref}`x` `` in it.\n"),
              ElementsAre("Write X1 and X2 or X3 in it."));
  const std::string between = "It is (95%: {g:t}`a`/{g:t}`b`).";
  EXPECT_THAT(markdown_texts(between), ElementsAre("It is (95%: X1)."));
  EXPECT_EQ(markdown_with(between, "Es ist (95 %: X1)."), "Es ist (95 %: {g:t}`a`/{g:t}`b`).");
  EXPECT_THAT(markdown_texts("One <%= a.b %> and\n<% if c %>\ntwo {# d #} {{{e}}} three\n"),
              ElementsAre("One X1 and", "two X1 three"));
}

TEST(Markdown, NothingReachesOverTheEndOfCode) {
  for (const std::string mark : {"^[a", "{ref}`a", "{{ a"})
    EXPECT_THAT(
        markdown_texts("```\n" + mark + "\n```\none ]` }}\n\n- " + mark + "\n- two ]` }}\n"),
        testing::AllOf(testing::Contains(testing::StartsWith("one")),
                       testing::Contains(testing::StartsWith("two"))))
        << mark;
}

TEST(Markdown, NothingIsGluedToAnAddress) {
  EXPECT_EQ(markdown_with("Look at https://a.org/b now.\n", "Der Web-X1-Teil."),
            "Der Web- https://a.org/b -Teil.\n");
  EXPECT_EQ(markdown_with("Look at https://a.org/b now.\n", "Sieh X1, jetzt."),
            "Sieh https://a.org/b, jetzt.\n");
  EXPECT_EQ(markdown_with("Look at <https://a.org/b> now.\n", "Die X1-Seite sehen."),
            "Die <https://a.org/b>-Seite sehen.\n");
  EXPECT_EQ(markdown_with("Look at `a` now.\n", "Die X1-Seite sehen."), "Die `a`-Seite sehen.\n");
}

TEST(Markdown, NamesOfPicturesAreNoWords) {
  EXPECT_THAT(markdown_texts("- the button (blue) :zap:\n"), ElementsAre("the button (blue)"));
  EXPECT_EQ(markdown_with("- the button (blue) :zap:\n", "der Knopf (blau)"),
            "- der Knopf (blau) :zap:\n");
}

TEST(Markdown, LinksOfNumbersAndOfAnotherScriptStay) {
  EXPECT_THAT(markdown_texts("the link is fixed ([#2132](u)) ([3cb9f81](v))\n"),
              ElementsAre("the link is fixed (X1)"));  // both
  EXPECT_THAT(markdown_texts("English text | [\u7B80\u4F53\u4E2D\u6587](a.md) and [dog](b)\n"),
              ElementsAre("English text | X1 and dog"));
  EXPECT_THAT(markdown_texts("Here is English.\n\n[\u7B80\u4F53\u4E2D\u6587](a.md) | "
                             "[\u0420\u0443\u0441](b) | [French](c)\n"),
              ElementsAre("Here is English.", "French"));
  EXPECT_THAT(markdown_texts("The word.[1](a) It is.\n"), ElementsAre("The word.", "It is."));
}

TEST(Markdown, FieldsOfObsidianAndLabelsOfGitlabStay) {
  EXPECT_THAT(markdown_texts("Due date:: next week\n- author:: a man\n\nIt is foo.bar:: x.\n"),
              ElementsAre("next week", "a man", "It is foo.bar:: x."));
  EXPECT_THAT(markdown_texts("See ~bug (~\"two words\"), %v1.2 and %\"a b\", ~5 or 10 %x%.\n"),
              ElementsAre("See X1 and X2, ~5 or 10 %x%."));
}

TEST(Markdown, RolesSideBySideAndEnvironmentsOfTexStay) {
  EXPECT_THAT(markdown_texts("See {ref}`a`{ref}`b` and :func:`c`:func:`d` here.\n"),
              ElementsAre("See X1 and X2 here."));
  EXPECT_THAT(markdown_texts("{# One\n\ntwo #}\n\n# Three {#name}\n\n{#name}\n\nFour #}\n"),
              ElementsAre("Three", "Four #}"));
  EXPECT_THAT(markdown_texts("One.\n\n\\begin{align*}\na &= b \\\\\n\n&= c\n\\end{align*}\n\nTwo.\n"
                             "\\begin{never} closed.\n"),
              ElementsAre("One.", "Two.", "X1 closed."));
}

TEST(Markdown, WhatPandocAndMkdocstringsAddStays) {
  EXPECT_THAT(markdown_texts("# One {-}\n\n## Two {-#name}\n\nSee [@R-DT]: three, and {-} four.\n"),
              ElementsAre("One", "Two", "See X1: three, and four."));
  EXPECT_THAT(markdown_texts("::: a.b_c\n    options:\n\n## ::: a.b\n\n::: note\nOne.\n:::\n"),
              testing::Contains("One."));
  EXPECT_THAT(markdown_texts("## ::: a.b\n\n::: a.b\n"), IsEmpty());
  EXPECT_THAT(
      markdown_texts("On GitHub\\index{GitHub} the \\textbf{big [x]{y}} dog, \\newpage too.\n\n"
                     "\\mainmatter\n\nIn C:\\temp\\new and \\* too.\n"),
      ElementsAre("On GitHub the X1 dog, too.", "In X1 and * too."));
}

TEST(Markdown, BranchesOfTemplatesAreTextsOfTheirOwn) {
  const std::string text =
      "Hi {{ a }}{% if b %} and {{ c }}{% endif %}, *we* go.\n\n"
      "The {% if a %}*big* dog{% else %}cat{% endif %} runs.\n";
  const Document document = read_into("de", text, "markdown");
  EXPECT_THAT(model_texts(document),
              ElementsAre("Hi X1 and X2, we go.", "The X1 runs.", "big dog", "cat"));
  EXPECT_EQ(filled(document), text);
  EXPECT_EQ(filled(document, {"Hi X1 und X2, wir gehen.", "X1 läuft.", "großer Hund", "Katze."}),
            "Hi {{ a }}{% if b %} und {{ c }}{% endif %}, *wir* gehen.\n\n"
            "{% if a %}*großer* Hund{% else %}Katze{% endif %} läuft.\n");
}

TEST(Markdown, CodeInTemplatesStays) {
  EXPECT_THAT(markdown_texts("a\n{% highlight ruby %}\ndef b\n\n  c\n{% endhighlight %}\nd"),
              ElementsAre("a", "d"));
  EXPECT_THAT(
      markdown_texts("{{< highlight go >}}\nb {\n{{< /highlight >}}\n\n{{< code-toggle file=x "
                     ">}}\nc: d\n{{< /code-toggle >}}\n{{% code %}}\ne\n{{% /code %}}\nf"),
      ElementsAre("f"));
  EXPECT_THAT(
      markdown_texts("Use it:\n\n{{</* figure src=\"a.jpg\" */>}}\n\n{{<tab>}}\na\n{{</tab>}}\n"),
      ElementsAre("Use it:", "a"));
  EXPECT_THAT(markdown_texts("{% raw %}\na\n{% endraw %}\n{% highlight x %}\nb"),
              ElementsAre("a", "b"));  // text, and code without an end
  EXPECT_THAT(
      markdown_texts("{% code %}\na\n{% endcode %}\nb\n\n  {% code %}\n  c\n{% endcode %}\nd"),
      ElementsAre("b", "d"));
}

TEST(Markdown, FrontMatterIsTranslatedByName) {
  const std::string text =
      "---\ntitle: The dog\ndescription: \"A \\\"big\\\" one\"\ntags: [a, b]\nhero:\n  - tagline: "
      "'It''s "
      "here' # x\nsummary: >\n  One two\n  three.\n\n  four\nslug: the-dog\n---\nfive\n";
  EXPECT_THAT(markdown_texts(text), ElementsAre("five"));
  EXPECT_THAT(
      markdown_texts(text, {"title", "description", "tagline", "summary"}),
      ElementsAre("The dog", "A \"big\" one", "It's here", "One two three.", "four", "five"));
  EXPECT_EQ(markdown_with(text, "", {"title", "description", "summary"}), text);
  EXPECT_EQ(markdown_with("---\ntitle: The dog\n---\n", "A: b \"c\"", {"title"}),
            "---\ntitle: \"A: b \\\"c\\\"\"\n---\n");
  EXPECT_EQ(markdown_with("---\ntitle: The dog # x\n---\n", "Der Hund", {"title"}),
            "---\ntitle: Der Hund # x\n---\n");
  EXPECT_EQ(markdown_with("---\ntitle: 'a b'\n---\n", "l'a b", {"title"}),
            "---\ntitle: 'l''a b'\n---\n");
  EXPECT_EQ(markdown_with("+++\ntitle = \"a b\"\n+++\nc\n", "\"d\"", {"title"}),
            "+++\ntitle = \"\\\"d\\\"\"\n+++\n\"d\"\n");
  EXPECT_THAT(markdown_texts("---\n\nOne.\n\n---\n\nTwo.\n", {"title"}),
              ElementsAre("One.", "Two."));
}

TEST(Markdown, IsReadInTime) {
  std::string spans, changes;
  for (int i = 0; i < 25000; ++i) spans += "]{.a}", changes += "a++}";
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "- ";
  std::string open, tags, code, rules, links, stars, angles, templates;
  for (int i = 0; i < 50000; ++i) {
    open += "![](";
    tags += "<code>";
    code += "`a ``b ";
    if (i < 1000) rules += "|-";  // the most columns
    links += "![a](";
    stars += "*a *a ";
    angles += "<a <a ";
    templates += "{% code %}\n";
  }
  for (const std::string& text :
       {deep + "a\n" + std::string(100000, '>') + "a", open, tags, code, tags + "\n\n<p>" + tags,
        rules + "\n" + rules, std::string(100000, '['), std::string(100000, '*') + "a", links,
        stars, angles, std::string(100000, '$') + "a", templates, spans, changes})
    EXPECT_EQ(markdown_with(text, ""), text);
}

TEST(Markdown, MarksOfOtherDialectsAreInlays) {
  const std::string marked = "a ==be *ce*== d ^^ef^^ (==g==).";
  EXPECT_THAT(markdown_texts(marked), ElementsAre("a be ce d ef (g)."));
  EXPECT_EQ(markdown_with(marked, "A BE CE D EF (G)."), "A ==BE *CE*== D ^^EF^^ (==G==).");
  for (const std::string text : {"a == b == c", "x==y and z==w", "===", "a ^^ b ^^ c", "==a",
                                 "==== a ====", "~==a==", "C++ and C++", "i++ + ++j"}) {
    for (const std::string& same : markdown_texts(text)) EXPECT_EQ(markdown_with(text, same), text);
    EXPECT_THAT(markdown_texts(text), testing::Not(testing::Contains(testing::HasSubstr("X1"))))
        << text;
  }
  EXPECT_THAT(markdown_texts("a `x ==b== c` ==d== e"), ElementsAre("a X1 d e"));
}

TEST(Markdown, KeysRolesAndLinksOfWikisStay) {
  for (const std::string item :
       {"++ctrl+alt+del++", "++\"a b\"++", "[[Page]]", "[[A page|the text]]", "![[a.png]]",
        "{ref}`the name`", "{doc}``a ` b``", ":py:class:`name`", ":ref:`a b <c>`", "[@doe99]",
        "[-@doe99, p. 3]"}) {
    EXPECT_THAT(markdown_texts("See " + item + " now."), ElementsAre("See X1 now.")) << item;
    EXPECT_EQ(markdown_with("See " + item + " now.", "NUN X1 SIEHE."), "NUN " + item + " SIEHE.");
  }
  // Links of CommonMark.
  EXPECT_THAT(markdown_texts("See [[a]](/b) and [[c](/d)](/e)."),
              ElementsAre(testing::HasSubstr("[a]")));
  EXPECT_THAT(markdown_texts("`{a}`b` {c} d"), ElementsAre("X1b` {c} d"));
}

TEST(Markdown, NamesTagsCommitsAndValuesStay) {
  for (const std::string item :
       {"@octocat", "@theme/Tabs", "@fig-plot", "#daily", "#work/project", "#12", "!12", "3cb9f81",
        "0123456789abcdef0123456789abcdef01234567", "%%a comment%%", "{props.value}", "{--old--}",
        "{~~a b~>c d~~}", "{>>a note<<}", "{- gone -}", "H~2~O", "x^2^", "C~6~H~12~O~6~",
        ":fast:{ .lg .middle }"}) {
    EXPECT_THAT(markdown_texts("See " + item + " now."), ElementsAre("See X1 now.")) << item;
    EXPECT_EQ(markdown_with("See " + item + " now.", "NUN X1 SIEHE."), "NUN " + item + " SIEHE.");
  }
  for (const std::string text :
       {"a@b c", "5 @ 3", "#1 and C# and a#b", "1234567 and defaced and 12ab345z", "100 %% of 5 %",
        "{a} and {a b.c}", "a ~ b ~ c", "2^3", "x-3cb9f81 and /3cb9f81", "a {- b"}) {
    EXPECT_THAT(markdown_texts(text), testing::Not(testing::Contains(testing::HasSubstr("X1"))))
        << text;
    for (const std::string& same : markdown_texts(text)) EXPECT_EQ(markdown_with(text, same), text);
  }
  EXPECT_THAT(markdown_texts("Thanks to @a and @b-c. By [@anna](https://x.org)."),
              ElementsAre("Thanks to X1 and X2.", "By X1."));
  EXPECT_THAT(markdown_texts("One\n\n::include{file=a.md}\n\nIt is mended (#12).\n"),
              ElementsAre("One", "It is mended (X1)."));
  EXPECT_THAT(markdown_texts("The cat sleeps. ^block-id\n"), ElementsAre("The cat sleeps."));
  EXPECT_EQ(markdown_with("The cat sleeps. ^block-id\n", "DIE KATZE."), "DIE KATZE. ^block-id\n");
  EXPECT_EQ(markdown_with("- [>] Moved on\n", "VERLEGT"), "- [>] VERLEGT\n");
  EXPECT_THAT(markdown_texts("One\n\n%%\na comment\n\nof two\n%%\n\nTwo\n"),
              ElementsAre("One", "Two"));
}

TEST(Markdown, MarksOfChangesStayAroundTheirText) {
  EXPECT_THAT(markdown_texts("Here {++now++} it is."), ElementsAre("Here now it is."));
  EXPECT_EQ(markdown_with("Here {++now++} it is.", "HIER JETZT IST ES."),
            "HIER {++JETZT++} IST ES.");
}

TEST(Markdown, TextWithAttributesIsAnElement) {
  const std::string text = "We have [a *red* word]{style=\"color: red\"} and [one]{.c} here.";
  EXPECT_THAT(markdown_texts(text), ElementsAre("We have a red word and one here."));
  EXPECT_EQ(markdown_with(text, "WE HAVE A RED WORD AND ONE HERE."),
            "WE HAVE [A *RED* WORD]{style=\"color: red\"} AND [ONE]{.c} HERE.");
  for (const std::string other : {"[a][b]{.c}\n\n[b]: x\n", "![a](b){.c}\n", "a [^1]{.c}\n"})
    EXPECT_EQ(markdown_with(other, ""), other);
}

TEST(Markdown, CodeEndsAtItsFenceWhateverItsLinesAre) {
  EXPECT_THAT(
      markdown_texts("one\n\n```js\nimport a from \"b\"\n\nexport default {\n  a: 1\n};\n```\n\n"
                     "two `a`\n\n```\nthree\n```\n\nfour"),
      ElementsAre("one", "two X1", "four"));
  EXPECT_THAT(
      markdown_texts("> ~~~\n> %%\n> ~~~\n\n- a\n\n  ```\n  \\begin{a}\n  ```\n\ntwo %%x%%\n"),
      ElementsAre("a", "two X1"));
  EXPECT_THAT(markdown_texts("- one\n  ```\n  code\n\ntwo $x$ y\n\n```\ncode\n```\n"),
              ElementsAre("one", "two X1 y"));
}

TEST(Markdown, NamesOfTagsThatBeginAsThoseOfCodeAreOthers) {
  const std::string bytes =
      "# One\n\n<Prerequisites />\n\n## Two\n\n<Preview>\n\n*three* `a`\n\n</Preview>\n\n"
      "<prefix>/share is four\n\n<StyledCard title=\"x\">five</StyledCard>\n\n<pre>\nsix\n</pre>\n";
  EXPECT_THAT(markdown_texts(bytes),
              ElementsAre("One", "Two", "three X1", "/share is four", "five"));
  EXPECT_EQ(filled(read_md(bytes)), bytes);
}

TEST(Markdown, WhatGoesOnInTheNextLineBeginsNoQuotation) {
  for (const std::string text :
       {"one {/*\n>*/} two\n", "one {{\n> }} two\n", "> one {{\n>> }} two\n"}) {
    const Document read = read_md(text);
    EXPECT_EQ(model_texts(read).size(), 1U) << text;
    EXPECT_EQ(filled(read), text);
  }
}

TEST(Markdown, CommentsOfMdxAndNamesOfHeadingsStay) {
  EXPECT_THAT(
      markdown_texts("## One {/*my-id*/}\n\nTwo. {/* truncate */} Three.\n\n{/* a\nb *c */}\n\n"
                     "{/* TODO */}\n\n## Four{#my-id}\n\n# Five {#x .y}\n"),
      ElementsAre("One", "Two.", "Three.", "Four", "Five"));
  EXPECT_THAT(markdown_texts("- [[Page]]: one\n- See [[Page]]. Two\n"),
              ElementsAre("X1: one", "See X1.", "Two"));
  EXPECT_THAT(markdown_texts(
                  "{{< tabpane >}}\n{{< tab header=\"x\" lang=\"toml\" >}}\na = 1\n{{< /tab >}}\n"
                  "{{< tab header=\"y\" >}}\none\n{{< /tab >}}\n{{< /tabpane >}}\n"),
              ElementsAre("one"));
  EXPECT_THAT(markdown_texts(">:information_source: one"), ElementsAre("one"));
}

TEST(Markdown, FormulasMayHaveResultsOfCode) {
  EXPECT_THAT(markdown_texts("The line $Y=`r b$0`+`{python} b1`x$ is one, $5 and `a$`."),
              ElementsAre("The line X1 is one, $5 and X2."));
}

TEST(Markdown, TagsOfJsxMayHaveValuesInBraces) {
  const std::string bytes =
      "# One\n\n<Tabs defaultValue=\"a\" values={[\n  {label: 'A > b', value: 'a'},\n\n  {label: "
      "`}`},\n]}>\n"
      "<TabItem value=\"a\">\n\nTwo *three*.\n\n</TabItem>\n</Tabs>\n\n"
      "See <Link to={useBaseUrl('/x')} {...props}>the page</Link> and\n<img "
      "src={require('./a.png').default} alt=\"x\" /> four.\n\n"
      "> <Tabs items={[\n>   \"a\"]}/>\n>\n> five\n\n<Grid style={{a: 'b'}} videos={[1, "
      "2]}/>\n\nIf a <b = {c} > d.\n";
  EXPECT_THAT(markdown_texts(bytes), ElementsAre("One", "Two three.", "See the page and four.",
                                                 "five", "If a <b = {c} > d."));
  EXPECT_EQ(filled(read_md(bytes)), bytes);
  EXPECT_THAT(markdown_texts("<Link\n  to=\"x\"\n>\n  one\n</Link>\n\na <b\n> two\n"),
              ElementsAre("one", "a <b", "two"));
  EXPECT_EQ(markdown_with("A <Link to={f('/x')}>b c</Link>\n", "y z z"),
            "y <Link to={f('/x')}>z z</Link>\n");
}

TEST(Markdown, ModulesOfMdxStay) {
  EXPECT_THAT(
      markdown_texts("import Tabs from \"@theme/Tabs\";\nimport {\n  A,\n  B,\n} from "
                     "'./c';\nimport './d.css'\n\nexport const x = {\n  y: 1,\n};\n\nText\n"),
      ElementsAre("Text"));
  for (const std::string text :
       {"import {\na\"\n} from b", "import taxes from China are high", "export const is a keyword",
        "import {", "import \"", "export const a = 1"})
    EXPECT_EQ(markdown_with(text, ""), text);
  EXPECT_THAT(markdown_texts("import taxes from China are high"),
              ElementsAre("import taxes from China are high"));
}

TEST(Markdown, NamesOfIncludedFilesStay) {
  EXPECT_THAT(markdown_texts("One\n\n--8<--\nsome file.md\nother.md\n--8<--\n\nTwo\n"
                             "\n-8<- \"a b.md\"\n\nThree"),
              ElementsAre("One", "Two", "Three"));
}

TEST(Markdown, LabelsOfNotesStayWhole) {
  for (const std::string label : {"[^1]", "[^n1]", "[^why]", "[^what_is_it]", "[^note-12]"}) {
    const std::string text = "It is" + label + " good.\n\n" + label + ": This is one.\n    Two.\n";
    EXPECT_THAT(markdown_texts(text), ElementsAre("It is good.", "This is one.", "Two."));
    EXPECT_EQ(markdown_with(text, "A."), "A." + label + "\n\n" + label + ": A.\n    A.\n");
  }
}

TEST(Markdown, LinksInBlocksOfHtmlKeepTheirAddresses) {
  const std::string text =
      "<figure>![A new dog.](<../a b/image (1).png>)<figcaption>The dog [here](u#a) is\n"
      "red](x y)</figcaption></figure>\n";
  EXPECT_THAT(markdown_texts(text), ElementsAre("A new dog.", "The dog here is red](x y)"));
  EXPECT_EQ(markdown_with(text, "Ein Hund"),
            "<figure>![Ein Hund](<../a b/image (1).png>)<figcaption>[Ein](u#a)\n"
            "Hund</figcaption></figure>\n");
}

TEST(Markdown, CodeInQuotesIsAnItemOfItsOwn) {
  EXPECT_THAT(markdown_texts("Use \"`a`\" (`b`), `c`, `d` or `e`.\n"),
              ElementsAre("Use \"X1\" (X2), X3 or X4."));
}

TEST(Markdown, FormulasMayStandInEscapedBrackets) {
  EXPECT_THAT(markdown_texts("The sum \\(x^2 + y\\) of \\(n\\) is \\[\\frac{a}{b}\\] here.\n"),
              ElementsAre("The sum X1 of X2 is X3 here."));
  EXPECT_EQ(markdown_with("A dog \\(of two\\) and \\[a cat\\].\n", "B."), "B.\n");  // no formulas
}

TEST(Markdown, EscapedCharactersAreCharacters) {
  const std::string text = "The dog \\(a red\\_one\\) is \\*new\\*\\: `code` and \\<b\\>.\n";
  EXPECT_THAT(markdown_texts(text), ElementsAre("The dog (a X1) is *new*: X2 and <b>."));
  EXPECT_EQ(markdown_with(text, "Der (X1) * <b> X2."), "Der \\(red\\_one\\) \\* \\<b\\> `code`.\n");
  // Marks that mean something inside a line get it even if one of the source has none; others not.
  EXPECT_THAT(markdown_texts("2 * 3 \\* 4 is one\\. Or two.\n"),
              ElementsAre("2 * 3 * 4 is one.", "Or two."));
  EXPECT_EQ(markdown_with("2 * 3 \\* 4 \\+ 5 + 6 is\n", "5 * 6 + 7"), "5 \\* 6 + 7\n");
  EXPECT_THAT(markdown_texts("\\\\ and C:\\\\ is \\\\\\*\n"), ElementsAre("\\ and C:\\ is \\*"));
  EXPECT_EQ(markdown_with("\\\\ and \\* is\n", "x \\ * \\*"), "x \\\\ \\* \\\\\\*\n");
  EXPECT_EQ(markdown_with("A \\ B and \\* is\n", "x \\* \\ *"), "x \\\\\\* \\ \\*\n");
  EXPECT_EQ(markdown_with("A \\| b &lt; \\<c\n", "x <y | &"), "x \\<y \\| &lt; &\n");
}

TEST(Markdown, CodeWithoutAPlaceComesBeforeTheStop) {
  EXPECT_EQ(markdown_with("Run `shell` or `exec` here.\n", "Lauf."), "Lauf `shell` `exec`.\n");
  EXPECT_EQ(markdown_with("Run `shell` or `exec`.\n", "Lauf."), "Lauf `shell` `exec`.\n");
  EXPECT_EQ(markdown_with("Run `pi.py` (the `sh` part).\n", "Lauf (Teil)!"),
            "Lauf `pi.py` `sh` (Teil)!\n");
  EXPECT_EQ(markdown_with("Run `shell` or `exec`\n", "Lauf."), "Lauf. `shell` `exec`\n");
}

TEST(Markdown, ATranslationBeginsNoListAndNoHeading) {
  EXPECT_EQ(markdown_with("October 3 is here.\n", "3. Oktober"), "3\\. Oktober\n");
  EXPECT_EQ(markdown_with("1\\. One is here\n", "Eins"), "1\\. Eins\n");
  EXPECT_EQ(markdown_with("- \\- One is here\n", "Eins"), "- \\- Eins\n");
  EXPECT_EQ(markdown_with("1\\.\n", "Eins"), "1\\.\n");
  EXPECT_EQ(markdown_with("1\\. **One** is\n", "Eins ist"), "1\\. **Eins** ist\n");
  EXPECT_EQ(markdown_with("Number one\n", "# Eins"), "\\# Eins\n");
  EXPECT_EQ(markdown_with("Number one\n", "> Eins"), "\\> Eins\n");
  EXPECT_EQ(markdown_with("Number one\n", "#Eins"), "#Eins\n");
  EXPECT_EQ(markdown_with("Number one\n", "3.5 ist"), "3.5 ist\n");
  EXPECT_EQ(markdown_with("# Number one\n", "3. Oktober"), "# 3. Oktober\n");
  EXPECT_EQ(markdown_with("a | b\n--|--\nc | d\n", "- x"), "\\- x | - x\n--|--\n\\- x | - x\n");
  EXPECT_EQ(markdown_with("One is. It is the 3rd.\n", "3. Oktober"), "3\\. Oktober 3. Oktober\n");
}

}  // namespace
}  // namespace heed::document
