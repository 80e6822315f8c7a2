#include "exchange/formats.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"

namespace heed::exchange {
namespace {

const ImportFormat kImportFormats[] = {
#define HEED_IMPORT(name, program, models, files, mark) \
  {program, models, files, mark, name##_file_in, read_##name},
#include "exchange/formats.def"
#undef HEED_IMPORT
#undef HEED_SHUT
};

/// A program whose models heed does not open: a row of HEED_SHUT.
struct ShutFormat {
  const char* program;
  const char* files;
  const char* has;
  const char* cure;
};

const ShutFormat kShutFormats[] = {
#define HEED_SHUT(program, files, has, cure) {program, files, has, cure},
#include "exchange/formats.def"
#undef HEED_IMPORT
#undef HEED_SHUT
};

/// Whether a name is that of one of the patterns, in which * at the beginning is any letters.
bool is_among(const std::string& name, std::string_view patterns) {
  return std::ranges::any_of(split_words(patterns), [&](const std::string& pattern) {
    return pattern.starts_with('*') ? name.ends_with(pattern.substr(1)) : name == pattern;
  });
}

/// "A", "A or B", "A, B or C".
std::string either(const std::vector<std::string>& parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += (i == 0 ? "" : i + 1 < parts.size() ? ", " : " or ") + parts[i];
  return text;
}

/// Whether the beginning of a file has all words: keys of pickles and names of tensors, which
/// nobody compresses.
bool has_words(const Package& package, const std::string& file, std::string_view words) {
  constexpr std::size_t kBeginning = std::size_t{16} << 20;
  const std::vector<std::string> all = split_words(words);
  if (all.empty()) return true;
  const Bytes bytes = package.read(file);
  const std::string_view beginning = bytes.view.substr(0, kBeginning);
  return std::ranges::all_of(
      all, [&](const std::string& word) { return beginning.find(word) != std::string_view::npos; });
}

/// The row by which a file is a model that heed does not open; null: it is none.
const ShutFormat* shut_format_of(const Package& package, const std::string& file) {
  const auto* const found = std::ranges::find_if(kShutFormats, [&](const ShutFormat& format) {
    return is_among(file.substr(file.rfind('/') + 1), format.files) &&
           has_words(package, file, format.has);
  });
  return found == std::end(kShutFormats) ? nullptr : found;
}

/// Throws UserError where a file of the package is a model that heed does not open.
void refuse_shut(const Package& package) {
  for (const std::string& file : package.files()) {
    if (!package.chosen().empty() && package.chosen() != file) continue;
    if (const ShutFormat* format = shut_format_of(package, file))
      throw UserError("{}: a model of {}, which heed does not open: {}", package.place_of(file),
                      format->program, format->cure);
  }
}

/// A program whose files a package has, and the file by which it is recognised.
struct Recognised {
  const ImportFormat* format;
  std::string file;
};

std::vector<Recognised> recognised(const Package& package) {
  std::vector<Recognised> found;
  for (const ImportFormat& format : kImportFormats) {
    if (!package.chosen().empty() && !is_among(package.chosen(), format.files)) continue;
    std::string file = format.file_in(package);
    if (!file.empty() && shut_format_of(package, file) == nullptr)
      found.push_back({&format, std::move(file)});
  }
  return found;
}

[[noreturn]] void refuse_unknown(const Package& package) {
  if (!package.chosen().empty())
    throw UserError("{}: is no model by itself; name the folder that it is in",
                    package.place_of(package.chosen()));
  std::vector<std::string> marks;
  for (const ImportFormat& format : kImportFormats)
    marks.push_back(fmt::format("{} ({})", format.mark, format.program));
  throw UserError("{}: holds no model that heed knows: no {}", package.place_of(""), either(marks));
}

[[noreturn]] void refuse_several(const Package& package, const std::vector<Recognised>& found) {
  std::vector<std::string> files;
  std::string cure = "put one of them in a folder of its own";
  for (const Recognised& one : found) {
    files.push_back(fmt::format("{} ({})", one_line(one.file), one.format->program));
    if (package.chosen().empty() && is_among(one.file, one.format->files))
      cure += ", or name " + one_line(package.place_of(one.file));
  }
  throw UserError("{}: is a model of several programs: it has {}; {}", package.place_of(""),
                  join(files, " and "), cure);
}

}  // namespace

std::span<const ImportFormat> import_formats() {
  return kImportFormats;
}

std::string importable_programs() {
  std::vector<std::string> programs;
  for (const ImportFormat& format : kImportFormats)
    programs.push_back(fmt::format("{} {}", format.program, format.models));
  return either(programs);
}

bool stands_for_folder(const std::string& name) {
  const auto is_of = [&](const auto& format) { return is_among(name, format.files); };
  return std::ranges::any_of(kImportFormats, is_of) || std::ranges::any_of(kShutFormats, is_of);
}

const ImportFormat& format_of(const Package& package) {
  const std::vector<Recognised> found = recognised(package);
  // Eole's folders have a config.json that looks like one of Hugging Face.
  const bool is_eole = package.has("model.00.safetensors");
  if (found.empty() || is_eole) refuse_shut(package);
  if (found.empty()) refuse_unknown(package);
  if (found.size() > 1) refuse_several(package, found);
  return *found.front().format;
}

ForeignModel read_model(const Package& package, const SegmentFiles& segments) {
  return format_of(package).read(package, segments);
}

}  // namespace heed::exchange
