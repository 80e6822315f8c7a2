#include "exchange/marian_files.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <string_view>

#include "base/error.h"
#include "base/strings.h"
#include "exchange/marian_bin.h"

namespace heed::exchange {
namespace {

namespace fs = std::filesystem;

std::string name_of(const std::string& file) {
  return fs::path(file).filename().string();
}

std::string beside(const std::string& file, const std::string& name) {
  return (fs::path(file).parent_path() / name).string();
}

bool is_decoder_name(const std::string& file) {
  const std::string name = name_of(file);
  return name == "decoder.yml" || name.ends_with(".decoder.yml");
}

/// Whether a .npz is of a training and no model: the state of an optimiser, or the weights without
/// smoothing.
bool is_of_training(const std::string& file) {
  return file.ends_with(".optimizer.npz") || file.ends_with(".orig.npz");
}

std::vector<std::string> files_with(const Package& package, auto is_wanted) {
  std::vector<std::string> files;
  std::ranges::copy_if(package.files(), std::back_inserter(files), is_wanted);
  return files;
}

/// The file of the package that a path in decoder.yml means. The folder may have been moved, so
/// that only the end of the path is right. Empty: there is none.
std::string found_by_end(const Package& package, const std::string& from, std::string path) {
  std::ranges::replace(path, '\\', '/');
  if (path.ends_with(".gz")) path.resize(path.size() - 3);
  const fs::path whole = fs::path(path).lexically_normal();
  if (const std::string file = (fs::path(from).parent_path() / whole).lexically_normal().string();
      package.has(file))
    return file;
  for (auto begin = whole.begin(); begin != whole.end(); ++begin) {
    fs::path end;
    for (auto part = begin; part != whole.end(); ++part) end /= *part;
    if (package.has(end.string())) return end.string();
  }
  const auto same = files_with(
      package, [&](const std::string& file) { return name_of(file) == whole.filename().string(); });
  return same.size() == 1 ? same.front() : "";
}

std::optional<MarianOptions> options_in(const Package& package, const std::string& file) {
  if (!package.has(file)) return std::nullopt;
  return MarianOptions(package.read(file).view, package.place_of(file));
}

/// Whether a file is a decoder.yml, or what Bergamot's programs have in its place:
/// config.intgemm8bitalpha.yml. A config.yml of a training names no `models`.
bool is_decoder(const Package& package, const std::string& file) {
  if (is_decoder_name(file)) return true;
  return name_of(file).starts_with("config") && file.ends_with(".yml") &&
         !options_in(package, file)->texts("models").empty();
}

/// The decoder.yml of a model, or of the package where `model` is empty. Empty: there is none.
std::string decoder_of(const Package& package, const std::string& model) {
  const auto all =
      files_with(package, [&](const std::string& file) { return is_decoder(package, file); });
  if (!model.empty()) {
    if (package.has(model + ".decoder.yml")) return model + ".decoder.yml";
    std::vector<std::string> naming;
    for (const std::string& file : all)
      for (const std::string& named : options_in(package, file)->texts("models"))
        if (name_of(named) == name_of(model)) naming.push_back(file);
    if (naming.size() == 1) return naming.front();
    if (const std::string file = beside(model, "decoder.yml"); package.has(file)) return file;
  }
  for (const char* file : {"decoder.yml", "model.npz.decoder.yml"})
    if (package.has(file)) return file;
  return all.size() == 1 ? all.front() : "";
}

std::string list_of(const Package& package, const std::vector<std::string>& files) {
  constexpr std::size_t kShown = 8;
  std::vector<std::string> shown;
  for (const std::string& file : files) {
    if (shown.size() == kShown) {
      shown.push_back(fmt::format("and {} more", files.size() - kShown));
      break;
    }
    shown.push_back(one_line(file));
  }
  return package.place_of("") + ": " + join(shown, ", ");
}

bool is_model_name(std::string file) {
  if (file.ends_with(".gz")) file.resize(file.size() - 3);
  return file.ends_with(".npz") || file.ends_with(".bin");
}

/// The models of a package: its .npz, or its .bin where there are none.
std::vector<std::string> models_in(const Package& package) {
  const auto arrays = files_with(package, [](const std::string& file) {
    return file.ends_with(".npz") && !is_of_training(file);
  });
  if (!arrays.empty()) return arrays;
  return files_with(package, [&](const std::string& file) {
    return is_binary_name(file) && is_marian_bin(package.read(file).view);
  });
}

/// The model among those that decoder.yml names or the package has.
std::string model_in(const Package& package, const std::string& decoder, MarianFiles& files) {
  const std::vector<std::string> candidates = models_in(package);
  if (files.decoder) {
    const std::vector<std::string> named = files.decoder->texts("models");
    if (named.size() > 1)
      throw UserError(
          "{}: names {} models; import each alone by its file (heed import MODEL.npz), and "
          "translate with all of these runs",
          files.decoder->place(), named.size());
    if (named.size() == 1) {
      if (!is_model_name(named[0]))
        throw UserError(
            "{}: models names '{}'; heed opens .npz and .bin: name such a file in place of the "
            "folder",
            files.decoder->place(), one_line(named[0]));
      if (const std::string file = found_by_end(package, decoder, named[0]); !file.empty())
        return file;
      if (candidates.size() != 1)
        throw UserError(
            "{}: models names '{}', and the folder has no such file; name one of its models in "
            "place of the folder: {}",
            files.decoder->place(), one_line(named[0]), list_of(package, candidates));
      files.notes.push_back(fmt::format("decoder.yml names {}, which is not there: {} is taken",
                                        one_line(named[0]), one_line(candidates[0])));
      return candidates[0];
    }
  }
  if (package.has("model.npz")) return "model.npz";
  if (candidates.size() == 1) return candidates.front();
  if (candidates.empty())
    throw UserError("{}: has no model of Marian (.npz or .bin), only what belongs to one",
                    package.place_of(""));
  throw UserError("{}: several models; name one of these files in place of the folder",
                  list_of(package, candidates));
}

/// Takes `vocabs` of decoder.yml or of the options of training.
bool take_named(const Package& package, const MarianOptions& options, const std::string& from,
                SideFiles& sides) {
  const std::vector<std::string> named = options.texts("vocabs");
  if (named.empty()) return false;
  if (named.size() != 2)
    throw UserError("{}: vocabs names {} files; heed has one source and one target",
                    options.place(), named.size());
  std::string* const files[] = {&sides.source, &sides.target};
  for (int side = 0; side < 2; ++side) {
    *files[side] = found_by_end(package, from, named[side]);
    if (files[side]->empty())
      throw UserError(
          "{}: vocabs names '{}', and the folder has no such file; copy the vocabulary into it",
          options.place(), one_line(named[side]));
  }
  if (named[0] != named[1] && sides.source == sides.target)
    throw UserError(
        "{}: vocabs names '{}' and '{}', and the folder has only one file of that name; give "
        "them different names, here too",
        options.place(), one_line(named[0]), one_line(named[1]));
  return true;
}

/// Whether a file is a table of pieces and ids: it has </s>, and is none of Marian's other .yml
/// files.
bool is_table(const Package& package, const std::string& file) {
  const bool has_kind =
      file.ends_with(".yml") || file.ends_with(".yaml") || file.ends_with(".json");
  if (!has_kind || is_decoder_name(file) || file.ends_with(".npz.yml") ||
      file.ends_with(".progress.yml"))
    return false;
  return package.read(file).view.find("</s>") != std::string_view::npos;
}

/// The parts of a name between points, dashes and underscores, in small letters.
std::vector<std::string> parts_of(const std::string& name) {
  std::vector<std::string> parts(1);
  for (const char c : ascii_lower(name))
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      parts.back() += c;
    else if (!parts.back().empty())
      parts.emplace_back();
  return parts;
}

/// Whether one of the names has "A-B", "A_B", "A2B" or "AB" as a word of its own.
bool has_order(const std::vector<std::string>& context, const std::string& a,
               const std::string& b) {
  return std::ranges::any_of(context, [&](const std::string& name) {
    const std::vector<std::string> parts = parts_of(name);
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (parts[i] == a + b || parts[i] == a + "2" + b ||
          (parts[i] == a && i + 1 < parts.size() && parts[i + 1] == b))
        return true;
    return false;
  });
}

/// Whether two parts of names say by a word that they are the source's and the target's: "src" and
/// "trg", "srcvocab" and "trgvocab".
bool are_sides_by_word(const std::string& source, const std::string& target) {
  for (const char* of_source : {"source", "src"})
    for (const char* of_target : {"target", "trg", "tgt"})
      if (source.starts_with(of_source) && target.starts_with(of_target) &&
          source.substr(std::strlen(of_source)) == target.substr(std::strlen(of_target)))
        return true;
  return false;
}

/// The only part in which two names differ, from each name; nothing where they differ in no part or
/// in several.
std::optional<SideFiles> difference(const std::string& a, const std::string& b) {
  const std::vector<std::string> of_a = parts_of(name_of(a)), of_b = parts_of(name_of(b));
  if (of_a.size() != of_b.size()) return std::nullopt;
  std::optional<SideFiles> parts;
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    if (of_a[i] == of_b[i]) continue;
    if (parts) return std::nullopt;
    parts = SideFiles{of_a[i], of_b[i]};
  }
  return parts;
}

[[noreturn]] void ask(const Package& package, const std::vector<std::string>& files) {
  throw UserError(
      "{}: which vocabulary is the source's? Say it in a file decoder.yml there, the source's "
      "first: vocabs: [{}, {}]",
      list_of(package, files), files[0], files[1]);
}

SideFiles sides_of(const Package& package, const std::vector<std::string>& files,
                   const std::vector<std::string>& context) {
  if (files.empty()) return {};
  if (files.size() == 1) return {files[0], files[0]};
  if (files.size() > 2) ask(package, files);
  const auto sides = sides_by_name(files[0], files[1], context);
  if (!sides) ask(package, files);
  return *sides;
}

/// The shortlist in Marian's binary format that decoder.yml names, or beside a .bin the only one.
std::string shortlist_of(const Package& package, const std::string& decoder, MarianFiles& files) {
  const std::vector<std::string> named = files.decoder && !files.decoder->is_off("shortlist")
                                             ? files.decoder->texts("shortlist")
                                             : std::vector<std::string>{};
  const auto leave_out = [&](const std::string& what, const char* why) {
    files.notes.push_back(
        fmt::format("{} is left out: {}; heed shortlist makes one of the model's own", what, why));
    return "";
  };
  if (!named.empty()) {
    const std::string file = found_by_end(package, decoder, named[0]);
    const std::string what = fmt::format("the shortlist {}", one_line(named[0]));
    if (file.empty()) return leave_out(what, "the folder has no such file");
    if (!file.ends_with(".bin")) return leave_out(what, "heed reads those in binary form");
    return file;
  }
  if (!files.model.ends_with(".bin")) return "";
  const auto all =
      files_with(package, [](const std::string& file) { return file.ends_with(".s2t.bin"); });
  if (all.size() > 1) return leave_out(join(all, ", "), "nothing says which one is the model's");
  return all.empty() ? "" : all.front();
}

}  // namespace

bool is_binary_name(const std::string& file) {
  return name_of(file).starts_with("model") && file.ends_with(".bin");
}

bool is_segment_name(const std::string& file) {
  return file.ends_with(".spm");
}

std::optional<SideFiles> sides_by_name(const std::string& a, const std::string& b,
                                       const std::vector<std::string>& context) {
  const std::optional<SideFiles> parts = difference(a, b);
  if (!parts) return std::nullopt;
  const auto is_source = [&](const std::string& one, const std::string& other) {
    return are_sides_by_word(one, other) || has_order(context, one, other);
  };
  const bool first = is_source(parts->source, parts->target),
             second = is_source(parts->target, parts->source);
  if (first == second) return std::nullopt;
  return first ? SideFiles{a, b} : SideFiles{b, a};
}

MarianFiles files_of_marian(const Package& package, bool segments_given) {
  MarianFiles files;
  const std::string& chosen = package.chosen();
  std::string decoder = is_decoder_name(chosen) ? chosen : decoder_of(package, chosen);
  files.decoder = options_in(package, decoder);
  files.model = is_model_name(chosen) ? chosen : model_in(package, decoder, files);
  if (!files.decoder) {
    decoder = decoder_of(package, files.model);
    files.decoder = options_in(package, decoder);
  }
  if (package.has(files.model + ".gz"))
    files.notes.push_back(fmt::format("{0} is taken, and not {0}.gz beside it", files.model));
  SideFiles& sides = files.vocabularies;
  const auto is_named_in = [&](const std::optional<MarianOptions>& options,
                               const std::string& file) {
    return options && take_named(package, *options, file, sides);
  };
  const std::string training = files.model + ".yml";
  files.training = options_in(package, training);
  files.vocabularies_named =
      is_named_in(files.decoder, decoder) || is_named_in(files.training, training);
  const auto segments =
      files_with(package, [](const std::string& file) { return is_segment_name(file); });
  files.segment_files = segments.size();
  std::vector<std::string> context = {name_of(files.model), package.name()};
  if (!files.vocabularies_named) {
    const auto tables =
        files_with(package, [&](const std::string& file) { return is_table(package, file); });
    if (!tables.empty())
      sides = sides_of(package, tables, context);
    else if (!segments_given)
      sides = sides_of(package, segments, context);
  }
  if (is_segment_name(sides.source) && is_segment_name(sides.target)) {
    files.segments = sides;
  } else if (segments.size() == 1) {
    files.segments = SideFiles{segments[0], segments[0]};
  } else if (segments.size() == 2) {
    if (const auto parts = difference(sides.source, sides.target))
      context = {parts->source + "-" + parts->target};
    files.segments = sides_by_name(segments[0], segments[1], context);
  }
  files.shortlist = shortlist_of(package, decoder, files);
  return files;
}

}  // namespace heed::exchange
