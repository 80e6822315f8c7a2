#include "document/po_entries.h"

#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "document/xml_events.h"

namespace heed::document {

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

namespace {

constexpr std::string_view kPoBlanks = " \t\r\n\f\v";

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
    } else if (line.starts_with("#.")) {
      (now_.notes += line.substr(2)) += '\n';
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
      string_ = &domain_;
    } else if (name == "msgctxt") {
      begin_entry(at_);
      string_ = &now_.context.emplace();
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
  PoString domain_;             // of no use here
  PoString* string_ = nullptr;  // to which the next string belongs
};

}  // namespace

std::string characters_of(std::string_view bytes, const PoString& string) {
  std::string out;
  for (const ByteRange& part : string.parts) {
    const std::string_view text = bytes.substr(part.from, part.to - part.from);
    for (std::size_t at = 0; at < text.size();) {
      const PoCharacter c = po_character_at(text, at);
      out += c.value;
      at += c.bytes;
    }
  }
  return out;
}

std::vector<PoEntry> po_entries(std::string_view bytes) {
  return PoReader(bytes).read();
}

}  // namespace heed::document
