// PO, the messages of GNU gettext: empty msgstr get the translations of their msgid, and are marked
// as fuzzy, which leaves it to a person to accept them. The format is that of GNU gettext's manual,
// "The Format of PO Files".
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "document/accelerators.h"
#include "document/escaped_text.h"
#include "document/format.h"
#include "document/lines_of_text.h"
#include "document/message_format.h"
#include "document/passage.h"
#include "document/placeholders.h"
#include "document/plural_forms.h"
#include "document/restructured_text.h"
#include "document/token.h"
#include "document/xml_events.h"
#include "text/language_tags.h"
#include "text/utf8.h"

namespace heed::document {
namespace {

constexpr std::string_view kPoBlanks = " \t\r\n\f\v";

/// What one character or escape of a string in quotes stands for.
struct PoCharacter {
  std::size_t bytes = 1;
  char value = 0;
};

/// The character at `at`; escapes are those of C.
PoCharacter po_character_at(std::string_view text, std::size_t at) {
  if (text[at] != '\\' || at + 1 >= text.size()) return {1, text[at]};
  constexpr std::string_view kNames = "ntrbafv", kValues = "\n\t\r\b\a\f\v", kOctal = "01234567",
                             kHex = "0123456789abcdefABCDEF";
  const char name = text[at + 1];
  if (const std::size_t i = kNames.find(name); i != kNames.npos) return {2, kValues[i]};
  const bool is_hex = name == 'x';
  const std::size_t begin = at + (is_hex ? 2 : 1);
  const std::size_t end =
      is_hex ? after_run(text, kHex, begin) : std::min(after_run(text, kOctal, begin), begin + 3);
  if (end == begin) return {2, name};
  unsigned value = 0;
  for (std::size_t i = begin; i < end; ++i)
    value = value * (is_hex ? 16 : 8) +
            static_cast<unsigned>(kHex.find(text[i]) - (kHex.find(text[i]) >= 16 ? 6 : 0));
  return {end - at, static_cast<char>(value & 0xFF)};
}

std::string in_quotes(std::string_view text, std::string_view doubled) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (is_one_of(c, doubled)) out += c;
    out += c;
  }
  return out;
}
std::string plain_quotes(std::string_view text) {
  return in_quotes(text, "");
}
std::string percent_quotes(std::string_view text) {
  return in_quotes(text, "%");
}
std::string brace_quotes(std::string_view text) {
  return in_quotes(text, "{}");
}

std::string restructured_quotes(std::string_view text) {
  return in_quotes(with_restructured_escapes(text), "");
}

/// How the text of a message is written: its placeholders and markup, and the characters that it
/// doubles.
struct MessageFormat {
  EscapedText::FindItem item = nullptr;
  std::string (*(*escaped)(const ReferenceWriting& references))(std::string_view text) =
      escaped_in<plain_quotes>;
  char doubled = 0;  // this sign, or `{`, which is written twice
  EscapedText::FindMarkup markup = reference_markup;
  bool has_accelerators = false;
};

/// Plural-Forms in the header of a template.
constexpr std::string_view kPluralTemplate = "nplurals=INTEGER; plural=EXPRESSION;";

/// What a file says of all its messages.
struct PoConventions {
  bool is_restructured = false;  // Sphinx's documentation
  bool is_drupal = false;
  bool has_forms = false;  // with `|` between them, in one message
  char accelerator = 0;    // the mark of accelerators
};

MessageFormat format_of(const std::vector<std::string>& flags, const PoConventions& file) {
  const auto has = [&](auto... names) {
    return std::ranges::any_of(flags,
                               [&](const std::string& flag) { return ((flag == names) || ...); });
  };
  if (file.is_restructured)
    return {.escaped = escaped_in<restructured_quotes>, .markup = restructured_markup};
  if (has("c-format", "objc-format", "python-format", "php-format", "perl-format", "awk-format",
          "gcc-internal-format", "tcl-format", "lua-format", "ruby-format", "go-format",
          "object-pascal-format", "javascript-format", "boost-format"))
    return {.item = percent_placeholder,
            .escaped = escaped_in<percent_quotes>,
            .doubled = '%',
            .has_accelerators = true};
  if (has("qt-format", "qt-plural-format", "kde-format", "kde-kuit-format"))
    return {.item = percent_placeholder, .has_accelerators = true};
  if (has("python-brace-format", "csharp-format", "rust-format", "c++-format"))
    return {.item = brace_placeholder,
            .escaped = escaped_in<brace_quotes>,
            .doubled = '{',
            .has_accelerators = true};
  if (has("perl-brace-format", "java-format", "java-printf-format", "sh-format", "smalltalk-format",
          "librep-format", "scheme-format", "lisp-format", "elisp-format", "gfc-internal-format",
          "ycp-format"))
    return {.item = any_placeholder, .has_accelerators = true};
  if (file.is_drupal) return {.item = drupal_placeholder};
  if (std::ranges::any_of(flags, [](const std::string& flag) {
        return flag.starts_with("no-") && flag.ends_with("-format");
      }))
    return {.item = has("no-python-brace-format", "no-csharp-format", "no-rust-format",
                        "no-c++-format", "no-perl-brace-format")
                        ? likely_percent_placeholder
                        : likely_brace_placeholder,
            .has_accelerators = true};
  return {.item = likely_placeholder, .has_accelerators = true};
}

struct PoString {
  ByteRange all;                 // from its first quote to its last
  std::vector<ByteRange> parts;  // between quotes

  bool is_empty() const {
    return std::ranges::all_of(parts, [](const ByteRange& part) { return part.is_empty(); });
  }
};

struct PoEntry {
  static constexpr std::size_t kNowhere = -1;

  std::size_t begin = kNowhere;  // its first keyword, or the message before a change
  std::size_t flags_at = 0;      // after the mark of its flags; 0: it has none
  std::vector<std::string> flags;
  std::string references;  // lines that say where it is used
  bool has_context = false;
  std::vector<PoString> ids, translations;
  std::size_t translations_from = 0;  // the first keyword msgstr

  bool is_header() const { return !has_context && ids.size() == 1 && ids[0].is_empty(); }
};

class PoReader {
 public:
  explicit PoReader(std::string_view bytes) : bytes_(bytes) {}

  std::vector<PoEntry> read() {
    if (bytes_.starts_with("\uFEFF")) at_ = 3;
    while ((at_ = after_run(bytes_, kPoBlanks, at_)) < bytes_.size()) {
      if (bytes_[at_] == '#')
        read_comment();
      else if (bytes_[at_] == '"')
        read_string();
      else
        read_keyword();
    }
    end_entry();
    return std::move(entries_);
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw UserError("line {}: {}; `msgfmt -c FILE` says more", line_number(bytes_, at_), what);
  }

  void end_entry() {
    if (!now_.ids.empty() && now_.translations.empty())
      refuse("the message before it has no msgstr; add one, which may be empty");
    if (!now_.translations.empty()) entries_.push_back(std::move(now_));
    now_ = {};
    string_ = nullptr;
  }

  /// Begins a message at this keyword or comment, if one before it is complete.
  void begin_entry(std::size_t begin) {
    if (!now_.translations.empty()) end_entry();
    if (now_.begin == PoEntry::kNowhere) now_.begin = begin;
  }

  void read_comment() {
    const std::size_t end = std::min(bytes_.find_first_of("\r\n", at_), bytes_.size());
    const std::string_view line = bytes_.substr(at_, end - at_);
    if (!now_.translations.empty()) end_entry();
    string_ = nullptr;  // as in msgfmt, no comment is between the strings of a message
    if (line.starts_with("#~")) {
      end_entry();  // comments that stood before it belong to a message that is no longer used
    } else if (line.starts_with("#,")) {
      now_.flags_at = at_ + 2;
      for (const std::string& flag : split(line.substr(2), ','))
        now_.flags.emplace_back(trim(flag));
    } else if (line.starts_with("#:")) {
      now_.references += line.substr(2);
    } else if (line.starts_with("#|")) {
      begin_entry(at_);
    }
    at_ = end;
  }

  void read_string() {
    if (string_ == nullptr) refuse("a string stands there without a keyword before it");
    std::size_t end = at_ + 1;
    while (end < bytes_.size() && bytes_[end] != '"' && bytes_[end] != '\n')
      end += bytes_[end] == '\\' ? 2 : 1;
    if (end >= bytes_.size() || bytes_[end] != '"') refuse("the string has no closing quote");
    string_->parts.push_back({at_ + 1, end});
    if (string_->all.is_empty()) string_->all.from = at_;
    string_->all.to = at_ = end + 1;
  }

  void read_keyword() {
    const std::size_t end = after_run(bytes_, "abcdefghijklmnopqrstuvwxyz_", at_);
    const std::string_view name = bytes_.substr(at_, end - at_);
    if (name == "domain") {
      end_entry();
      string_ = &context_;
    } else if (name == "msgctxt") {
      begin_entry(at_);
      now_.has_context = true;
      string_ = &context_;
    } else if (name == "msgid") {
      if (!now_.ids.empty()) end_entry();
      begin_entry(at_);
      now_.ids.emplace_back();
      string_ = &now_.ids.back();
    } else if (name == "msgid_plural" && now_.ids.size() == 1) {
      now_.ids.emplace_back();
      string_ = &now_.ids.back();
    } else if (name == "msgstr" && !now_.ids.empty()) {
      if (now_.translations.empty()) now_.translations_from = at_;
      now_.translations.emplace_back();
      string_ = &now_.translations.back();
    } else {
      const std::size_t line_end = std::min(bytes_.find_first_of("\r\n", at_), bytes_.size());
      refuse(fmt::format("'{}' is no part of a PO file here",
                         one_line(bytes_.substr(at_, line_end - at_), 40)));
    }
    at_ = end;
    if (at_ < bytes_.size() && bytes_[at_] == '[') {
      const std::size_t close = after_run(bytes_, "0123456789", at_ + 1);
      if (close == at_ + 1 || close == bytes_.size() || bytes_[close] != ']')
        refuse("the number of a plural form is digits in brackets, as in msgstr[0]");
      at_ = close + 1;
    }
    const std::size_t string = after_run(bytes_, " \t\r\n\f\v", at_);
    if (string == bytes_.size() || bytes_[string] != '"')
      refuse("a keyword has no string after it; an empty one is \"\"");
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
  std::vector<PoEntry> entries_;
  PoEntry now_;
  PoString context_;            // of no use here
  PoString* string_ = nullptr;  // to which the next string belongs
};

class Po {
 public:
  Po(std::string_view bytes, const ReadOptions& options)
      : bytes_(bytes), options_(options), entries_(PoReader(bytes).read()) {
    const std::size_t end = bytes.find('\n');
    line_end_ = end != bytes.npos && end > 0 && bytes[end - 1] == '\r' ? "\r\n" : "\n";
  }

  Passages read() {
    for (const PoEntry& entry : entries_)
      if (entry.is_header()) read_header(entry);
    if (!forms_ && has_plurals()) forms_ = plural_forms(plural_header(options_.target_language));
    read_conventions();
    const bool is_filled =
        std::ranges::any_of(entries_, [&](const PoEntry& entry) { return is_open(entry); });
    for (const PoEntry& entry : entries_) {
      if (entry.is_header() && is_filled)
        change_header(entry);
      else if (is_open(entry))
        add(entry);
    }
    return std::move(passages_);
  }

 private:
  bool has_plurals() const {
    return std::ranges::any_of(entries_, [](const PoEntry& one) { return one.ids.size() > 1; });
  }

  bool is_open(const PoEntry& entry) const {
    const auto is_empty = [](const PoString& string) { return string.is_empty(); };
    return !entry.is_header() && !entry.ids.empty() && std::ranges::none_of(entry.ids, is_empty) &&
           std::ranges::all_of(entry.translations, is_empty) && !is_code(entry);
  }

  /// Whether the message is a block of code of Sphinx's documentation, whose paragraphs are on one
  /// line each.
  bool is_code(const PoEntry& entry) const {
    if (!file_.is_restructured) return false;
    const std::string text = characters(entry.ids[0]);
    return text.starts_with(">>>") || text.find('\n') < text.size() - 1;
  }

  std::string characters(const PoString& string) const {
    std::string out;
    for (const ByteRange& part : string.parts) {
      const std::string_view text = bytes_.substr(part.from, part.to - part.from);
      for (std::size_t at = 0; at < text.size();) {
        const PoCharacter c = po_character_at(text, at);
        out += c.value;
        at += c.bytes;
      }
    }
    return out;
  }

  /// The value of a line of the header; empty where there is none.
  static std::string_view field(std::string_view header, std::string_view name) {
    for (std::size_t at = 0; at < header.size();) {
      const std::size_t end = std::min(header.find('\n', at), header.size());
      const std::string_view line = header.substr(at, end - at);
      if (ascii_lower(line.substr(0, name.size())) == ascii_lower(name) &&
          line.substr(name.size()).starts_with(":"))
        return trim(line.substr(name.size() + 1));
      at = end + 1;
    }
    return {};
  }

  bool has_target() const { return !text::main_language(options_.target_language).empty(); }

  /// Whether the header says the language of the texts, as in a catalogue to be copied: nothing has
  /// a translation. Where no one knows that language, it is English.
  bool is_copied(std::string_view language) const {
    const std::string& source = options_.source_language;
    const auto is_empty = [](const PoString& string) { return string.is_empty(); };
    return !language.empty() &&
           !text::is_same_language(language, has_target() ? options_.target_language : "") &&
           text::is_same_language(language, text::main_language(source).empty() ? "en" : source) &&
           std::ranges::all_of(entries_, [&](const PoEntry& entry) {
             return entry.is_header() || std::ranges::all_of(entry.translations, is_empty);
           });
  }

  void read_header(const PoEntry& entry) {
    const std::string header = characters(entry.translations[0]);
    const int64_t line = line_number(bytes_, entry.begin);
    const std::string_view content = field(header, "Content-Type");
    const std::size_t at = content.find("charset=");
    const std::string_view charset = at == content.npos ? "" : trim(content.substr(at + 8));
    const std::string lower = ascii_lower(charset);
    if (!lower.empty() && lower != "utf-8" && lower != "utf8" && lower != "us-ascii" &&
        lower != "ascii" && lower != "charset")
      throw UserError(
          "line {}: its charset is {}, and documents are read in UTF-8; convert it: msgconv "
          "--to-code=UTF-8",
          line, one_line(charset));
    const std::string_view language = field(header, "Language");
    if (is_copied(language))
      throw UserError(
          "line {}: its language is {}, that of its texts, which have no translations; write that "
          "of the translations there, such as \"Language: {}\\n\"{}",
          line, one_line(language), has_target() ? options_.target_language : "de",
          has_target() ? ""
                       : fmt::format(", or say that it is so: --target {}", one_line(language)));
    if (text::are_other_languages(language, options_.target_language))
      throw UserError(
          "line {}: its language is {}, and that of the model's translations is {}; take a model "
          "of that language, or tell the model's: --target {}",
          line, one_line(language), options_.target_language, one_line(language));
    plural_ = field(header, "Plural-Forms");
    forms_ = plural_forms(plural_);
    if (!forms_ && !plural_.empty() && plural_ != kPluralTemplate)
      throw UserError(
          "line {}: Plural-Forms is '{}', which says no number of forms, or no form for some "
          "number; correct it",
          line, one_line(plural_));
    is_qt_ = !field(header, "X-Qt-Contexts").empty();
    const std::string_view mark = field(header, "X-Accelerator-Marker");
    if (mark.size() == 1) file_.accelerator = mark[0];
    file_.is_drupal =
        ascii_lower(field(header, "Project-Id-Version")).find("drupal") != std::string::npos;
  }

  /// What the messages together show of their file.
  void read_conventions() {
    const auto has_reference = [&](auto... names) {
      return std::ranges::any_of(entries_, [&](const PoEntry& entry) {
        return ((entry.references.find(names) != std::string::npos) || ...);
      });
    };
    file_.is_restructured = has_reference(".rst:", ":docstring of ") ||
                            std::ranges::any_of(entries_, [&](const PoEntry& entry) {
                              return entry.flags_at == 0 && entry.ids.size() == 1 &&
                                     shows_restructured_text(characters(entry.ids[0]));
                            });
    file_.is_drupal =
        file_.is_drupal || has_reference(".module:", ".module;", ".info.yml:", ".html.twig:");
    file_.has_forms =
        !file_.is_restructured && std::ranges::any_of(entries_, [&](const PoEntry& entry) {
          return entry.ids.size() == 1 && shows_forms(characters(entry.ids[0]));
        });
    if (file_.accelerator != 0 || file_.is_restructured || file_.is_drupal) return;
    if (is_qt_) file_.accelerator = '&';
    std::ptrdiff_t most = 0;
    for (const char mark : {'&', '_', '~'}) {
      const auto count = is_qt_ ? 0 : std::ranges::count_if(entries_, [&](const PoEntry& entry) {
        return entry.ids.size() == 1 && shows_accelerators(characters(entry.ids[0]), mark,
                                                           format_of(entry.flags, file_).item);
      });
      if (count <= most) continue;
      most = count;
      file_.accelerator = mark;
    }
  }

  /// Adds a change of bytes.
  void change(ByteRange bytes, std::string to) {
    passages_.push_back({.tokens = {}, .place = Passage::Place{bytes, std::move(to), {}}});
  }

  /// Fills in what the header of a template leaves open and readers of translations need.
  void change_header(const PoEntry& entry) {
    const ByteRange all = entry.translations[0].all;
    std::vector<std::pair<ByteRange, std::string>> changes;
    const auto replace = [&](std::string_view from, const std::string& to) {
      const std::size_t at = bytes_.substr(0, all.to).find(from, all.from);
      if (at == std::string_view::npos || to.empty()) return;
      changes.emplace_back(ByteRange{at, at + from.size()}, to);
    };
    const std::string& language = options_.target_language;
    const std::string plural(plural_header(language));
    replace("charset=CHARSET", "charset=UTF-8");
    std::string added;
    const std::string header = characters(entry.translations[0]);
    const auto add_line = [&](const std::string& text) {
      if (added.empty() && !header.empty() && !header.ends_with('\n'))
        added += std::string(line_end_) + "\"\\n\"";
      added += std::string(line_end_) + '"' + text + "\\n\"";
    };
    if (has_target()) {
      replace("\"Language: \\n\"", "\"Language: " + language + "\\n\"");
      if (('\n' + ascii_lower(header)).find("\nlanguage:") == std::string::npos)
        add_line("Language: " + language);
    }
    if (plural_ == kPluralTemplate) replace(kPluralTemplate, plural);
    if (plural_.empty() && has_plurals() && !plural.empty()) add_line("Plural-Forms: " + plural);
    if (!added.empty()) changes.emplace_back(ByteRange{all.to, all.to}, added);
    std::ranges::sort(changes, {}, [](const auto& one) { return one.first.from; });
    for (auto& [bytes, to] : changes) change(bytes, std::move(to));
  }

  void add(const PoEntry& entry) {
    if (entry.ids.size() > 1 && !forms_)
      throw UserError(
          "line {}: the message has plural forms, and Plural-Forms in the header does not say how "
          "many; {}write it there, as \"Plural-Forms: nplurals=2; plural=(n != 1);\\n\"",
          line_number(bytes_, entry.begin),
          text::main_language(options_.target_language).empty()
              ? "tell the language of the translations, as --target de, or "
              : "");
    mark_as_fuzzy(entry);
    if (entry.ids.size() == 1) return add_text(entry, 0, entry.translations[0].all, "");
    const ByteRange all{entry.translations_from, entry.translations.back().all.to};
    const bool has_one =
        forms_->count > 1 && (!forms_->is_shared || items_in(entry, 0) == items_in(entry, 1));
    for (int64_t form = 0; form < forms_->count; ++form) {
      const bool is_one = has_one && form == forms_->of_one;
      add_text(entry, is_one ? 0 : 1, form == 0 ? all : ByteRange{all.to, all.to},
               fmt::format("{}msgstr[{}] ", form == 0 ? "" : line_end_, form));
    }
  }

  /// The placeholders of a msgid or msgid_plural, in the order of their characters.
  std::vector<std::string> items_in(const PoEntry& entry, std::size_t id) const {
    std::vector<std::string> items;
    const MessageFormat format = format_of(entry.flags, file_);
    const std::string text = characters(entry.ids[id]);
    for (std::size_t at = 0; format.item != nullptr && at < text.size();) {
      const std::size_t bytes = format.item(text, at);
      if (bytes > 0) items.push_back(text.substr(at, bytes));
      at += std::max<std::size_t>(bytes, 1);
    }
    std::ranges::sort(items);
    return items;
  }

  void mark_as_fuzzy(const PoEntry& entry) {
    if (std::ranges::count(entry.flags, "fuzzy") > 0) return;
    if (entry.flags_at > 0)
      change({entry.flags_at, entry.flags_at}, " fuzzy,");
    else
      change({entry.begin, entry.begin}, "#, fuzzy" + std::string(line_end_));
  }

  void add_text(const PoEntry& entry, std::size_t id, ByteRange place, std::string before) {
    const PoString& source = entry.ids[id];
    MessageFormat format = format_of(entry.flags, file_);
    const bool is_folded = source.parts.size() > 1 && source.parts[0].is_empty();
    before += is_folded ? "\"\"" + std::string(line_end_) + '"' : "\"";
    Passage passage;
    passage.place = Passage::Place{place, std::move(before), "\""};
    const std::string text = characters(source);
    std::optional<std::size_t> mark;
    if (format.has_accelerators && file_.accelerator != 0)
      mark = accelerator_in(text, file_.accelerator, format.item);
    if (mark && file_.accelerator == '&') format.markup = nullptr;
    passage.tokens = tokens_of(source, format, mark);
    const ReferenceWriting references = file_.is_restructured || format.markup == nullptr
                                            ? ReferenceWriting{}
                                            : reference_writing(bytes_, passage.tokens, "&");
    passage.writing = {.escaped = format.escaped(references), .is_document = true};
    passage.enclosed = references.enclosed;
    keep_order(bytes_, passage.tokens);
    if (mark) {
      const std::size_t letter = *mark + 1;
      const std::size_t bytes = text::code_point_at(text, letter).bytes;
      passage.enclosed = [accelerator = Accelerator{file_.accelerator, text.substr(letter, bytes)},
                          item = format.item,
                          references = references.enclosed](std::string_view written) {
        const std::string out = with_accelerator(written, accelerator, item);
        return references ? references(out) : out;
      };
    } else if (file_.is_restructured) {
      passage.enclosed = with_markup_apart;
    } else {
      divide_message(bytes_, passage);
      if (file_.has_forms) divide_forms(bytes_, passage);
    }
    passages_.push_back(std::move(passage));
  }

  /// `mark`: the byte of the message's characters that marks an accelerator. The character after it
  /// stands for both.
  std::vector<Token> tokens_of(const PoString& source, const MessageFormat& format,
                               std::optional<std::size_t> mark) const {
    EscapedText text(bytes_, LineFeeds::text, format.item, format.markup);
    std::size_t end = 0;    // of the last part
    std::size_t index = 0;  // of a byte of the characters
    for (const ByteRange& part : source.parts) {
      if (end > 0) text.wrap(part.from);
      const std::string_view all = bytes_.substr(0, part.to);
      for (std::size_t at = part.from; at < part.to;) {
        PoCharacter c = po_character_at(all, at);
        const bool is_doubled =
            format.doubled != 0 && at + 1 < part.to && all[at] == all[at + 1] &&
            (all[at] == format.doubled || (format.doubled == '{' && all[at] == '}'));
        if (is_doubled) c.bytes = 2;
        if (c.bytes == 1 && mark == index && at + 1 < part.to) {
          const std::size_t bytes = text::code_point_at(all, at + 1).bytes;
          text.add(all.substr(at + 1, bytes), {at, at + 1 + bytes});
          at += 1 + bytes;
          index += 1 + bytes;
          continue;
        }
        if (c.bytes == 1)
          text.add(ByteRange{at, at + 1});
        else if (static_cast<unsigned char>(c.value) < 0x80)
          text.add(std::string_view(&c.value, 1), {at, at + c.bytes});
        else
          c.bytes = add_escaped_bytes(all, at, text, index);
        at += c.bytes;
        index += is_doubled ? 2 : 1;
      }
      if (part.to > part.from || end > 0) end = part.to;
    }
    std::vector<Token> tokens;
    text.move_to(tokens);
    return tokens;
  }

  /// Adds characters beyond ASCII that are written as escapes of their bytes; returns the bytes of
  /// these escapes. `index` grows to that of their last byte.
  static std::size_t add_escaped_bytes(std::string_view all, std::size_t from, EscapedText& text,
                                       std::size_t& index) {
    std::string bytes;
    std::size_t at = from;
    while (at < all.size() && all[at] == '\\') {
      const PoCharacter c = po_character_at(all, at);
      if (static_cast<unsigned char>(c.value) < 0x80) break;
      bytes += c.value;
      at += c.bytes;
    }
    index += bytes.size() - 1;
    text.add(text::repair(bytes), {from, at});
    return at - from;
  }

  std::string_view bytes_;
  const ReadOptions& options_;
  std::vector<PoEntry> entries_;
  std::string_view line_end_;
  PoConventions file_;
  bool is_qt_ = false;
  std::string plural_;  // as the header says them
  std::optional<PluralForms> forms_;
  Passages passages_;
};

}  // namespace

Passages read_po(std::string_view bytes, const ReadOptions& options) {
  return Po(bytes, options).read();
}

}  // namespace heed::document
