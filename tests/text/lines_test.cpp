#include "text/lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/error.h"
#include "compressed.h"
#include "message.h"
#include "temporary_folder.h"
#include "text/tsv.h"

namespace heed::text {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> read_all(const std::string& path) {
  LineReader reader(path);
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) lines.push_back(line);
  return lines;
}

std::string numbered(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "line " + std::to_string(i * 7919) + "\n";
  return text;
}

TEST(Lines, TheLastLineNeedsNoLineFeed) {
  const TemporaryFolder folder;
  EXPECT_THAT(read_all(folder.write("a", "one\ntwo\n")), ElementsAre("one", "two"));
  EXPECT_THAT(read_all(folder.write("b", "one\ntwo")), ElementsAre("one", "two"));
  EXPECT_THAT(read_all(folder.write("c", "one\n\n")), ElementsAre("one", ""));
  EXPECT_THAT(read_all(folder.write("d", "\n")), ElementsAre(""));
  EXPECT_THAT(read_all(folder.write("e", "")), IsEmpty());
}

TEST(Lines, AreCleaned) {
  const TemporaryFolder folder;
  const std::string bytes =
      "\xEF\xBB\xBFone\r\n\xEF\xBB\xBFtwo\r\r\nth\xFFree\nfo" + std::string(1, '\0') + "ur\n\r\n";
  EXPECT_THAT(read_all(folder.write("a", bytes)),
              ElementsAre("one", "two\r", "th\xEF\xBF\xBDree", "fo ur", ""));
}

TEST(Lines, WhatIsNotUtf8IsCounted) {
  const TemporaryFolder folder;
  LineReader reader(folder.write("a", "one\nsch\xC3\xB6n\nsch\xF6n\nz\xF6\xE4\n"));
  for (std::string line; reader.next(line);) {
  }
  EXPECT_EQ(reader.encoding().beyond_ascii, 3);
  EXPECT_EQ(reader.encoding().repaired, 2);
  EXPECT_EQ(reader.encoding().first_repaired, 3);
}

TEST(Lines, AFileIsNoTextInUtf8WhereTenLinesAndMostAreBroken) {
  const TemporaryFolder folder;
  const auto refused = [&](int broken, int whole) {
    std::string text = "plain\n";
    for (int i = 0; i < broken; ++i) text += "sch\xF6n\n";
    for (int i = 0; i < whole; ++i) text += "sch\xC3\xB6n\n";
    LineReader reader(folder.write("a", text));
    for (std::string line; reader.next(line);) {
    }
    return message_of<UserError>([&] { require_utf8(reader); }) != "(nothing thrown)";
  };
  EXPECT_TRUE(refused(10, 0));
  EXPECT_TRUE(refused(10, 9));
  EXPECT_FALSE(refused(10, 10));
  EXPECT_FALSE(refused(9, 0));
  EXPECT_FALSE(refused(0, 9));
}

TEST(Lines, OfAFileInUtf16AreRefusedWithTheCure) {
  const TemporaryFolder folder;
  for (const char* mark : {"\xFF\xFE", "\xFE\xFF"}) {
    const std::string path = folder.write("a", mark + std::string("a\0\n\0", 4));
    EXPECT_EQ(message_of<UserError>([&] { read_all(path); }),
              path + ":1: text in UTF-16; convert it: iconv -f UTF-16 -t UTF-8 " + path + " > NEW");
  }
  EXPECT_THAT(read_all(folder.write("b", "a\n\xFF\xFE\n")),
              ElementsAre("a", "\xEF\xBF\xBD\xEF\xBF\xBD"));
}

TEST(Lines, WithNulAreRepaired) {
  const TemporaryFolder folder;
  LineReader reader(folder.write("a", std::string("one\nfo\0ur\nsch\xC3\xB6n\0\n", 18)));
  for (std::string line; reader.next(line);) {
  }
  EXPECT_EQ(reader.line_number(), 3);
  EXPECT_EQ(reader.encoding().beyond_ascii, 1);
  EXPECT_EQ(reader.encoding().repaired, 2);
  EXPECT_EQ(reader.encoding().first_repaired, 2);
  EXPECT_EQ(reader.encoding().with_nul, 2);
}

TEST(Lines, MostWithNulAreOfAFileInUtf16) {
  const TemporaryFolder folder;
  const auto flaw = [&](const std::string& bytes) {
    LineReader reader(folder.write("a", bytes));
    for (std::string line; reader.next(line);) {
    }
    return message_of<UserError>([&] { require_utf8(reader); });
  };
  std::string wide, plain;
  for (int i = 0; i < 10; ++i) {
    wide += std::string("a\0\n\0", 4);  // the next line begins with the second NUL
    plain += "a\n";
  }
  const std::string path = folder / "a";
  const std::string refused =
      path + ":1: a NUL byte, as in 11 of 11 lines; if it is UTF-16, convert it: ";
  EXPECT_EQ(flaw(wide), refused + "iconv -f UTF-16LE -t UTF-8 " + path + " > NEW");
  EXPECT_EQ(flaw(gzip("\xFF\xFE" + wide)),
            refused + "zcat < " + path + " | iconv -f UTF-16 -t UTF-8 > NEW");
  EXPECT_EQ(flaw(zstd(wide)),
            refused + "zstdcat < " + path + " | iconv -f UTF-16LE -t UTF-8 > NEW");
  std::string big;
  for (int i = 0; i < 10; ++i) big += std::string("\0a\0\n", 4);
  EXPECT_EQ(flaw(big), path +
                           ":1: a NUL byte, as in 10 of 10 lines; if it is UTF-16, convert it: " +
                           "iconv -f UTF-16BE -t UTF-8 " + path + " > NEW");
  EXPECT_EQ(flaw(wide + "\n" + plain + plain), "(nothing thrown)");
}

TEST(Lines, ArchivesReadAsThePlainFileWhateverTheirName) {
  const TemporaryFolder folder;
  const std::string plain = numbered(30011);
  const auto lines = read_all(folder.write("plain.gz", plain));
  ASSERT_EQ(lines.size(), 30011U);
  EXPECT_EQ(lines.back(), "line " + std::to_string(30010 * 7919));
  EXPECT_EQ(read_all(folder.write("a.gz", gzip(plain))), lines);
  EXPECT_EQ(read_all(folder.write("a.txt", zstd(plain))), lines);
}

TEST(Lines, ArchivesInARowAreOneText) {
  const TemporaryFolder folder;
  const std::string a = "one\ntw", b = "o\nthree\n";
  EXPECT_THAT(read_all(folder.write("a", gzip(a) + gzip(b))), ElementsAre("one", "two", "three"));
  EXPECT_THAT(read_all(folder.write("b", zstd(a) + zstd(b))), ElementsAre("one", "two", "three"));
  EXPECT_THAT(read_all(folder.write("c", gzip(a) + std::string(512, '\0'))),
              ElementsAre("one", "tw"));
}

TEST(Lines, AnArchiveMayEndWhereTheReadersBufferDoes) {
  const TemporaryFolder folder;
  for (const std::size_t chunks : {1U, 2U, 3U}) {
    const std::string line((chunks << 16) - 1, 'x');
    EXPECT_THAT(read_all(folder.write("a", gzip(line + "\n"))), ElementsAre(line));
    EXPECT_THAT(read_all(folder.write("b", zstd(line + "\n"))), ElementsAre(line));
    EXPECT_THAT(read_all(folder.write("c", zstd(line + "\n") + zstd("y\n"))),
                ElementsAre(line, "y"));
  }
}

TEST(Lines, AnArchiveMayHoldNothing) {
  const TemporaryFolder folder;
  for (const auto& archive : {gzip, zstd}) {
    EXPECT_THAT(read_all(folder.write("a", archive(""))), IsEmpty());
    EXPECT_THAT(read_all(folder.write("b", archive("") + archive("x\n") + archive(""))),
                ElementsAre("x"));
  }
}

TEST(Lines, ACutOffArchiveIsAnErrorAtEveryLength) {
  const TemporaryFolder folder;
  const std::string plain = numbered(9);
  for (const std::string& whole : {gzip(plain), zstd(plain)}) {
    for (std::size_t bytes = 5; bytes < whole.size(); ++bytes) {
      const std::string path = folder.write("a", whole.substr(0, bytes));
      EXPECT_THAT(message_of<UserError>([&] { read_all(path); }), HasSubstr("ends before its end"))
          << bytes << " of " << whole.size();
    }
  }
}

TEST(Lines, ACutOffArchiveIsNamedWithTheLine) {
  const TemporaryFolder folder;
  const std::string whole = gzip(numbered(50000));
  const std::string path = folder.write("train.de.gz", whole.substr(0, whole.size() / 2));
  LineReader reader(path);
  std::string line, message;
  try {
    while (reader.next(line)) {
    }
  } catch (const UserError& error) {
    message = error.what();
  }
  EXPECT_GT(reader.line_number(), 1000);
  EXPECT_EQ(message, path + ":" + std::to_string(reader.line_number() + 1) +
                         ": the gzip archive ends before its end; copy or make it again");
}

TEST(Lines, ADamagedArchiveIsAnError) {
  const TemporaryFolder folder;
  for (std::string whole : {gzip(numbered(2000)), zstd(numbered(2000))}) {
    for (std::size_t i = whole.size() / 2; i < whole.size() / 2 + 40; ++i) whole[i] = '\x5A';
    const std::string path = folder.write("a", whole);
    EXPECT_THAT(message_of<UserError>([&] { read_all(path); }), HasSubstr("archive"));
  }
}

TEST(Lines, AFileOfAnotherArchiveIsRefused) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& bytes, const std::string& name,
                           const std::string& program) {
    const std::string path = folder.write("a", bytes);
    EXPECT_EQ(message_of<UserError>([&] { read_all(path); }),
              path + ":1: an archive of " + name +
                  "; heed reads plain text, gzip and zstd: " + program + " " + path + " > NEW");
  };
  refused(
      "\xFD"
      "7zXZ" +
          std::string(9, '\0'),
      "xz", "xzcat");
  refused(std::string("PK\x03\x04\x14\0\0\0\b\0", 10), "zip", "unzip -p");
  EXPECT_THAT(message_of<UserError>(
                  [&] { read_all(folder.write("a.XLSX", std::string("PK\x03\x04\x14\0", 6))); }),
              HasSubstr("a document of an office program; save it there as text, HTML or CSV"));
  refused("BZh91AY&SY\x9B\x17", "bzip2", "bzcat");
}

/// A zip of empty files: the central directory and its end.
std::string zip_of(const std::vector<std::string>& names) {
  const auto number = [](std::size_t value, int width) {
    std::string bytes;
    for (int i = 0; i < width; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFF);
    return bytes;
  };
  std::string files, directory;
  for (const std::string& name : names) {
    directory += "PK\x01\x02" + std::string(24, '\0') + number(name.size(), 2) + number(3, 2) +
                 std::string(10, '\0') + number(files.size(), 4) + name + "xyz";
    files += "PK\x03\x04" + std::string(22, '\0') + number(name.size(), 2) + number(0, 2) + name;
  }
  return files + directory + "PK\x05\x06" + std::string(4, '\0') + number(names.size(), 2) +
         number(names.size(), 2) + number(directory.size(), 4) + number(files.size(), 4) +
         number(4, 2) + "note";
}

// OPUS has both sides of a corpus in one zip, with a README and a licence.
TEST(Lines, OfAZipOfSeveralFilesAreToldTheirNames) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::vector<std::string>& names) {
    return message_of<UserError>([&] { read_all(folder.write("a.zip", zip_of(names))); });
  };
  const std::string path = folder / "a.zip";
  EXPECT_EQ(refused({"x/", "x/a.de", "x/a b.en", "README"}),
            path +
                ":1: an archive of zip with 3 files; heed reads plain text, gzip and zstd: "
                "unzip -p " +
                path + " FILE > NEW, where FILE is one of x/a.de, 'x/a b.en', README");
  EXPECT_THAT(refused({"x/", "x/a.de"}),
              HasSubstr("an archive of zip; heed reads plain text, gzip and zstd: unzip -p " +
                        path + " > NEW"));
  EXPECT_THAT(refused({"1", "2", "3", "4", "5", "6", "7", "8", "9"}), HasSubstr("with 9 files; "));
  EXPECT_THAT(refused({"1", "2", "3", "4", "5", "6", "7", "8", "9"}), HasSubstr("7, 8, ..."));
}

// An archive of `zstd --long=28` says that it needs a window of 2^28 bytes, however short it is.
TEST(Lines, OfAnArchiveWithALargeWindowAreRead) {
  const TemporaryFolder folder;
  // Magic, no content size, window of 2^(10 + 18); a last raw block of 4 bytes.
  const std::string frame("\x28\xB5\x2F\xFD\x00\x90\x21\x00\x00one\n", 13);
  EXPECT_THAT(read_all(folder.write("a.zst", frame)), ElementsAre("one"));
}

TEST(Lines, BeginningLikeAnArchiveIsNotBeingOne) {
  const TemporaryFolder folder;
  EXPECT_THAT(read_all(folder.write("a", "BZh")), ElementsAre("BZh"));
  EXPECT_THAT(read_all(folder.write("b", "(\n")), ElementsAre("("));
  EXPECT_THAT(read_all(folder.write("c", "\x1F")), ElementsAre("\x1F"));
}

TEST(Lines, ALineOfAMegabyteIsOneLine) {
  const TemporaryFolder folder;
  const std::string longest(1 << 20, 'x');
  EXPECT_THAT(read_all(folder.write("a", "a\n" + longest + "\nb\n")),
              ElementsAre("a", longest, "b"));
}

TEST(Lines, AHundredMegabytesWithoutALineFeedAreNoText) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a", "a\nb");
  std::filesystem::resize_file(path, 100 << 20);  // NULs that take no room
  LineReader reader(path);
  std::string line;
  EXPECT_TRUE(reader.next(line));
  EXPECT_EQ(message_of<UserError>([&] { reader.next(line); }),
            path + ":2: a line of more than 4 MiB; is this text?");
}

TEST(Lines, OfMoreThan4MiBAreCutBetweenCharactersForWhomAsks) {
  const TemporaryFolder folder;
  constexpr std::size_t kMost = 4 << 20;
  const std::string half(kMost - 1, 'x'), whole(kMost, 'y'), huge(100'000'000, 'z');
  const std::string path =
      folder.write("a", whole + "\n" + half + "ü\n" + huge + "\na\n" + half + "€");
  LineReader reader(path, text::LongLines::cut);
  const auto expect_line = [&](std::string_view wanted, bool cut) {
    std::string line;
    ASSERT_TRUE(reader.next(line));
    EXPECT_TRUE(line == wanted) << reader.line_number() << ": " << line.size();
    EXPECT_EQ(reader.was_cut(), cut) << reader.line_number();
  };
  expect_line(whole, false);
  expect_line(half, true);
  expect_line(huge.substr(0, kMost), true);
  expect_line("a", false);
  expect_line(half, true);
  std::string line;
  EXPECT_FALSE(reader.next(line));
  EXPECT_EQ(reader.encoding().repaired, 0);
}

TEST(Lines, OfATsvFileHaveTwoColumns) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.tsv", "ein\tone\n\tnothing\nzwei two\n1\t2\t3\t4\n");
  LineReader reader(path);
  std::string line;
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(columns_of(line, reader).source, "ein");
  EXPECT_EQ(columns_of(line, reader).target, "one");
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(columns_of(line, reader).source, "");
  const std::string cure = "; each line of a corpus in one file is source TAB target";
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(message_of<UserError>([&] { columns_of(line, reader); }), path + ":3: no TAB" + cure);
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(message_of<UserError>([&] { columns_of(line, reader); }),
            path + ":4: 3 TABs" + cure + "; the first two columns alone: cut -f1,2 < " + path +
                " > NEW.tsv");
}

TEST(Lines, OfMoreColumnsAreToldWhichHaveText) {
  const TemporaryFolder folder;
  const auto cure = [&](const std::string& text) {
    LineReader reader(folder.write("a.tsv", text));
    std::string line;
    reader.next(line);
    return message_of<UserError>([&] { columns_of(line, reader); });
  };
  const std::string end = " < " + (folder / "a.tsv") + " > NEW.tsv";
  EXPECT_THAT(cure("0.93\tein\tone\n"),
              HasSubstr("; columns 2 and 3 alone, the first two with text: cut -f2,3" + end));
  EXPECT_THAT(cure("score\tsource\ttarget\n"), HasSubstr(": cut -f2,3" + end));
  EXPECT_THAT(cure("12\tein\t34\tone\n"), HasSubstr(": cut -f2,4" + end));  // Tatoeba
  EXPECT_THAT(cure("ein\tone\tCC-BY\n"),
              HasSubstr("; the first two columns alone: cut -f1,2" + end));
  EXPECT_THAT(cure("1\t2\t3\n"), HasSubstr("; the first two columns alone: cut -f1,2" + end));
  EXPECT_THAT(cure("12\teng\tone\n"),
              EndsWith("; column 3 alone has text, and the translations are in another file, or in "
                       "other lines, for column 2 has the language of each line"));
  EXPECT_THAT(cure("12\t0.5\tone\n"),
              EndsWith("; column 3 alone has text, and the translations are in another file"));
  // A column of one text: the direction of WMT's tables, an instruction.
  EXPECT_THAT(cure("lp\tsrc\tref\nde-en\tein\tone\nde-en\tzwei\ttwo\nde-en\tdrei\tthree\n"),
              HasSubstr("; columns 2 and 3 alone, the first two with text: cut -f2,3" + end));
  EXPECT_THAT(cure("Say:\tein\tone\nSay:\tzwei\ttwo\nSay:\tdrei\tthree\nSay:\tvier\tfour\n"),
              HasSubstr(": cut -f2,3" + end));
  EXPECT_THAT(cure("https://a.org\tein\thttps://b.org\tone\n"), HasSubstr(": cut -f2,4" + end));
}

TEST(Lines, OfBothSidesAreAskedFor) {
  const TemporaryFolder folder;
  const auto said = [](const std::string& source, const std::string& target = "") {
    return message_of<UserError>([&] { require_both_sides("init", source, target); });
  };
  const std::string text = folder.write("a.de", "ein\n"), table = folder.write("a.csv", "a,b\n");
  EXPECT_EQ(said("a.de", "a.en"), "(nothing thrown)");
  EXPECT_EQ(said("a.tsv.gz"), "(nothing thrown)");
  EXPECT_EQ(said(text),
            "init: name a file of sources and one of translations, or one .tsv file of both");
  EXPECT_THAT(said("a.tsv", text), HasSubstr("init: a.tsv has both sides"));
  EXPECT_THAT(said("m.tmx"), HasSubstr("name both, as heed init 'm.tmx#de' 'm.tmx#en'"));
  EXPECT_THAT(said(table), HasSubstr("as a .tsv file: python3 -c 'import csv, sys; "));
  EXPECT_THAT(
      said(folder.write("a.jsonl", "{\"en\": \"a\", \"de\": \"b\"}\n")),
      HasSubstr("JSON, not lines of text; the texts of its objects as a .tsv file: python3"));
}

TEST(Lines, WithBarsAreToldHowTheyBecomeTwoColumns) {
  const TemporaryFolder folder;
  const std::string bars = folder.write("fa.txt", "a\tx ||| b, c\n \nd ||| e\n"),
                    best = folder.write("n-best", "0 ||| a ||| 1.0\n"),
                    some = folder.write("some", "a ||| b\na b\n"),
                    packed = folder.write("fa.gz", gzip("a ||| b\n"));
  const std::string awk = "awk '{gsub(/\\t/, \" \"); sub(/ [|][|][|] /, \"\\t\"); print}' < ";
  EXPECT_EQ(bars_flaw(bars), bars +
                                 ": has both sides with ' ||| ' between them, as fast_align reads "
                                 "them; as a .tsv file: " +
                                 awk + bars + " > NEW.tsv");
  EXPECT_THAT(bars_flaw(packed).value_or(""), HasSubstr("zcat < " + packed + " | awk '{gsub"));
  for (const std::string& other : {best, some, folder.write("none", "\n")})
    EXPECT_EQ(bars_flaw(other), std::nullopt) << other;
  LineReader table(folder.write("b.tsv", "a ||| b, c\n"));
  std::string line;
  ASSERT_TRUE(table.next(line));
  EXPECT_THAT(message_of<UserError>([&] { columns_of(line, table); }),
              HasSubstr("with it in place of ' ||| ', as fast_align has them: " + awk));
}

TEST(Lines, OfCsvAreToldHowTheyBecomeTwoColumns) {
  const TemporaryFolder folder;
  LineReader reader(folder.write("a.tsv", "\"ein, zwei\",one\n"));
  std::string line;
  ASSERT_TRUE(reader.next(line));
  EXPECT_THAT(message_of<UserError>([&] { columns_of(line, reader); }),
              HasSubstr("no TAB; each line of a corpus in one file is source TAB target; if it is "
                        "CSV: python3 -c 'import csv, sys; "));
  // The command works, with line feeds in cells, too.
  LineReader csv(folder.write("b.tsv", "\"ein,\nzwei\",one\n3,\"say \"\"x\"\"\",rest\n"));
  ASSERT_TRUE(csv.next(line));
  const std::string said = message_of<UserError>([&] { columns_of(line, csv); }),
                    begins = "if it is CSV: ";
  const std::string command = said.substr(said.find(begins) + begins.size());
  ASSERT_EQ(std::system(("cd " + folder.path() + " && " + command).c_str()), 0) << command;
  std::ifstream made(folder / "NEW.tsv");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(made), {}),
            "ein, zwei\tone\n3\tsay \"x\"\trest\n");
}

// As manythings.org and Tatoeba name their tables.
TEST(Lines, WithTabsInFilesOfOtherNamesAreToldHowTheyBecomeTables) {
  const TemporaryFolder folder;
  const auto made = [&](const std::string& path) {
    const std::string said = tabs_flaw(path).value_or("nothing");
    const std::size_t from = std::min(said.find(": ", path.size() + 2), said.size() - 2);
    const std::string command = said.substr(from + 2);
    if (std::system(("cd " + folder.path() + " && " + command).c_str()) != 0) return said;
    std::ifstream table(folder / "NEW.tsv");
    return std::string(std::istreambuf_iterator<char>(table), {});
  };
  EXPECT_EQ(made(folder.write("deu.txt", "Hi.\tHallo!\tCC-BY\nGo.\tGeh.\tCC\n\n")),
            "Hi.\tHallo!\nGo.\tGeh.\n\n");
  EXPECT_EQ(made(folder.write("a.txt", "Hi.\tHallo!\nGo.\tGeh.\n")), "Hi.\tHallo!\nGo.\tGeh.\n");
  EXPECT_EQ(made(folder.write("pairs.gz", gzip("1\tHi.\t2\tHallo!\n"))), "Hi.\tHallo!\n");
  const std::string sentences = folder.write("sentences.csv", "1\teng\tHi.\n2\tdeu\tHallo, du!\n");
  EXPECT_THAT(
      csv_flaw(sentences).value_or(""),
      EndsWith("sentences.csv: each of its first lines has 2 TABs, as a table of both sides, "
               "whose name ends in .tsv; column 3 alone has text, and the translations are "
               "in another file, or in other lines, for column 2 has the language of each "
               "line"));
  for (const char* const text : {"Hi.\tHallo!\nGo.\n", "Hi.\n", "\n", "a\tb\nc\td\te\n"})
    EXPECT_EQ(tabs_flaw(folder.write("b.txt", text)), std::nullopt) << text;
  LineReader letters(folder.write("b.tsv", "Hi.\\tHallo!\nGo.\\tGeh.\n"));
  std::string line;
  ASSERT_TRUE(letters.next(line));
  const std::string said = message_of<UserError>([&] { columns_of(line, letters); });
  ASSERT_THAT(said, HasSubstr("; if '\\t' stands for it: sed "));
  ASSERT_EQ(std::system(("cd " + folder.path() + " && " + said.substr(said.find("sed "))).c_str()),
            0);
  std::ifstream table(folder / "NEW.tsv");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(table), {}), "Hi.\tHallo!\nGo.\tGeh.\n");
}

// As Excel writes CSV where the comma is the decimal sign.
TEST(Lines, OfCsvWithSemicolonsAreToldHowTheyBecomeColumns) {
  const TemporaryFolder folder;
  const auto made = [&](const std::string& said) {
    const std::string command = said.substr(said.find("python3"));
    if (std::system(("cd " + folder.path() + " && " + command).c_str()) != 0) return command;
    std::ifstream table(folder / "NEW.tsv");
    return std::string(std::istreambuf_iterator<char>(table), {});
  };
  const std::string rows = "\"de\";\"en\"\n\"ein; zwei\";\"one, two\"\ndrei;three\n";
  const std::string csv = csv_flaw(folder.write("a.csv", rows)).value_or("");
  EXPECT_THAT(csv, HasSubstr("a.csv: looks like a table with semicolons (CSV)"));
  EXPECT_EQ(made(csv), "de\ten\nein; zwei\tone, two\ndrei\tthree\n");
  LineReader reader(folder.write("a.tsv", rows));
  std::string line;
  ASSERT_TRUE(reader.next(line));
  const std::string said = message_of<UserError>([&] { columns_of(line, reader); });
  EXPECT_EQ(made(said), "de\ten\nein; zwei\tone, two\ndrei\tthree\n");
  EXPECT_THAT(csv_flaw(folder.write("b.csv", "a,b; c\nd,e; f\n")).value_or(""),
              HasSubstr("with commas"));
  EXPECT_THAT(csv_flaw(folder.write("c.csv", "a,b\nd; e,f\n")).value_or(""),
              HasSubstr("with commas"));
  LineReader prose(folder.write("b.tsv", "a; b\nc\n"));
  ASSERT_TRUE(prose.next(line));
  EXPECT_THAT(message_of<UserError>([&] { columns_of(line, prose); }), Not(HasSubstr("CSV")));
}

TEST(Lines, OfCarriageReturnsAloneAreRefusedWithTheCure) {
  const TemporaryFolder folder;
  const auto flaw = [&](const std::string& bytes) {
    LineReader reader(folder.write("a", bytes));
    for (std::string line; reader.next(line);) {
    }
    return message_of<UserError>([&] { require_utf8(reader); });
  };
  EXPECT_EQ(flaw("one\rtwo\rthree\r"),
            (folder / "a") +
                ": carriage returns (CR) without line feeds end its lines, 2 of them; convert it: "
                "tr '\\r' '\\n' < " +
                (folder / "a") + " > NEW");
  EXPECT_THAT(flaw("one\rtwo"), HasSubstr("1 of them"));
  EXPECT_THAT(flaw("a\rb\rc\rd\ne"), HasSubstr("3 of them"));  // joined with another file
  for (const char* good : {"one\r\ntwo\r\r\n", "one\r", "a\rb\nc\rd\n", "a\rb\nc\n"})
    EXPECT_EQ(flaw(good), "(nothing thrown)") << good;
  EXPECT_THAT(message_of<UserError>([&] {
                LineReader reader(folder.write("a.gz", gzip("one\rtwo\r")));
                for (std::string line; reader.next(line);) {
                }
                require_utf8(reader);
              }),
              HasSubstr("zcat < "));
}

TEST(Lines, ATsvFileIsToldByItsName) {
  EXPECT_TRUE(has_tsv_name("a.tsv") && has_tsv_name("x/a.tsv.gz") && has_tsv_name("a.tsv.zst"));
  EXPECT_FALSE(has_tsv_name("a.de") || has_tsv_name("tsv") || has_tsv_name("a.tsv.bak"));
  EXPECT_FALSE(tsv_flaw("a.tsv", "").has_value() || tsv_flaw("a.de", "a.en").has_value());
  EXPECT_TRUE(tsv_flaw("a.tsv", "a.en").has_value() && tsv_flaw("a.de", "a.tsv.gz").has_value());
}

TEST(Lines, AMissingFileIsAUserError) {
  const TemporaryFolder folder;
  folder.write("train.de", "a\n");
  EXPECT_THAT(message_of<UserError>([&] { LineReader reader(folder / "trian.de"); }),
              HasSubstr("train.de"));
  EXPECT_THROW(read_all(folder.path()), UserError);
}

TEST(LineReader, IsReadyWhereALineIsCompleteAndAtTheEnd) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const auto write = [&](std::string_view text) {
    ASSERT_EQ(::write(ends[1], text.data(), text.size()), std::ssize(text));
  };
  write("a\nb");
  LineReader reader("/dev/fd/" + std::to_string(ends[0]));
  std::string line;
  EXPECT_TRUE(reader.ready());
  EXPECT_TRUE(reader.next(line));
  EXPECT_EQ(line, "a");
  EXPECT_FALSE(reader.ready());
  EXPECT_FALSE(reader.ready(1));
  write("c\n\nd");
  EXPECT_TRUE(reader.ready());
  EXPECT_TRUE(reader.next(line));
  EXPECT_EQ(line, "bc");
  EXPECT_TRUE(reader.ready());  // the empty line
  EXPECT_TRUE(reader.next(line));
  EXPECT_EQ(line, "");
  EXPECT_FALSE(reader.ready());
  ::close(ends[1]);
  EXPECT_TRUE(reader.ready());
  EXPECT_TRUE(reader.next(line));
  EXPECT_EQ(line, "d");
  EXPECT_TRUE(reader.ready());
  EXPECT_FALSE(reader.next(line));
  EXPECT_TRUE(reader.ready());
  ::close(ends[0]);
}

TEST(LineReader, OfAFileIsAlwaysReady) {
  const TemporaryFolder folder;
  LineReader reader(folder.write("file", numbered(20000)));
  int64_t count = 0;
  for (std::string line; reader.ready() && reader.next(line);) ++count;
  EXPECT_EQ(count, 20000);
}

TEST(Stream, IsWhatCannotBeReadTwice) {
  const TemporaryFolder folder;
  const std::string fifo = folder / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_TRUE(is_stream("-"));
  EXPECT_TRUE(is_stream("/dev/stdin"));
  EXPECT_TRUE(is_stream("/dev/fd/63"));
  EXPECT_TRUE(is_stream("/proc/self/fd/63"));
  EXPECT_TRUE(is_stream(fifo));
  EXPECT_TRUE(is_stream("/dev/null"));
  EXPECT_FALSE(is_stream("/dev/shm/train.de"));
  EXPECT_FALSE(is_stream(folder.write("text", "a\n")));
  EXPECT_FALSE(is_stream(folder / "none"));
  EXPECT_FALSE(is_stream(folder.path()));
  EXPECT_FALSE(is_stream(""));
}

}  // namespace
}  // namespace heed::text
