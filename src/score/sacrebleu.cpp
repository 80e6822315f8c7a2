#include "score/sacrebleu.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/installation.h"
#include "base/json.h"
#include "base/log.h"
#include "base/strings.h"
#include "base/subprocess.h"
#include "score/bleu_statistics.h"
#include "score/metrics.h"
#include "text/script.h"
#include "text/utf8.h"
#include "text/words.h"

namespace heed::score {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kMissing =
    "sacrebleu was not found (looked at $HEED_SACREBLEU, lib/heed beside bin/heed, PATH and "
    ".venv/bin); install it with `pip install sacrebleu` or set HEED_SACREBLEU to the program";

constexpr const char* kBroken =
    "; if its Python environment was moved, or its Python upgraded, make it again with `./run "
    "setup` (`./run install`) or `pip install --force-reinstall sacrebleu`";

/// The end of a message about a sacrebleu that fails or answers in another form, where Python finds
/// another one first than that of its environment; "" where it does not.
std::string other_sacrebleu() {
  const char* const folders = std::getenv("PYTHONPATH");
  std::error_code ignored;
  for (const std::string& folder : split(folders ? folders : "", ':'))
    if (!folder.empty() && fs::is_regular_file(fs::path(folder) / "sacrebleu/__init__.py", ignored))
      return fmt::format("; PYTHONPATH leads Python to another sacrebleu, in {}: unset PYTHONPATH",
                         shell_path(folder));
  return "";
}

/// The sacrebleu that `./run install` installs.
constexpr const char* kInstalled = "lib/heed/python/bin/sacrebleu";

std::optional<std::string> in_virtual_environment(fs::path folder) {
  std::error_code ignored;
  for (;; folder = folder.parent_path()) {
    const fs::path program = folder / ".venv" / "bin" / "sacrebleu";
    if (fs::is_regular_file(program, ignored)) return program.string();
    if (!folder.has_relative_path()) return std::nullopt;
  }
}

MemoryFile file_of(std::span<const std::string> lines) {
  std::string text;
  for (const std::string& line : lines) text += text::one_clean_line(line) + '\n';
  try {
    return MemoryFile("heed-score", text);
  } catch (const std::system_error& error) {
    throw Failure("scoring: cannot hold the translations in memory: " + error.code().message());
  }
}

/// The message at the end of Python's traceback, however many lines it has, else the last line.
std::string reason_in(const std::string& err) {
  static const std::regex exception(R"(\w+(\.\w+)*(Error|Exception):.*)");
  const std::vector<std::string> lines = split(trim(err), '\n');
  auto last = std::prev(lines.end());
  for (auto line = lines.begin(); line != lines.end(); ++line)
    if (std::regex_match(*line, exception)) last = line;
  return join(split_words(join({last, lines.end()}, " ")), " ");
}

/// Logs what sacrebleu says besides the scores, such as that the text looks tokenised.
void pass_on_warnings(const std::string& err) {
  constexpr std::string_view kMark = "sacreBLEU: ";
  std::vector<std::string> said;
  for (const std::string& line : split(err, '\n'))
    if (line.starts_with(kMark)) said.emplace_back(trim(line.substr(kMark.size())));
  if (!said.empty()) log::warn("sacrebleu: " + join(said, " "));
}

using References = std::vector<std::span<const std::string>>;

constexpr std::size_t kProgram = 5;  // its index in the command

std::vector<std::string> command(const EvaluationConfig& config,
                                 const std::vector<MemoryFile>& references,
                                 const MemoryFile& hypotheses) {
  // The variable would override --format. env takes a path with = for a variable, sh does not.
  std::vector<std::string> arguments = {"env", "SACREBLEU_FORMAT=json", "sh",
                                        "-c",  R"(exec "$0" "$@")",     find_sacrebleu()};
  for (const MemoryFile& file : references) arguments.push_back(file.path());
  arguments.insert(arguments.end(), {"-i", hypotheses.path(), "-m"});
  arguments.insert(arguments.end(), config.metrics.begin(), config.metrics.end());
  arguments.insert(arguments.end(), {"-w", "8", "-tok", config.tokenize, "-f", "json"});
  if (config.lowercase) arguments.insert(arguments.end(), {"-lc", "--chrf-lowercase"});
  if (config.chrf_word_order > 0)
    arguments.insert(arguments.end(),
                     {"--chrf-word-order", std::to_string(config.chrf_word_order)});
  for (const std::string& option : config.ter) arguments.push_back("--ter-" + option);
  return arguments;
}

/// A program of a Python environment fails so where that was moved (env finds no interpreter: 126,
/// 127) or its Python was upgraded (which looks for packages elsewhere). Another package that it
/// misses is one that a tokeniser needs.
bool lacks_its_python(const subprocess::Result& result) {
  return result.status == 126 || result.status == 127 ||
         result.err.find("No module named 'sacrebleu'") != std::string::npos;
}

/// Returns the package that this tokeniser needs besides sacrebleu, as an argument of pip; "" where
/// it needs none.
std::string package_for(const std::string& tokenizer) {
  if (tokenizer == "ja-mecab") return "sacrebleu[ja]";
  return tokenizer == "ko-mecab" ? "sacrebleu[ko]" : "";
}

/// Returns the command that installs `package` where the program finds it.
std::string command_to_install(const std::string& package, const std::string& program) {
  const std::string folder = fs::path(program).parent_path().string();
  return fmt::format("{} install '{}'",
                     folder.empty() ? "pip" : shell_word(folder + "/python") + " -m pip", package);
}

std::string run(const std::vector<std::string>& arguments, const EvaluationConfig& config) {
  const subprocess::Result result = subprocess::run(arguments);
  if (result.status == 0) {
    pass_on_warnings(result.err);
    return result.out;
  }
  if (result.err.find("--tokenize") != std::string::npos &&
      result.err.find("invalid choice") != std::string::npos) {
    throw UserError(
        "evaluation.tokenize: sacrebleu knows no tokenizer '{}'; use 13a, intl, zh, char, none or "
        "another of `sacrebleu --help`",
        config.tokenize);
  }
  const std::string package = package_for(config.tokenize);
  if (!package.empty() && result.err.find(package) != std::string::npos)
    throw Failure(
        "evaluation.tokenize: {} needs another package; `{}` installs it, and char needs none",
        config.tokenize, command_to_install(package, arguments[kProgram]));
  const std::string other = other_sacrebleu();
  throw Failure("sacrebleu ('{}') ended with status {}: {}{}", arguments[kProgram], result.status,
                reason_in(result.err),
                !other.empty()             ? other
                : lacks_its_python(result) ? kBroken
                                           : "");
}

/// Returns the score of an entry; nothing for a score that heed did not ask for.
std::optional<Score> read_score(const json& entry) {
  const std::string name = entry.at("name");
  const auto metric = metric_named(name);
  if (!metric) return std::nullopt;
  Score score{.metric = *metric,
              .name = name,
              .value = entry.at("score"),
              .signature = entry.at("signature")};
  if (score.metric != Metric::bleu) return score;
  const std::string details = entry.at("verbose_score");
  double penalty = 0, ratio = 0;
  long long hypothesis = 0, reference = 0;
  const std::size_t at = details.find("(BP");
  if (at != std::string::npos &&
      std::sscanf(details.c_str() + at, "(BP = %lf ratio = %lf hyp_len = %lld ref_len = %lld)",
                  &penalty, &ratio, &hypothesis, &reference) == 4) {
    score.brevity_penalty = penalty;
    score.hypothesis_length = hypothesis;
    score.reference_length = reference;
  }
  return score;
}

std::vector<Score> read_scores(const std::string& output, const std::string& program) {
  try {
    json entries = json_or_discarded(output);
    if (entries.is_object()) entries = json::array({entries});  // one score stands alone
    std::vector<Score> scores;
    for (const json& entry : entries)
      if (auto score = read_score(entry)) scores.push_back(*std::move(score));
    return scores;
  } catch (const json::exception&) {
    throw Failure(
        "'{}' did not answer in JSON; heed needs sacrebleu 2.0 or newer (`pip install -U "
        "sacrebleu`){}",
        program, other_sacrebleu());
  }
}

using text::Script;

constexpr int64_t kKana = 10;  // Japanese has more than one kana among so many characters

bool is_kana(char32_t c) {
  return (c >= 0x3041 && c <= 0x30FF) || (c >= 0xFF66 && c <= 0xFF9F);
}

}  // namespace

std::string find_sacrebleu() {
  if (const char* chosen = std::getenv("HEED_SACREBLEU"); chosen && *chosen) {
    if (subprocess::exists(chosen)) return chosen;
    throw Failure("HEED_SACREBLEU names '{}', which is no program; correct it or unset it", chosen);
  }
  if (auto found = installed_file(kInstalled)) return *found;
  if (subprocess::exists("sacrebleu")) return "sacrebleu";
  std::error_code error;
  const fs::path executable = fs::read_symlink("/proc/self/exe", error);
  for (const fs::path& folder : {executable.parent_path(), fs::current_path(error)})
    if (auto found = in_virtual_environment(folder)) return *found;
  throw Failure(kMissing);
}

std::vector<Score> score(std::span<const std::string> hypotheses,
                         std::span<const std::string> references, const EvaluationConfig& config,
                         std::span<const std::vector<std::string>> more) {
  References all{references};
  all.insert(all.end(), more.begin(), more.end());
  for (const auto& lines : all) require_references(hypotheses, lines);
  if (hypotheses.empty()) throw UserError("there is nothing to score: the files have no lines");
  for (const std::string& metric : config.metrics)
    if (!sacrebleu_metric(metric))
      throw UserError("evaluation.metrics: '{}' is no metric of sacrebleu; use {}", metric,
                      join(sacrebleu_keys(), ", "));
  if (config.metrics.empty()) return {};
  const MemoryFile hypothesis_file = file_of(hypotheses);
  std::vector<MemoryFile> reference_files;
  for (const auto& lines : all) reference_files.push_back(file_of(lines));
  const std::vector<std::string> arguments = command(config, reference_files, hypothesis_file);
  const std::vector<Score> found = read_scores(run(arguments, config), arguments[kProgram]);
  std::vector<Score> ordered;
  for (const std::string& metric : config.metrics) {
    const auto match = std::ranges::find(found, *sacrebleu_metric(metric), &Score::metric);
    if (match == found.end()) throw Failure("sacrebleu gave no score for " + metric);
    ordered.push_back(*match);
  }
  return ordered;
}

void check_evaluation(const EvaluationConfig& config) {
  EvaluationConfig tried = config;
  if (tried.metrics.empty()) tried.metrics = {"bleu"};  // which takes the tokenizer
  const std::vector<std::string> line = {"a"};
  score(line, line, tried);
}

std::string describe(const Score& score) {
  std::string text = score.name + ' ' + fixed(score.value, 2) + " (";
  if (score.brevity_penalty) text += fmt::format("BP {}, ", fixed(*score.brevity_penalty, 3));
  return text + score.signature + ')';
}

std::string fitting_tokenizer(std::span<const std::string> lines) {
  std::array<int64_t, text::kScripts> letters{};
  int64_t kana = 0;
  for (const std::string& line : lines)
    for (const char32_t c : text::decode_utf8(line)) {
      ++letters[static_cast<std::size_t>(text::script_of(c))];
      kana += is_kana(c);
    }
  const auto most = std::max_element(letters.begin() + 1, letters.end());
  const auto script = static_cast<Script>(most - letters.begin());
  if (script == Script::hangul) return "ko-mecab";
  if (!text::are_unsegmented(lines)) return "13a";
  if (script != Script::han_and_kana) return "char";
  return kKana * kana > *most ? "ja-mecab" : "zh";
}

std::optional<std::string> tokenizer_doubt(std::span<const std::string> lines,
                                           const EvaluationConfig& config,
                                           const std::string& name) {
  if (std::ranges::count(config.metrics, "bleu") == 0) return std::nullopt;
  const std::string fitting = fitting_tokenizer(lines), &tokenizer = config.tokenize;
  // Korean has blanks: its words with their endings are found by any.
  if (fitting == "13a" || fitting == "ko-mecab" || fitting == tokenizer) return std::nullopt;
  const bool blind = tokenizer == "13a" || tokenizer == "intl" || tokenizer == "none";
  const bool of_another_script =
      tokenizer == "ko-mecab" ||
      ((tokenizer == "zh" || tokenizer == "ja-mecab") && fitting == "char");
  if (!blind && !of_another_script) return std::nullopt;
  return fmt::format(
      "evaluation.tokenize: {} finds no words in {}, where there are no blanks between them, and "
      "BLEU is meaningless; set it to {}{}",
      tokenizer, name, fitting, fitting == "ja-mecab" ? " or char" : "");
}

}  // namespace heed::score
