#include "decode/search/input.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/error.h"
#include "base/format.h"
#include "base/log.h"
#include "base/strings.h"
#include "document/format.h"
#include "text/tsv.h"

namespace heed::decode {
namespace {

// The time in which the next line must come to belong to the same chunk. It is shorter than a
// translation takes, and long enough for a program that writes as fast as it can.
constexpr int kPatience = 5;  // milliseconds

// The limit of a chunk in the sum of the squares of its lines' lengths in bytes, because some
// results have a number for each pair of pieces. A thousand lines of 2 KiB reach it.
constexpr double kMostHeld = 4294967296;

/// Warns where the text is not UTF-8. Returns true if it has warned.
bool warn_of_encoding(const text::LineReader& reader) {
  const auto flaw = text::encoding_flaw(reader);
  if (flaw) log::warn(*flaw);  // each line is translated all the same
  return flaw.has_value();
}

/// Warns of lines that are not UTF-8 though they are too few to say so of the text. Returns true if
/// it has warned.
bool warn_of_broken_lines(const text::LineReader& reader) {
  const text::Encoding& found = reader.encoding();
  if (found.repaired == 0) return false;
  if (found.not_utf8 == 0) {
    const bool is_wide = 2 * found.with_nul > reader.line_number();
    log::warn("{}:{}: a NUL byte, as in {} in all; NUL is translated as a blank{}", reader.name(),
              found.first_repaired, counted(found.with_nul, "line"),
              is_wide
                  ? ". If the text is UTF-16, convert it: " + reader.command_to_convert("UTF-16LE")
                  : "");
    return true;
  }
  const bool has_nul = 2 * found.with_nul > found.repaired;
  log::warn(
      "{}:{}: not UTF-8, as {} in all; U+FFFD is translated in place of its bytes. If the text is "
      "{}, "
      "convert it: {}",
      reader.name(), found.first_repaired, counted(found.repaired, "line"),
      has_nul ? "UTF-16" : "of Western Europe",
      reader.command_to_convert(has_nul ? "UTF-16LE" : "WINDOWS-1252"));
  return true;
}

void warn_of_cut(const text::LineReader& reader) {
  if (reader.was_cut())
    log::warn("{}:{}: a line of more than 4 MiB, cut to that; is this text?", reader.name(),
              reader.line_number());
}

void prompt(const char* text) {
  std::fputs(text, stderr);
  std::fflush(stderr);
}

/// Shows the first prompt where somebody types the input. It is called before the reader is made,
/// because that waits for the first bytes.
bool greet_who_types(const std::string& file) {
  if (file != "-" || ::isatty(STDIN_FILENO) != 1 || !log::shows_progress()) return false;
  log::info("type a line and press Enter to translate it; Ctrl-D ends");
  prompt("> ");
  return true;
}

/// The texts, each with a line feed at its end.
std::string lines_of(const std::vector<std::string>& texts) {
  std::string lines;
  for (const std::string& text : texts) {
    lines += text;
    if (!text.ends_with('\n')) lines += '\n';
  }
  return lines;
}

}  // namespace

Input::Input(const InputOptions& options)
    : is_typed_(options.texts.empty() && greet_who_types(options.file)),
      is_given_(!options.texts.empty()),
      lines_(is_given_ ? text::LineReader(lines_of(options.texts), "--text", text::LongLines::cut)
                       : text::LineReader(options.file, text::LongLines::cut)),
      prefix_column_(options.prefix_column),
      warns_of_tabs_(!options.prefix_column && text::has_tsv_name(options.file)),
      warns_of_documents_(!options.markup && !is_given_) {
  if (options.prefix_file.empty()) return;
  if (!is_given_ && options.file == "-" && options.prefix_file == "-")
    throw UserError("translate: --prefix - and the text are both standard input; name a file");
  prefixes_.emplace(options.prefix_file, text::LongLines::cut);
}

InputChunk Input::next(std::size_t most) {
  InputChunk chunk{.first = lines_.line_number() + 1, .lines = {}, .prefixes = {}};
  std::string line;
  double held = 0;
  bool is_at_end = false;
  if (is_typed_ && lines_.line_number() > 0) prompt("> ");
  while (chunk.lines.size() < most && held < kMostHeld &&
         (chunk.lines.empty() || lines_.ready(kPatience))) {
    if (!lines_.next(line)) {
      if (is_typed_) prompt("\n");  // so that the prompt of the shell begins a new line
      finish();
      is_at_end = true;
      break;
    }
    add(line, chunk);
    held += static_cast<double>(line.size()) * static_cast<double>(line.size());
    warn_of_cut(lines_);
    if (prefixes_) warn_of_cut(*prefixes_);
  }
  if (std::exchange(warns_of_documents_, false)) warn_of_documents(chunk);
  if (!told_of_encoding_)
    told_of_encoding_ = warn_of_encoding(lines_) || (prefixes_ && warn_of_encoding(*prefixes_));
  if (is_at_end && !told_of_encoding_) told_of_encoding_ = warn_of_broken_lines(lines_);
  return chunk;
}

int64_t Input::count() const {
  return is_given_ || text::is_stream(lines_.path()) ? 0 : text::count_lines(lines_.path());
}

void Input::skip(int64_t count) {
  std::string line;
  InputChunk unused;
  while (lines_.line_number() < count) {
    if (!lines_.next(line))
      throw UserError(
          "{} has {} lines, fewer than the {} that are translated already; is this the text that "
          "was begun with?",
          lines_.name(), lines_.line_number(), count);
    unused = {};
    add(line, unused);
  }
}

void Input::add(const std::string& line, InputChunk& chunk) {
  const std::string here = fmt::format("{}:{}", lines_.name(), lines_.line_number());
  if (warns_of_tabs_ && line.find('\t') != std::string::npos) {
    log::warn(here +
              ": has a tab, and the text after it is translated, too; give a file of sources alone "
              "(--prefix-column takes the second column as a prefix, --document tsv --column "
              "translates a column)");
    warns_of_tabs_ = false;
  }
  const std::size_t tab = prefix_column_ ? line.find('\t') : std::string::npos;
  chunk.lines.push_back(line.substr(0, tab));
  if (prefix_column_) {
    chunk.prefixes.push_back(tab == std::string::npos ? "" : line.substr(tab + 1));
    const auto columns =
        2 + std::count(chunk.prefixes.back().begin(), chunk.prefixes.back().end(), '\t');
    if (columns > 2)
      throw UserError(
          "{}: {} columns; --prefix-column takes a source text and, after a tab, a prefix", here,
          columns);
  } else if (prefixes_ && !prefixes_->next(chunk.prefixes.emplace_back())) {
    throw UserError(
        "{}: ends after line {}, but there is {}; give a line for each, an empty one for no prefix",
        prefixes_->name(), prefixes_->line_number(), here);
  }
}

/// Warns of a file that is a document by its name or its first lines. Each line is translated all
/// the same.
void Input::warn_of_documents(const InputChunk& chunk) {
  const document::DocumentFormat* format =
      prefix_column_ ? nullptr : document::format_of_name(lines_.path());
  if (text::has_tsv_name(lines_.path())) format = nullptr;  // tabs are warned of
  if (format == nullptr) format = document::format_of_text(chunk.lines);
  if (format != nullptr && !format->is_lines)
    log::warn(
        "{}: looks like a document ({}), of which each line is translated; --document {} "
        "translates {}, and leaves all else as it is",
        lines_.name(), format->name, format->name, format->text);
  else if (!lines_.no_text().empty())
    log::warn(lines_.no_text());
  else if (const auto unread = document::unread_format_of_name(lines_.path()); !unread.empty())
    log::warn("{}: {}, of which each line is translated with its markup; take the text out of it",
              lines_.name(), unread);
}

void Input::finish() {
  std::string line;
  if (prefixes_ && prefixes_->next(line))
    throw UserError("{}:{}: a prefix without a line; {} ends after line {}", prefixes_->name(),
                    prefixes_->line_number(), lines_.name(), lines_.line_number());
}

}  // namespace heed::decode
