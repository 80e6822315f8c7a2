#include "exchange/formats.h"

#include <algorithm>
#include <cstddef>
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

/// A program whose files a package has, and the file by which it is recognised.
struct Recognised {
  const ImportFormat* format;
  std::string file;
};

std::vector<Recognised> recognised(const Package& package) {
  std::vector<Recognised> found;
  for (const ImportFormat& format : kImportFormats) {
    if (!package.chosen().empty() && !is_among(package.chosen(), format.files)) continue;
    if (std::string file = format.file_in(package); !file.empty())
      found.push_back({&format, std::move(file)});
  }
  return found;
}

[[noreturn]] void refuse_unknown(const Package& package) {
  std::vector<std::string> marks;
  for (const ImportFormat& format : kImportFormats)
    marks.push_back(fmt::format("{} ({})", format.mark, format.program));
  throw UserError("{}: holds no model that heed knows: no {}", package.place_of(package.chosen()),
                  either(marks));
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
  return std::ranges::any_of(
      kImportFormats, [&](const ImportFormat& format) { return is_among(name, format.files); });
}

const ImportFormat& format_of(const Package& package) {
  const std::vector<Recognised> found = recognised(package);
  if (found.empty()) refuse_unknown(package);
  if (found.size() > 1) refuse_several(package, found);
  return *found.front().format;
}

ForeignModel read_model(const Package& package, const SegmentFiles& segments) {
  return format_of(package).read(package, segments);
}

}  // namespace heed::exchange
