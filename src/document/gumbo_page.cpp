#include "document/gumbo_page.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "document/html_elements.h"
#include "document/markup_tokens.h"
#include "text/words.h"

namespace heed::document {
namespace {

constexpr std::size_t kDeepest = 400;  // Chromium stops at 512

/// Elements whose end tag may be missing, of which a container has at most one open.
bool may_lack_end(std::string_view name) {
  static const text::WordSet names = text::word_set(
      "body caption colgroup dd dt head html li optgroup option p rb rp rt rtc tbody td tfoot th "
      "thead tr");
  return names.contains(name);
}

bool is_formatting(std::string_view name) {
  static const text::WordSet names =
      text::word_set("a b big code em font i nobr s small strike strong tt u");
  return names.contains(name);
}

/// Finds what of a page gumbo is not shown.
class HiddenTags {
 public:
  explicit HiddenTags(std::string_view page) : page_(page), is_xml_(page.starts_with("<?xml")) {
    for (std::size_t at = 0; (at = page.find('<', at)) != std::string_view::npos;)
      at = std::max(read(at), at + 1);
    // Each is copied into a node of gumbo, which takes about 200 bytes.
    const std::size_t most_copies = 50000 + page.size() / 4;
    if (copies_ > most_copies)
      hidden_.insert(hidden_.end(), formatting_.begin(), formatting_.end());
  }

  const std::vector<ByteRange>& ranges() const { return hidden_; }

 private:
  /// Reads what begins with the `<` at `at`; returns the position after it.
  std::size_t read(std::size_t at) {
    if (page_.substr(at).starts_with("<!--")) {
      const std::size_t end = page_.find("-->", at + 2);
      return end == std::string_view::npos ? page_.size() : end + 3;
    }
    const Tag tag = tag_at(page_, at, MarkupKind::html);
    if (tag.end == at) return at + 1;
    const ByteRange bytes{at, tag.end};
    if (tag.most_attributes_end > 0 && page_[tag.end - 1] == '>')
      hidden_.push_back({tag.most_attributes_end, tag.end - 1});
    if (is_void_element(tag.name)) return tag.end;
    if (is_xml_ && tag.is_empty) {
      hidden_.push_back(bytes);
      return tag.end;
    }
    if (has_only_characters(tag.name))
      return tag.closes ? tag.end : after_end_tag(page_, tag.end, tag.name).value_or(page_.size());
    if (tag.name == "plaintext") return page_.size();
    if (is_formatting(tag.name))
      format(tag, bytes);
    else if (is_block_element(tag.name))
      copies_ += open_formatting_.size();
    if (!may_lack_end(tag.name)) tag.closes ? close(tag, bytes) : open(tag, bytes);
    return tag.end;
  }

  void format(const Tag& tag, ByteRange bytes) {
    formatting_.push_back(bytes);
    const bool replaces = tag.closes || tag.name == "a" || tag.name == "nobr";
    if (replaces) erase_last(open_formatting_, tag.name);
    if (!tag.closes) open_formatting_.push_back(tag.name);
  }

  void open(const Tag& tag, ByteRange bytes) {
    const bool is_known = is_block_element(tag.name) || is_formatting(tag.name);
    if (tag.is_empty && !is_known) return;  // of SVG
    if (open_.size() < kDeepest) {
      open_.push_back(tag.name);
      return;
    }
    hidden_.push_back(bytes);
    deeper_.push_back(tag.name);
  }

  void close(const Tag& tag, ByteRange bytes) {
    if (!deeper_.empty() && erase_last(deeper_, tag.name)) {
      hidden_.push_back(bytes);
      return;
    }
    const std::size_t at = last_of(open_, tag.name);
    if (at == open_.size()) return;
    const auto begin = open_.begin() + static_cast<std::ptrdiff_t>(at);
    // A block is not ended by the end of an inline element around it.
    const bool has_block =
        !is_block_element(tag.name) &&
        std::any_of(begin, open_.end(), [](const auto& name) { return is_block_element(name); });
    if (!has_block)
      open_.resize(at);
    else if (is_formatting(tag.name))
      open_.erase(begin);
  }

  /// The index of the last element with this name, among the last ones; the size: there is none.
  static std::size_t last_of(const std::vector<std::string>& names, std::string_view name) {
    constexpr std::size_t kLooked = 32;
    for (std::size_t i = names.size(); i > 0 && names.size() - i < kLooked; --i)
      if (names[i - 1] == name) return i - 1;
    return names.size();
  }

  static bool erase_last(std::vector<std::string>& names, std::string_view name) {
    const std::size_t at = last_of(names, name);
    if (at == names.size()) return false;
    names.erase(names.begin() + static_cast<std::ptrdiff_t>(at));
    return true;
  }

  std::string_view page_;
  bool is_xml_;
  std::vector<std::string> open_, deeper_;  // names of elements, and of those that are hidden
  std::vector<std::string> open_formatting_;
  std::vector<ByteRange> formatting_;  // tags
  std::size_t copies_ = 0;             // of formatting elements into blocks, at most
  std::vector<ByteRange> hidden_;
};

}  // namespace

bool is_element_of_html(std::string_view name) {
  return gumbo_tagn_enum(name.data(), static_cast<unsigned>(name.size())) != GUMBO_TAG_UNKNOWN;
}

GumboPage::GumboPage(std::string_view page) : shown_(page.empty() ? std::string_view("") : page) {
  if (const HiddenTags hidden(page); !hidden.ranges().empty()) {
    copy_ = page;
    for (const ByteRange& range : hidden.ranges())
      std::fill(copy_.begin() + static_cast<std::ptrdiff_t>(range.from),
                copy_.begin() + static_cast<std::ptrdiff_t>(range.to), ' ');
    shown_ = copy_;
  }
  GumboOptions options = kGumboDefaultOptions;
  options.allocator = allocate;
  options.deallocator = [](void*, void*) {};
  options.userdata = this;
  options.max_errors = 0;  // each would copy the names of all open elements
  output_ = gumbo_parse_with_options(&options, shown_.data(), shown_.size());
}

ByteRange GumboPage::bytes_of(const GumboStringPiece& piece) const {
  // Gumbo's own texts lie elsewhere.
  const auto begin = reinterpret_cast<std::uintptr_t>(shown_.data()),
             at = reinterpret_cast<std::uintptr_t>(piece.data);
  if (piece.length == 0 || at < begin || at + piece.length > begin + shown_.size()) return {};
  return {at - begin, at - begin + piece.length};
}

void* GumboPage::allocate(void* page, std::size_t bytes) {
  constexpr std::size_t kBlock = 1 << 18, kAlignment = alignof(std::max_align_t);
  auto& self = *static_cast<GumboPage*>(page);
  bytes = (std::max<std::size_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
  if (bytes > kBlock / 4) {
    // Before the last block, which is still being filled.
    auto& block = *self.blocks_.insert(self.blocks_.end() - (self.blocks_.empty() ? 0 : 1),
                                       std::make_unique_for_overwrite<char[]>(bytes));
    return block.get();
  }
  if (bytes > self.left_) {
    self.blocks_.push_back(std::make_unique_for_overwrite<char[]>(kBlock));
    self.left_ = kBlock;
  }
  char* const out = self.blocks_.back().get() + (kBlock - self.left_);
  self.left_ -= bytes;
  return out;
}

}  // namespace heed::document
