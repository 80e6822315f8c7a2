// Items that a translation has exactly as its source: addresses, numbers, placeholders.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace heed::text {

/// Which kinds of items a translation keeps.
struct KeepOptions {
  bool urls = false, emails = false, numbers = false, placeholders = false;
  /// Numbers that are taken out of the text. Other numbers stay in it, for most models copy them.
  std::set<std::string> taken = {};
  /// Paths and names of files, and names of programs with `_` (text/program_names.h). They are not
  /// in kKeptNames: every document keeps them.
  bool names = false;

  bool any() const { return urls || emails || numbers || placeholders || names; }
};

inline const std::vector<std::string> kKeptNames = {"urls", "emails", "numbers", "placeholders"};

/// The options for these names of kKeptNames.
KeepOptions kept_of(const std::vector<std::string>& names);

struct KeptItem {
  std::size_t bytes = 0;  // 0: there is none
  bool stays = false;     // it stays in the text: a number that is not `taken`
};

/// The kept item that begins at `at`: an address with http://, https://, ftp://, mailto: or www.;
/// name@host.org; the numbers of bytes_of_kept_number(); {name}, { name }, {{ name }},
/// ${name}, { $name }, {n, number}, {n, plural, ...}, {% if n %}, $t(name), %s, %1$d, %(name)s, %1,
/// %n, %L1, %name%, %<name>d, %% near one of these, $NAME$, <%= name %>, \\{name\\}, <<name>>,
/// [[name]], __name__ or an empty tag such as <x id="1"/>; or what text/program_names.h
/// knows, and with it, in documents only, addresses with other schemes and words such as %23Tag.
KeptItem kept_item_at(std::string_view text, std::size_t at, const KeepOptions& kept);

/// Whether the placeholder has texts inside, one of which a program shows: `{n, plural, ...}` of
/// ICU, `{ $n -> ... }` of Fluent.
bool has_text_inside(std::string_view placeholder);

/// How many bytes of `address` are left without the punctuation that follows it.
std::size_t without_marks(std::string_view address);

/// How many bytes of `address`, which was read up to the next blank or bracket, belong to it: it
/// ends before punctuation beyond ASCII, such as a Chinese full stop, and where a letter of another
/// script directly follows a letter or digit, as in `https://a.org/b` with Chinese text after it.
/// After `/`, `.` and the like another script is a part of the address.
std::size_t before_other_text(std::string_view address);

/// How often the text has each of the items that `kept` asks for.
std::map<std::string, int64_t, std::less<>> kept_items_in(std::string_view text,
                                                          const KeepOptions& kept);

}  // namespace heed::text
