#include "text/tmx_lines.h"

#include <expat.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <new>
#include <set>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/format.h"
#include "base/strings.h"
#include "text/bytes.h"
#include "text/language_tags.h"
#include "text/no_text.h"
#include "text/references.h"
#include "text/utf8.h"

namespace heed::text {
namespace {

constexpr std::string_view kLineEnds = "\r\n", kTextBlanks = " \t\r\n";
constexpr std::size_t kMostQuoted = 40;  // characters of a name in a message

/// The text on one line: runs of blanks that have a line end become one blank, and tabs too.
std::string on_one_line(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_not_of(kTextBlanks, at), text.size());
    std::string run(text.substr(at, end - at));
    if (run.find_first_of(kLineEnds) != std::string::npos) run = " ";
    std::ranges::replace(run, '\t', ' ');
    if (at > 0 && end < text.size()) out += run;  // none at the beginning and the end
    const std::size_t next = std::min(text.find_first_of(kTextBlanks, end), text.size());
    out += text.substr(end, next - end);
    at = next;
  }
  return out;
}

class TmxLines : public ByteSource {
 public:
  TmxLines(std::unique_ptr<ByteSource> xml, TmxSide side)
      : xml_(std::move(xml)),
        side_(std::move(side)),
        language_(ascii_lower(xml_language(side_.language))),
        parser_(XML_ParserCreate(nullptr)) {
    if (parser_ == nullptr) throw std::bad_alloc();
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(parser_.get(), &TmxLines::on_start, &TmxLines::on_end);
    XML_SetCharacterDataHandler(parser_.get(), &TmxLines::on_text);
    XML_SetSkippedEntityHandler(parser_.get(), &TmxLines::on_skipped_entity);
    XML_SetUnknownEncodingHandler(parser_.get(), &TmxLines::on_unknown_encoding, this);
    XML_SetParamEntityParsing(parser_.get(), XML_PARAM_ENTITY_PARSING_NEVER);
  }
  TmxLines& operator=(TmxLines&&) = delete;

  std::size_t read(char* out, std::size_t size) override {
    while (given_ == lines_.size() && !ended_) {
      lines_.clear();
      given_ = 0;
      parse_more();
    }
    const std::size_t count = std::string_view(lines_).substr(given_).copy(out, size);
    given_ += count;
    // The lines before a fault come first, so that its message has the number of its unit.
    if (count == 0 && error_) std::rethrow_exception(error_);
    return count;
  }

  const char* unpacked_by() const override { return xml_->unpacked_by(); }

 private:
  struct Free {
    void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
  };
  enum Rank { kOther, kSameLanguage, kExact };

  static TmxLines& self(void* data) { return *static_cast<TmxLines*>(data); }

  static void XMLCALL on_start(void* data, const XML_Char* name, const XML_Char** attributes) {
    TmxLines& tmx = self(data);
    // An exception must not pass through Expat.
    tmx.keep_error([&] { tmx.start(name, attributes); });
  }
  static void XMLCALL on_end(void* data, const XML_Char* name) {
    TmxLines& tmx = self(data);
    tmx.keep_error([&] { tmx.end(name); });
  }
  static void XMLCALL on_text(void* data, const XML_Char* text, int size) {
    TmxLines& tmx = self(data);
    if (tmx.is_in_text())
      tmx.keep_error([&] { tmx.text_.append(text, static_cast<std::size_t>(size)); });
  }
  /// For entities of a document type, which is not read: those of HTML are known.
  static void XMLCALL on_skipped_entity(void* data, const XML_Char* name, int is_parameter) {
    TmxLines& tmx = self(data);
    if (is_parameter != 0 || !tmx.is_in_text()) return;
    tmx.keep_error([&] {
      const std::string entity = fmt::format("&{};", name);
      const auto reference = reference_at(entity, 0);
      if (!reference || reference->text().empty())
        tmx.refuse(fmt::format("{} has no meaning here; write the character",
                               one_line(entity, kMostQuoted)));
      tmx.text_ += reference->text();
    });
  }
  static int XMLCALL on_unknown_encoding(void* data, const XML_Char* name,
                                         XML_Encoding* /*encoding*/) {
    self(data).keep_error([&] { self(data).encoding_ = one_line(name, kMostQuoted); });
    return XML_STATUS_ERROR;
  }

  template <class Work>
  void keep_error(const Work& work) {
    if (error_) return;
    try {
      work();
    } catch (...) {
      error_ = std::current_exception();
      XML_StopParser(parser_.get(), XML_FALSE);
    }
  }

  [[noreturn]] void refuse(const std::string& what) const {
    throw BadBytes(
        fmt::format("line {} of the file: {}", XML_GetCurrentLineNumber(parser_.get()), what));
  }

  /// Reads a part of the file; sets ended_ at its end and where it has a fault.
  void parse_more() {
    std::size_t count = 0;
    try {
      count = xml_->read(chunk_.data(), chunk_.size());
      if (!std::exchange(begun_, true)) require_no_pointer({chunk_.data(), count});
    } catch (const BadBytes&) {
      error_ = std::current_exception();
      ended_ = true;
      return;
    }
    const bool is_last = count == 0;
    const XML_Status status =
        XML_Parse(parser_.get(), chunk_.data(), static_cast<int>(count), is_last);
    keep_error([&] {
      if (status != XML_STATUS_OK) refuse_xml(is_last);
      if (is_last) require_language();
    });
    ended_ = is_last || error_;
  }

  static void require_no_pointer(std::string_view beginning) {
    const auto found = no_text(beginning);
    if (found && (found->is_pointer || found->ending == "html")) throw BadBytes(found->what);
  }

  [[noreturn]] void refuse_xml(bool is_last) const {
    const XML_Error error = XML_GetErrorCode(parser_.get());
    if (error == XML_ERROR_UNKNOWN_ENCODING) {
      const std::string unpack = unpacked_by(), file = shell_path(side_.file);
      throw BadBytes(fmt::format(
          "in the encoding {}; convert it: {}iconv -f {} -t UTF-8{} | sed '1s/ encoding=[^ ?]*//' "
          "> NEW.tmx",
          encoding_, unpack.empty() ? "" : fmt::format("{} < {} | ", unpack, file),
          shell_word(encoding_), unpack.empty() ? " < " + file : ""));
    }
    refuse(is_last ? "the file ends before its end; copy it again"
                   : fmt::format("it is not well-formed XML ({})", XML_ErrorString(error)));
  }

  void require_language() const {
    if (units_ == 0) throw BadBytes("a TMX without a unit (<tu>)");
    if (has_language_) return;
    std::vector<std::string> names;
    for (const auto& [name, count] : languages_)
      names.push_back(fmt::format("{} ({})", one_line(name, kMostQuoted), counted(count, "unit")));
    throw BadBytes(fmt::format("no unit has a text in '{}'; its languages: {}", side_.language,
                               names.empty() ? "none" : join(names, ", ")));
  }

  void start(std::string_view name, const XML_Char** attributes) {
    if (depth_++ == 0 && name != "tmx")
      refuse(fmt::format("it begins with <{}>, not with <tmx>", one_line(name, kMostQuoted)));
    if (skipped_ > 0) {
      ++skipped_;
    } else if (is_in_segment_) {
      skipped_ += name != "hi";
    } else if (name == "tu") {
      best_ = kOther;
      found_.clear();
    } else if (name == "tuv") {
      start_variant(attributes);
    } else if (name == "seg") {
      is_in_segment_ = true;
      text_.clear();
    }
  }

  void start_variant(const XML_Char** attributes) {
    std::string language;
    for (; *attributes != nullptr; attributes += 2) {
      const std::string_view name = attributes[0];
      if (name == "xml:lang" || (name == "lang" && language.empty())) language = attributes[1];
    }
    constexpr std::size_t kMostNamed = 20;
    if (!has_language_ && (languages_.contains(language) || languages_.size() < kMostNamed))
      ++languages_[language];
    const std::string tag = ascii_lower(xml_language(language));
    rank_ = tag == language_ ? kExact : is_same_language(tag, language_) ? kSameLanguage : kOther;
  }

  void end(std::string_view name) {
    --depth_;
    if (skipped_ > 0) {
      --skipped_;
    } else if (name == "seg") {
      is_in_segment_ = false;
      if (rank_ <= best_) return;
      has_language_ = true;
      std::string line = on_one_line(text_);
      if (is_blank(line)) return;
      found_ = std::move(line);
      best_ = rank_;
    } else if (name == "tuv") {
      rank_ = kOther;
    } else if (name == "tu") {
      add_line();
    }
  }

  /// Lines before the first unit in the language are held back: it may have another name.
  void add_line() {
    ++units_;
    if (!has_language_) {
      ++held_;
      return;
    }
    lines_.append(std::exchange(held_, 0), '\n');
    lines_ += found_;
    lines_ += '\n';
  }

  /// Whether the characters that come are of a text that may be taken.
  bool is_in_text() const { return is_in_segment_ && skipped_ == 0 && rank_ > best_; }

  std::unique_ptr<ByteSource> xml_;
  TmxSide side_;
  std::string language_;  // in small letters
  std::unique_ptr<XML_ParserStruct, Free> parser_;
  std::array<char, 1 << 16> chunk_{};
  std::string encoding_;  // that Expat does not know
  std::exception_ptr error_;
  bool begun_ = false, ended_ = false;

  std::string lines_;      // those of the units that were read last
  std::size_t given_ = 0;  // bytes of them

  int64_t depth_ = 0, skipped_ = 0;  // open elements; those of native code among them
  bool is_in_segment_ = false;
  std::string text_, found_;  // of the segment; of the unit
  Rank rank_ = kOther, best_ = kOther;
  int64_t units_ = 0;
  std::size_t held_ = 0;
  bool has_language_ = false;
  std::map<std::string, int64_t> languages_;  // until one is the one asked for
};

/// The languages that variants of units name in `beginning`, each once.
std::vector<std::string> languages_in(std::string_view beginning) {
  std::vector<std::string> names;
  for (std::size_t at = 0; (at = beginning.find("<tuv", at)) != std::string_view::npos; ++at) {
    const std::string_view tag = beginning.substr(at, beginning.find('>', at) - at);
    const std::size_t lang = tag.find("lang=");
    if (lang == std::string_view::npos || lang + 6 >= tag.size()) continue;
    const std::string_view value = tag.substr(lang + 6);
    const std::string name(value.substr(0, value.find(tag[lang + 5])));
    const bool is_language = !main_language(name).empty() && name.size() < kMostQuoted &&
                             name.find_first_of("\r\n") == std::string::npos;
    if (is_language && std::ranges::count(names, name) == 0) names.push_back(name);
  }
  return names;
}

}  // namespace

bool has_tmx_name(std::string_view path) {
  const std::string name =
      ascii_lower(path.substr(path.size() - std::min<std::size_t>(path.size(), 8)));
  for (const std::string_view end : {".tmx", ".tmx.gz", ".tmx.zst"})
    if (name.ends_with(end)) return true;
  return false;
}

std::optional<TmxSide> tmx_side(std::string_view path) {
  const std::size_t mark = path.rfind('#');
  if (mark == std::string_view::npos || !has_tmx_name(path.substr(0, mark))) return std::nullopt;
  return TmxSide{.file = std::string(path.substr(0, mark)),
                 .language = std::string(path.substr(mark + 1))};
}

std::string file_of_lines(const std::string& path) {
  const auto side = tmx_side(path);
  return side ? side->file : path;
}

void require_text_file(const std::string& path, const std::string& what) {
  require_file(file_of_lines(path), what);
}

std::string tmx_needs_language(const std::string& path, std::string_view beginning) {
  const std::vector<std::string> found = languages_in(beginning);
  const std::string file = has_tmx_name(path) ? path : "NEW.tmx";
  std::vector<std::string> sides;
  for (const std::string& language : found.empty() ? std::vector<std::string>{"de", "en"} : found)
    sides.push_back(shell_path(file + "#" + language));
  return fmt::format("a translation memory (TMX); {}name the language of the side after it, {}{}",
                     file == path ? "" : "let its name end in .tmx, and ",
                     found.empty() ? "such as " : "", join(sides, " or "));
}

std::unique_ptr<ByteSource> tmx_lines(std::unique_ptr<ByteSource> xml, const TmxSide& side) {
  if (main_language(side.language).empty())
    throw BadBytes(fmt::format("'{}' after # is no language, such as de or pt-BR", side.language));
  return std::make_unique<TmxLines>(std::move(xml), side);
}

}  // namespace heed::text
