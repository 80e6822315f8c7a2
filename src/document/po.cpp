// PO, the messages of GNU gettext: empty msgstr get the translations of their msgid, and are marked
// as fuzzy, which leaves it to a person to accept them. The format is that of GNU gettext's manual,
// "The Format of PO Files".
#include <algorithm>
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
#include "document/po_conventions.h"
#include "document/po_entries.h"
#include "document/restructured_text.h"
#include "document/token.h"
#include "document/xml_events.h"
#include "text/language_tags.h"
#include "text/utf8.h"

namespace heed::document {
namespace {

/// Plural-Forms in the header of a template.
constexpr std::string_view kPluralTemplate = "nplurals=INTEGER; plural=EXPRESSION;";

class Po {
 public:
  Po(std::string_view bytes, const ReadOptions& options)
      : bytes_(bytes), options_(options), entries_(po_entries(bytes)) {
    const std::size_t end = bytes.find('\n');
    line_end_ = end != bytes.npos && end > 0 && bytes[end - 1] == '\r' ? "\r\n" : "\n";
  }

  Passages read() {
    for (const PoEntry& entry : entries_)
      if (entry.is_header()) read_header(entry);
    if (!forms_ && has_plurals()) forms_ = plural_forms(plural_header(options_.target_language));
    file_ = PoConventions(bytes_, entries_, header_);
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
           std::ranges::all_of(entry.translations, is_empty) && !is_code(entry) &&
           !names_translators(entry);
  }

  /// Whether the translation of a message is who translates: GNOME and KDE show it in a program.
  bool names_translators(const PoEntry& entry) const {
    const std::string context = entry.context ? characters(*entry.context) : "";
    return characters(entry.ids[0]) == "translator-credits" || context == "NAME OF TRANSLATORS" ||
           context == "EMAIL OF TRANSLATORS";
  }

  /// Whether the message is a block of code of a document. In Sphinx's documentation paragraphs are
  /// on one line each.
  bool is_code(const PoEntry& entry) const {
    if (is_element_of_code(entry)) return true;
    if (!file_.format_of(entry).is_restructured) return false;
    const std::string text = characters(entry.ids[0]);
    return text.starts_with(">>>") || text.find('\n') < text.size() - 1;
  }

  std::string characters(const PoString& string) const { return characters_of(bytes_, string); }

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
    if (is_copied(language)) {
      if (!has_target())
        throw UserError(
            "line {}: its language is {}, that of its texts, which have no translations; tell that "
            "of the translations: --target-language de, or {} if it is so",
            line, one_line(language), one_line("--target-language " + std::string(language)));
      copied_language_ = language;
    }
    if (copied_language_.empty() && text::are_other_languages(language, options_.target_language))
      throw UserError(
          "line {}: its language is {}, and that of the model's translations is {}; take a model "
          "of that language, or tell the model's: --target-language {}",
          line, one_line(language), options_.target_language, one_line(language));
    plural_ = field(header, "Plural-Forms");
    // A copied catalogue has the forms of its texts.
    const std::string_view own = plural_header(options_.target_language);
    const ByteRange all = entry.translations[0].all;
    has_other_forms_ =
        !copied_language_.empty() && !own.empty() && !plural_.empty() &&
        bytes_.substr(all.from, all.to - all.from).find(plural_) != std::string_view::npos;
    forms_ = plural_forms(has_other_forms_ ? own : plural_);
    if (!forms_ && !plural_.empty() && plural_ != kPluralTemplate)
      throw UserError(
          "line {}: Plural-Forms is '{}', which says no number of forms, or no form for some "
          "number; correct it",
          line, one_line(plural_));
    header_.is_qt = !field(header, "X-Qt-Contexts").empty();
    const std::string_view mark = field(header, "X-Accelerator-Marker");
    if (mark.size() == 1) header_.accelerator = mark[0];
    header_.is_drupal =
        ascii_lower(field(header, "Project-Id-Version")).find("drupal") != std::string::npos;
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
      const std::string line = "\"Language: " + copied_language_ + "\\n\"";
      replace(line, "\"Language: " + language + "\\n\"");
      if (('\n' + ascii_lower(header)).find("\nlanguage:") == std::string::npos)
        add_line("Language: " + language);
    }
    if (plural_ == kPluralTemplate || has_other_forms_) replace(plural_, plural);
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
              ? "tell the language of the translations, as --target-language de, or "
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
    const MessageFormat format = file_.format_of(entry);
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
    const MessageFormat format = file_.format_of(entry);
    const bool is_folded = source.parts.size() > 1 && source.parts[0].is_empty();
    before += is_folded ? "\"\"" + std::string(line_end_) + '"' : "\"";
    Passage passage;
    passage.place = Passage::Place{place, std::move(before), "\""};
    const std::string text = characters(source);
    std::optional<std::size_t> mark;
    if (format.has_accelerators && file_.accelerator() != 0)
      mark = accelerator_in(text, file_.accelerator(), format.item);
    passage.tokens = tokens_of(source, format, mark);
    if (file_.is_of_documents()) passage.tokens = with_whole_code(std::move(passage.tokens));
    const ReferenceWriting references = format.is_restructured || format.markup == nullptr
                                            ? ReferenceWriting{}
                                            : reference_writing(bytes_, passage.tokens, "&");
    passage.writing = {.escaped = format.escaped(references), .is_document = true};
    passage.enclosed = references.enclosed;
    keep_order(bytes_, passage.tokens);
    if (mark) {
      const std::size_t letter = *mark + 1;
      const std::size_t bytes = text::code_point_at(text, letter).bytes;
      passage.enclosed =
          [accelerator = Accelerator{file_.accelerator(), text.substr(letter, bytes)},
           item = format.item, references = references.enclosed](std::string_view written) {
            const std::string out = with_accelerator(written, accelerator, item);
            return references ? references(out) : out;
          };
    } else if (format.is_restructured) {
      passage.enclosed = with_markup_apart;
    } else {
      divide_message(bytes_, passage);
      if (file_.has_forms()) divide_forms(bytes_, passage);
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
  PoHeader header_;
  std::string plural_;            // as the header says them
  std::string copied_language_;   // the header's, where it is that of the texts
  bool has_other_forms_ = false;  // the header's are those of another language
  std::optional<PluralForms> forms_;
  Passages passages_;
};

}  // namespace

Passages read_po(std::string_view bytes, const ReadOptions& options) {
  return Po(bytes, options).read();
}

}  // namespace heed::document
