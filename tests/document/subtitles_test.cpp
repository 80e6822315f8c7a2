#include "document/subtitles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "document/document.h"
#include "document/filled.h"
#include "document/inlays.h"
#include "document/word_weights.h"
#include "text/subtitle_times.h"
#include "text/words.h"

namespace heed::document {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Texts = std::vector<std::string>;

constexpr const char *kSrt = "srt", *kVtt = "vtt", *kSbv = "sbv", *kAss = "ass",
                     *kMicroDvd = "microdvd";

Document read_subtitles(const std::string& bytes, const std::string& format) {
  return {bytes, *format_named(format), {.read = {.source_language = "en"}}};
}

/// What the model gets. Documents give their bytes back.
Texts texts_shown(const std::string& bytes, const std::string& format) {
  const Document document = read_subtitles(bytes, format);
  Texts texts, same;
  for (const Segment& segment : document.text().segments()) {
    texts.push_back(segment.text);
    same.push_back(with_inlays(segment, segment.text, {}));
  }
  EXPECT_EQ(document.text().with(same), bytes);
  return texts;
}

/// The document with these translations of its segments, whose words stand in their order.
std::string translated(const std::string& bytes, const std::string& format,
                       const Texts& translations) {
  const Document document = read_subtitles(bytes, format);
  Texts out;
  for (std::size_t i = 0; i < translations.size(); ++i) {
    const Segment& segment = document.text().segments().at(i);
    out.push_back(translated_in_order(segment, translations[i]));
  }
  return document.text().with(out);
}

/// Cues of SubRip that follow each other without a pause.
std::string srt_of(const Texts& cues) {
  std::string out;
  for (std::size_t i = 0; i < cues.size(); ++i)
    out += std::to_string(i + 1) + "\n00:00:0" + std::to_string(i) + ",000 --> 00:00:0" +
           std::to_string(i + 1) + ",000\n" + cues[i] + "\n\n";
  return out;
}

Texts texts_of_cues(const Texts& cues) {
  return texts_shown(srt_of(cues), kSrt);
}

TEST(SubtitleTimes, AreReadAsProgramsWriteThem) {
  const auto time = [](std::string_view text) { return text::take_time(text).value_or(-1); };
  EXPECT_EQ(time("00:01:02,345"), 62345);
  EXPECT_EQ(time("1:02.5"), 62500);
  EXPECT_EQ(time(" 123:00:00.0004 --> "), 123 * 3600000);
  EXPECT_EQ(time("00：01：02，345"), 62345);
  EXPECT_EQ(time("00:01:02:345"), 62345);
  EXPECT_EQ(time("-00:00:01,000"), -1000);
  EXPECT_EQ(time("0-1:59:59,000"), 7199000);
  EXPECT_EQ(time("17"), -1);
  EXPECT_EQ(time("x 00:01"), -1);
  EXPECT_GT(time("99999999999999999999:00:00,000"), 0);
  std::string_view text = "0:00:01.000,0:00:02.000";
  EXPECT_EQ(text::take_time(text), 1000);
  EXPECT_EQ(text, ",0:00:02.000");
}

TEST(Subtitles, CuesWithTimesThatBrowsersRefuseStay) {
  const std::string good = "00:00:21.000 --> 00:24.000 align:left\nYes.\n\n";
  for (const std::string times :
       {"00:00:13.400 --> 00:00:20", "00:00:9.456 --> 00:00:30.000",
        "00:00:13,400 --> 00:00:20.000", "00:60.000 --> 01:01.000", "00:01.000 -> 00:02.000",
        "00:01.0000 --> 00:02.000", "1:01.000 --> 00:02.000"})
    EXPECT_THAT(texts_shown("WEBVTT\n\n" + good + times + "\nNo.\n\n" + good, kVtt),
                ElementsAre("Yes.", "Yes."))
        << times;
  EXPECT_THAT(texts_shown("WEBVTT\n\n100:00:13.400-->100:59:20.000\nYes.\n", kVtt),
              ElementsAre("Yes."));
}

TEST(Subtitles, LinesEndOnceTwiceOrWithTwoReturns) {
  const std::string srt = srt_of({"The dog", "sleeps"}),
                    vtt =
                        "WEBVTT\n\n1\n00:01.000 --> 00:02.000\nThe dog\nruns\n\nNOTE\nx\n\n2\n"
                        "00:03.000 --> 00:04.000\nsleeps\n";
  for (const std::string end : {"\n", "\r\n", "\r", "\n\n", "\r\r\n", "\r\n\r\n"}) {
    const auto ended = [&](std::string text) {
      for (std::size_t at = 0; (at = text.find('\n', at)) != text.npos; at += end.size())
        text.replace(at, 1, end);
      return text;
    };
    EXPECT_THAT(texts_shown(ended(srt), kSrt), ElementsAre("The dog", "sleeps")) << end.size();
    EXPECT_THAT(texts_shown(ended(vtt), kVtt), ElementsAre("The dog runs", "sleeps")) << end.size();
  }
}

TEST(Subtitles, CuesNeedNeitherNumbersNorBlankLines) {
  EXPECT_THAT(texts_shown("00:00:01,000 --> 00:00:02,000\nOne.\n2\n00:00:03,000 --> 00:00:04,000\n"
                          "Two.\n-00:00:05,000-->00:00:06.000 X1:5\nThree.\n"
                          "0-1:59:59,000 -> 100:00:00,500\nFour.\n00:07 —> 00:08\nFive.",
                          kSrt),
              ElementsAre("One.", "Two.", "Three.", "Four.", "Five."));
  // The last one is no number of a cue.
  EXPECT_THAT(texts_of_cues({"In\n1984", "Section 9\n9", "100 m"}),
              ElementsAre("In 1984", "Section 9 9", "100 m"));
  EXPECT_THAT(texts_shown("WEBVTT\n00:01.000 --> 00:02.000\nOne\n00:03.000 --> 00:04.000\nTwo\n2\n"
                          "00:05.000 --> 00:06.000align:end\nThree\n",
                          kVtt),
              ElementsAre("One", "Two", "Three"));
}

TEST(Subtitles, WhatPlayersDoNotShowStays) {
  EXPECT_THAT(
      texts_shown("WEBVTT - Title\nKind: captions\n\nSTYLE\n::cue { color: red }\n\nREGION\n"
                  "id:a\n\nNOTE One\ntwo\n\nintro\n00:01.000 --> 00:02.000 region:a\nThree\n"
                  " \nfour\n\nfive\n\n00:03.000 --> 00:04.000\nSix\nseven --> eight\nnine\n",
                  kVtt),
      ElementsAre("Three four", "Six"));
  EXPECT_THAT(texts_shown("Comment\n\n" + srt_of({"{\\an8}{y:i}One\\Ntwo\\hthree<br/>four"}), kSrt),
              ElementsAre("One two three four"));
}

TEST(Subtitles, CharactersOfReferencesAreText) {
  const std::string vtt = "WEBVTT\n\n00:01.000 --> 00:02.000\nTom &amp; Jo&lrm; &lt;3 &#8230;\n";
  EXPECT_THAT(texts_shown(vtt, kVtt), ElementsAre("Tom & Jo <3 …"));
  EXPECT_THAT(translated(vtt, kVtt, {"A & B <c> --> d"}),
              testing::AllOf(HasSubstr("A &amp; B"), HasSubstr("&lt;c&gt;"), HasSubstr("--&gt; d"),
                             HasSubstr("&lrm;")));
  // SubRip has no references of its own, and "-->" could look like a time.
  EXPECT_EQ(translated(srt_of({"a <3 & b"}), kSrt, {"c <3 & d --> e"}), srt_of({"c <3 & d → e"}));
  EXPECT_EQ(translated(srt_of({"a &amp; b"}), kSrt, {"c & < d"}), srt_of({"c &amp; &lt; d"}));
}

TEST(Subtitles, TagsMoveWithTheirWords) {
  EXPECT_EQ(
      translated("WEBVTT\n\n00:01.000 --> 00:02.000\n<v Anna>One <c.red>two</c> <i>three</i>\n",
                 kVtt, {"EINS ZWEI DREI"}),
      "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Anna>EINS <c.red>ZWEI</c> <i>DREI</i>\n");
  EXPECT_EQ(translated(srt_of({"<font color=\"#ff0000\">One</font> two"}), kSrt, {"EINS ZWEI"}),
            srt_of({"<font color=\"#ff0000\">EINS</font> ZWEI"}));
  // Times of karaoke keep their order.
  EXPECT_EQ(translated("WEBVTT\n\n00:01.000 --> 00:03.000\nOne <00:01.500>two <00:02.000>three\n",
                       kVtt, {"EINS ZWEI DREI"}),
            "WEBVTT\n\n00:01.000 --> 00:03.000\nEINS <00:01.500>ZWEI <00:02.000>DREI\n");
  EXPECT_THAT(texts_of_cues({"I <3 you, a < b > c"}), ElementsAre("I <3 you, a < b > c"));
}

TEST(Subtitles, SpeakersNotesAndSoundsAreReadByThemselves) {
  const std::string two = srt_of({"<i>- Who is\nthere?</i>\n-Me. –5 or -5."});
  EXPECT_THAT(texts_shown(two, kSrt), ElementsAre("Who is there?", "Me.", "–5 or -5."));
  EXPECT_EQ(translated(two, kSrt, {"WER DA?", "ICH.", "FÜNF"}),
            srt_of({"<i>- WER\nDA?</i>\n-ICH. FÜNF"}));
  const std::string song =
      srt_of({"♪ Love me\ntender ♪\n♪ Love ♫ me ♪\n# Love me true #", "[door opens]\nWho is it?"});
  EXPECT_THAT(texts_shown(song, kSrt), ElementsAre("Love me tender", "Love me", "Love me true",
                                                   "[door opens]", "Who is it?"));
  EXPECT_EQ(translated(song, kSrt, {"A B", "C D", "E", "[F]", "G"}),
            srt_of({"♪ A\nB ♪\n♪ C ♫ D ♪\n# E #", "[F]\nG"}));
}

TEST(Subtitles, ArrowsOfASpeakerStay) {
  const std::string two = srt_of({">> JOHN: Who\nis it?", ">>> Me,\n>>and you >> him."});
  EXPECT_THAT(texts_shown(two, kSrt), ElementsAre("JOHN: Who is it?", "Me,", "and you >> him."));
  EXPECT_EQ(translated(two, kSrt, {"J: A B C?", "D", "E"}),
            srt_of({">> J: A\nB C?", ">>> D\n>>E"}));
  EXPECT_THAT(texts_of_cues({"> one", "5 >> 3.", ">>= bind"}),
              ElementsAre("> one 5 >> 3.", ">>= bind"));
  const std::string vtt =
      "WEBVTT\n\n00:01.000 --> 00:02.000\n<i>&gt;&gt; JOHN: Who is it?</i>\n&gt; me\n";
  EXPECT_THAT(texts_shown(vtt, kVtt), ElementsAre("JOHN: Who is it?", "> me"));
  EXPECT_EQ(translated(vtt, kVtt, {"J: A & B?", "> C"}),
            "WEBVTT\n\n00:01.000 --> 00:02.000\n<i>&gt;&gt; J: A &amp; B?</i>\n&gt; C\n");
}

TEST(Subtitles, ASentenceOverCuesIsOne) {
  const std::string srt = srt_of({"I went to", "London and\nParis yesterday. Then", "I slept."});
  EXPECT_THAT(texts_shown(srt, kSrt),
              ElementsAre("I went to London and Paris yesterday.", "Then I slept."));
  // The line ends after 9 and 20 of 37 bytes, so near 6 and 14 of 26; after 4 of 13, near 4 of 14.
  EXPECT_EQ(translated(srt, kSrt, {"aaaa bbbb cccc dddd eeeee.", "ffff gggg hhh."}),
            srt_of({"aaaa", "bbbb cccc\ndddd eeeee. ffff", "gggg hhh."}));
}

TEST(Subtitles, NoCueBecomesEmpty) {
  const std::string srt = srt_of({"I went", "to the\ntown", "yesterday."});
  EXPECT_EQ(translated(srt, kSrt, {"a b c"}), srt_of({"a", "b", "c"}));
  EXPECT_EQ(translated(srt, kSrt, {"a b c d"}), srt_of({"a", "b\nc", "d"}));
  // Words that are too few stay on the screen.
  EXPECT_EQ(translated(srt, kSrt, {"a b"}), srt_of({"a", "a", "b"}));
  EXPECT_EQ(translated(srt, kSrt, {"a"}), srt_of({"a", "a", "a"}));
  EXPECT_EQ(translated(srt, kSrt, {" a  b\u3000c "}), srt_of({" a", "b", "c "}));
}

TEST(Subtitles, TagsEndWithTheirCue) {
  const std::string srt = srt_of({"<i>I went to</i>", "{\\an8}<i>London</i> yesterday."});
  EXPECT_THAT(texts_shown(srt, kSrt), ElementsAre("I went to London yesterday."));
  EXPECT_EQ(translated(srt, kSrt, {"A B C D E."}), srt_of({"<i>A B</i>", "{\\an8}<i>C D</i> E."}));
  EXPECT_EQ(translated(srt_of({"I <b>went to", "London</b> now."}), kSrt, {"A B C D E."}),
            srt_of({"A <b>B</b>", "<b>C D</b> E."}));
  EXPECT_EQ(translated(srt_of({"I <b>went to", "London</b> now."}), kSrt, {"A"}),
            srt_of({"<b>A</b>", "<b>A</b>"}));
  const std::string vtt =
      "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Bo>I went\n\n00:02.000 --> 00:03.000\n<v Bo>home.\n\n"
      "00:03.000 --> 00:04.000\n<v Al>and me\n\n00:04.000 --> 00:05.000\n<v Bo>too.\n";
  EXPECT_THAT(texts_shown(vtt, kVtt), ElementsAre("I went home.", "and me", "too."));
  EXPECT_THAT(translated(vtt, kVtt, {"A B", "C", "D"}),
              HasSubstr("<v Bo>A\n\n00:02.000 --> 00:03.000\n<v Bo>B\n"));
}

TEST(Subtitles, LinesInTheSameTagsKeepThem) {
  const std::string two = srt_of({"<i>For me, people were</i>\n<i>the way they were.</i>"});
  EXPECT_THAT(texts_shown(two, kSrt), ElementsAre("For me, people were the way they were."));
  EXPECT_EQ(translated(two, kSrt, {"AAAA BBBB CCCC DDDD EEEE."}),
            srt_of({"<i>AAAA BBBB CCCC</i>\n<i>DDDD EEEE.</i>"}));
  // A text on one line has one pair of tags.
  EXPECT_EQ(translated(two, kSrt, {"AAAA."}), srt_of({"<i>AAAA.</i>"}));
  // Two elements; of two sentences; before a word without them; other tags.
  EXPECT_EQ(
      translated(srt_of({"<b><i>One two</i></b> \n<b><i>three</i></b>"}), kSrt, {"EEE ZZZ DDDDD"}),
      srt_of({"<b><i>EEE ZZZ</i></b> \n<b><i>DDDDD</i></b>"}));
  EXPECT_EQ(translated(srt_of({"<i>One. Two three</i>\n<i>four.</i>"}), kSrt,
                       {"EINS.", "ZZZ DDDDD VVVV."}),
            srt_of({"<i>EINS. ZZZ DDDDD</i>\n<i>VVVV.</i>"}));
  EXPECT_EQ(translated(srt_of({"<i>One two</i>\n<i>three</i> four"}), kSrt, {"EEE ZZZ DDDDD VVVV"}),
            srt_of({"<i>EEE ZZZ</i>\n<i>DDDDD</i> VVVV"}));
  EXPECT_EQ(translated(srt_of({"<i>One two</i>\n<b>three</b>"}), kSrt, {"EEE ZZZ DDDDD"}),
            srt_of({"<i>EEE ZZZ</i>\n<b>DDDDD</b>"}));
  EXPECT_EQ(translated(srt_of({"<u>One <i>two</i>\n<i>three</i></u> four"}), kSrt,
                       {"EEE ZZZ DDDDD VVVV"}),
            srt_of({"<u>EEE <i>ZZZ</i>\n<i>DDDDD</i></u> VVVV"}));
  EXPECT_EQ(translated(srt_of({"{\\i1}One two{\\i0}\n{\\i1}three{\\i0}"}), kSrt, {"EEE ZZZ DDDDD"}),
            srt_of({"{\\i1}EEE ZZZ{\\i0}\n{\\i1}DDDDD{\\i0}"}));
  EXPECT_EQ(translated(srt_of({"{\\i1}One two{\\i0}\n{\\i1}three"}), kSrt, {"EEE ZZZ DDDDD"}),
            srt_of({"{\\i1}EEE ZZZ{\\i0}\n{\\i1}DDDDD"}));
  // A sentence that ends on the second line of three.
  EXPECT_EQ(translated(srt_of({"One <i>two</i>\n<i>three. Four</i>\n<i>five</i>"}), kSrt,
                       {"EEE ZZZ DDDDD.", "VVVV FFFF"}),
            srt_of({"EEE <i>ZZZ\nDDDDD. VVVV</i>\n<i>FFFF</i>"}));
  EXPECT_THAT(texts_shown(srt_of({"<i>- One</i>\n<i>- Two</i>\n<i>three</i>"}), kSrt),
              ElementsAre("One", "Two three"));
  // Of a sentence over cues.
  const std::string cues = srt_of({"<i>One two</i>", "<i>three four.</i>"});
  EXPECT_EQ(translated(cues, kSrt, {"A BB CCC DDDD."}),
            srt_of({"<i>A BB</i>", "<i>CCC DDDD.</i>"}));
}

TEST(Subtitles, LinesOfASpeakerAreReadByThemselves) {
  EXPECT_THAT(texts_of_cues({"MAN 2:\nE equals me\nsquared.", "<i>ACTOR AS EINSTEIN:</i>\nWhat"}),
              ElementsAre("MAN 2:", "E equals me squared.", "ACTOR AS EINSTEIN:", "What"));
  EXPECT_THAT(texts_of_cues({"Hello\nJO, O'NEIL & ÄNNE:\nYes. And", "MAN:", "we said:\nNo."}),
              ElementsAre("Hello", "JO, O'NEIL & ÄNNE:", "Yes.", "And", "MAN:", "we said: No."));
  const std::string man = srt_of({"MAN 2:\nThe dog\nruns."});
  EXPECT_EQ(translated(man, kSrt, {"MANN 2:", "DER HUND LÄUFT."}),
            srt_of({"MANN 2:\nDER HUND\nLÄUFT."}));
  // Where everything is in capitals, a colon may end any line; figures are no name.
  EXPECT_THAT(texts_of_cues({"AND THEN\nI SAID:\nNO.", "MAN: Yes\n12:\n30"}),
              ElementsAre("AND THEN I SAID: NO.", "MAN: Yes 12: 30"));
}

TEST(Subtitles, SentencesDoNotGoOnWhereTheyEnd) {
  // A long pause, another speaker, a song, the same again.
  EXPECT_THAT(texts_shown("00:01,000 --> 00:02,000\nOne.\n00:02,000 --> 00:03,000\ntwo and\n"
                          "00:06,001 --> 00:07,000\nthree,\n00:07,501 --> 00:08,000\nFour and\n"
                          "00:08,500 --> 00:09,000\nFive.",
                          kSrt),
              ElementsAre("One.", "two and", "three,", "Four and Five."));
  EXPECT_THAT(texts_of_cues({"One and", "- two.", "And", "♪ three", "(four)", "five."}),
              ElementsAre("One and", "two.", "And", "three", "(four)", "five."));
  EXPECT_THAT(texts_of_cues({"one", "one\ntwo", "two\nthree."}),
              ElementsAre("one", "one two", "two three."));
  EXPECT_THAT(texts_of_cues({"This is Dr.", "Smith."}), ElementsAre("This is Dr. Smith."));
  // A mark ends the sentence of a cue before a small letter, too.
  EXPECT_THAT(
      texts_of_cues({"The old man sees a house.", "elephants dream", "Two people stand here."}),
      ElementsAre("The old man sees a house.", "elephants dream", "Two people stand here."));
  EXPECT_THAT(texts_of_cues({"We meet.", "elephants", "dream", "Two, in", "London."}),
              ElementsAre("We meet.", "elephants dream", "Two, in London."));
  EXPECT_THAT(texts_of_cues({"one!", "two?", "three…", "four", "five."}),
              ElementsAre("one!", "two?", "three…", "four five."));
  // Speech is broken off.
  EXPECT_THAT(texts_of_cues({"Isn't it -", "Pulp.", "Me, too--", "Hang in there.", "And—", "yes."}),
              ElementsAre("Isn't it -", "Pulp.", "Me, too--", "Hang in there.", "And— yes."));
  // Nobody knows where sentences end.
  EXPECT_THAT(texts_of_cues({"one", "two", "Three"}), ElementsAre("one", "two", "Three"));
}

TEST(Subtitles, EventsOfSubStationAlpha) {
  const std::string head =
      "[Script Info]\nTitle: x\n\n[V4+ Styles]\nFormat: Name\nStyle: Default,a\n\n[Events]\n"
      "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n";
  const auto event = [](int second, const std::string& text) {
    return "Dialogue: 0,0:00:0" + std::to_string(second) + ".00,0:00:0" +
           std::to_string(second + 1) + ".00,Default,,0,0,0,," + text + "\r\n";
  };
  const std::string ass = head + "Comment: 0,0:00:00.00,0:00:01.00,Default,,0,0,0,,no\r\n" +
                          event(1, "{\\an8}One, {\\i1}two{\\i0}\\Nthree{note}.") +
                          event(2, "Four\\hand") + event(3, "five.") +
                          event(4, "{\\p1}m 0 0 l 1 1{\\p0}") +
                          event(5, "{\\pos(1,2)}Six {\\p2}m 0 0 {\\c&H&}l{\\p0\\i0}seven\\{");
  EXPECT_THAT(texts_shown(ass, kAss),
              ElementsAre("One, two three.", "Four and five.", "Six seven\\{"));
  EXPECT_EQ(translated(ass, kAss, {"A, B C.", "D {x} E.", "Six seven\\{"}),
            head + "Comment: 0,0:00:00.00,0:00:01.00,Default,,0,0,0,,no\r\n" +
                event(1, "{\\an8}A, {\\i1}B{\\i0}\\NC{note}.") + event(2, "D \\{x\\}") +
                event(3, "E.") + event(4, "{\\p1}m 0 0 l 1 1{\\p0}") +
                event(5, "{\\pos(1,2)}Six {\\p2}m 0 0 {\\c&H&}l{\\p0\\i0}seven\\{"));
  // Italics without an end are those of their cue.
  const std::string open = head + event(1, "{\\i1}I was") + event(2, "{\\i1}very happy.");
  EXPECT_EQ(translated(open, kAss, {"A B C D."}),
            head + event(1, "{\\i1}A") + event(2, "{\\i1}B C D."));
  EXPECT_THAT(texts_shown("[Script Info]\n[Events]\nFormat: Start, End, Text\n"
                          "Dialogue: 0:00:01.00,0:00:02.00,One, two\nDialogue: broken\n",
                          kAss),
              ElementsAre("One, two"));
}

TEST(Subtitles, EventsOfOtherPlacesAndTimesAreReadByThemselves) {
  const auto ass = [](const std::vector<std::string>& events) {
    std::string out =
        "[Script Info]\n[V4+ Styles]\n[Events]\n"
        "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n";
    for (const std::string& event : events) out += "Dialogue: " + event + "\n";
    return out;
  };
  const std::string one = "0,0:00:01.00,0:00:02.00,A,,0,0,0,,";
  const auto texts = [&](const std::string& second) {
    return texts_shown(ass({one + "One", second, "0,0:01:00.00,0:01:02.00,A,,0,0,0,,End."}), kAss);
  };
  EXPECT_THAT(texts("0,0:00:02.00,0:00:03.00,A,,0,0,0,,two."), ElementsAre("One two.", "End."));
  for (const std::string second :
       {"0,0:00:01.50,0:00:03.00,A,,0,0,0,,two.", "0,0:00:01.00,0:00:02.00,A,,0,0,0,,two.",
        "1,0:00:02.00,0:00:03.00,A,,0,0,0,,two.", "0,0:00:02.00,0:00:03.00,B,,0,0,0,,two.",
        "0,0:00:02.00,0:00:03.00,A,Bo,0,0,0,,two.",
        "0,0:00:02.00,0:00:03.00,A,,0,0,0,,{\\pos(1,2)}two.",
        "0,0:00:02.00,0:00:03.00,A,,0,0,0,,{\\i1\\move(1,2,3,4)}two."})
    EXPECT_THAT(texts(second), ElementsAre("One", "two.", "End.")) << second;
  // A drawing is no part of a sentence.
  const std::string drawing = "0,0:00:02.00,0:00:03.00,A,,0,0,0,,{\\an5\\p1}m 0 0 b 33 -3";
  EXPECT_THAT(texts(drawing), ElementsAre("One", "End."));
  const std::string drawn =
      ass({one + "One two:", drawing, "0,0:00:03.00,0:00:04.00,A,,0,0,0,,three",
           "0,0:00:04.00,0:00:05.00,A,,0,0,0,,four."});
  EXPECT_THAT(texts_shown(drawn, kAss), ElementsAre("One two:", "three four."));
  EXPECT_THAT(translated(drawn, kAss, {"A B:", "C D."}),
              HasSubstr(",,A B:\nDialogue: " + drawing + "\n"));
}

TEST(Subtitles, CuesOfYouTubeAndMicroDvd) {
  const std::string sbv =
      "0:00:01.000,0:00:02.000\nOne[br]two\n\n0:00:02.000,0:00:03.000\nthree.\n";
  EXPECT_THAT(texts_shown(sbv, kSbv), ElementsAre("One two three."));
  EXPECT_EQ(translated(sbv, kSbv, {"AAA BBB CCCC."}),
            "0:00:01.000,0:00:02.000\nAAA[br]BBB\n\n0:00:02.000,0:00:03.000\nCCCC.\n");
  const std::string dvd = "{1}{1}23.976\n{25}{50}{y:i}One|two\n{50}{}three.\n{999}{1000}Four\n";
  EXPECT_THAT(texts_shown(dvd, kMicroDvd), ElementsAre("One two three.", "Four"));
  EXPECT_EQ(translated(dvd, kMicroDvd, {"AAA BBB CCCC.", "{D|E}"}),
            "{1}{1}23.976\n{25}{50}{y:i}AAA|BBB\n{50}{}CCCC.\n{999}{1000}(D/E)\n");
}

TEST(Subtitles, AnotherFormatIsNamed) {
  const auto error_of = [](const std::string& bytes, const std::string& format) -> std::string {
    try {
      read_subtitles(bytes, format);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  };
  const std::vector<std::pair<std::string, std::string>> documents = {
      {"\uFEFFWEBVTT\n\n", kVtt},
      {"\n1\n00:00:01,000 --> 00:00:02,000\nx\n", kSrt},
      {"0:00:01.000,0:00:02.000\nx\n", kSbv},
      {"\uFEFF[Script Info]\n", kAss},
      {"{1}{2}x\n", kMicroDvd}};
  for (const auto& [bytes, own] : documents)
    for (const char* format : {kSrt, kVtt, kSbv, kAss, kMicroDvd, "txt"})
      EXPECT_THAT(error_of(bytes, format),
                  own == format || (own == kSbv && std::string(format) == kMicroDvd)
                      ? testing::Matcher<std::string>(IsEmpty())
                      : testing::Matcher<std::string>(
                            testing::AllOf(HasSubstr("line 1: "), HasSubstr("--document " + own))))
          << format;
  EXPECT_EQ(error_of("WEBVTTx\n", kSrt), "");
}

TEST(Subtitles, AreReadInTime) {
  for (const std::string part : {"<a ", "{\\a", "&a", "1\n", "<i>", "\n- ", "♪", "a\n\n"}) {
    std::string text;
    while (text.size() < 100'000) text += part;
    texts_shown("1\n00:00:01,000 --> 00:00:02,000\n" + text, kSrt);
    std::string cues = "0:01.0 --> 0:02.0\nEnd.\n";
    while (cues.size() < 100'000) cues += "0:01.0 --> 0:02.0\n" + part + "\n";
    texts_shown(cues, kSrt);
  }
}

TEST(Subtitles, SubViewerIsReadWithItsHeader) {
  const std::string text =  // as aeidon 1.11 writes it
      "[INFORMATION]\n[TITLE]A film\n[DELAY]0\n[END INFORMATION]\n[SUBTITLE]\n"
      "[COLF]&HFFFFFF,[STYLE]bd,[SIZE]18,[FONT]Sans\n\n"
      "00:00:01.00,00:00:03.00\nHello[br]<i>big</i> world.\n\n"
      "00:00:04.00,00:00:05.50\n- Yes.[br]- No.\n";
  EXPECT_THAT(texts_shown(text, kSbv), ElementsAre("Hello big world.", "Yes.", "No."));
  EXPECT_EQ(translated(text, kSbv, {"AAA BBB CCCC.", "JA.", "NEIN."}),
            "[INFORMATION]\n[TITLE]A film\n[DELAY]0\n[END INFORMATION]\n[SUBTITLE]\n"
            "[COLF]&HFFFFFF,[STYLE]bd,[SIZE]18,[FONT]Sans\n\n"
            "00:00:01.00,00:00:03.00\nAAA[br]<i>BBB</i> CCCC.\n\n"
            "00:00:04.00,00:00:05.50\n- JA.[br]- NEIN.\n");
  // Its files have the ending of MicroDVD's.
  EXPECT_EQ(format_of_name("film.sub")->name, kMicroDvd);
  EXPECT_THAT(texts_shown(text, kMicroDvd), ElementsAre("Hello big world.", "Yes.", "No."));
}

TEST(Subtitles, ACueWithoutLettersIsACueByItself) {
  EXPECT_THAT(
      model_texts(read_into("de",
                            "WEBVTT\n\n00:01.000 --> 00:02.000\nThe dog\n\n"
                            "00:02.200 --> 00:03.000\n---\n\n00:03.100 --> 00:04.000\nruns.\n",
                            "vtt")),
      ElementsAre("The dog", "runs."));
}

}  // namespace
}  // namespace heed::document
