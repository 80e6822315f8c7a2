#include "document/html_elements.h"

#include <algorithm>
#include <string>

#include "base/strings.h"
#include "text/words.h"

namespace heed::document {

bool is_void_element(std::string_view name) {
  static const text::WordSet names =
      text::word_set("area base br col embed frame hr img input link meta param source track wbr");
  return names.contains(name);
}

bool has_only_characters(std::string_view name) {
  static const text::WordSet names =
      text::word_set("iframe noembed noframes script style textarea title xmp");
  return names.contains(name);
}

bool is_block_element(std::string_view name) {
  static const text::WordSet names = text::word_set(
      "address article aside audio base blockquote body br button canvas caption center col "
      "colgroup datalist dd details dialog dir div dl dt fieldset figcaption figure footer form "
      "frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe legend li link listing "
      "main menu meta nav noframes noscript object ol optgroup option p plaintext pre search "
      "section select summary table tbody td template textarea tfoot th thead title tr ul video "
      "xmp");
  return names.contains(name) || name.starts_with("mj-");  // of MJML
}

bool is_untranslated_element(std::string_view name) {
  static const text::WordSet names = text::word_set(
      "code i18n iframe kbd listing math mj-style noembed noframes plaintext rp rt rtc samp script "
      "style svg "
      "textarea tt xmp");
  return names.contains(name);
}

bool has_untranslated_class(std::string_view classes) {
  const auto words = split_words(classes);
  // In the fonts of icons a name, such as `arrow_back`, is the picture.
  return std::ranges::any_of(words, [](const std::string& word) {
    return word == "notranslate" || word == "material-icons" ||
           word.starts_with("material-icons-") || word.starts_with("material-symbols-");
  });
}

}  // namespace heed::document
