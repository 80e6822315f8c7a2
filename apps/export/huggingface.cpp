// heed export --format huggingface
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "apps/cli/shown_model.h"
#include "apps/export/export_formats.h"
#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/output_folder.h"
#include "base/run_folder.h"
#include "base/strings.h"
#include "data/languages.h"
#include "decode/translator.h"
#include "exchange/foreign_model.h"
#include "exchange/marian_mt.h"
#include "model/description/traits.h"
#include "run/config.h"
#include "run/folder.h"
#include "run/model_folder.h"
#include "run/saved_config.h"
#include "run/summary.h"
#include "text/language_tags.h"
#include "text/utf8.h"

namespace heed {
namespace {

constexpr const char* kUse = R"(
## Use

With `pip install transformers sentencepiece torch`:

```python
from transformers import MarianMTModel, MarianTokenizer

folder = "."  # where this model is
tokenizer = MarianTokenizer.from_pretrained(folder)
model = MarianMTModel.from_pretrained(folder)
batch = tokenizer(["A sentence."], return_tensors="pt", padding=True)
print(tokenizer.batch_decode(model.generate(**batch), skip_special_tokens=True))
```

heed opens it, too: `heed import FOLDER -o RUN`, then `heed translate RUN`.
)";

/// The value of a file of the folder, if it has one.
template <class Record>
std::optional<Record> read(const std::string& path, const char* name) {
  const std::string file = file_in(path, name);
  if (!std::filesystem::exists(file)) return std::nullopt;
  return Record::read(file);
}

std::string scores_of(const run::Summary& summary) {
  if (summary.test_scores.empty()) return "";
  std::string out = "\n## Scores\n\nOf the test set, by sacrebleu:\n\n";
  for (const std::string& score : summary.test_scores) out += "- " + score + "\n";
  return out;
}

std::string training_of(const run::Provenance& provenance, int64_t seed) {
  std::string out = fmt::format(
      "\n## Training\n\n    {}\n\nSeed {}, heed {} ({}), LibTorch {}, {}, {}, {}. The corpora:\n\n",
      text::one_clean_line(provenance.command), seed, provenance.heed, provenance.commit,
      provenance.libtorch, provenance.processor, provenance.device, provenance.precision);
  for (const run::CorpusSum& file : provenance.corpora)
    out += fmt::format("- `{}`, {} bytes, SHA-256 `{}`\n", file.path,
                       with_commas(static_cast<int64_t>(file.bytes)), file.sha256);
  return out;
}

/// Markdown with YAML in front, of the model in the folder `path`, for those who find it on a model
/// hub: languages as far as their codes are known, how to load it, scores and training as far as
/// the folder has them.
std::string model_card(const std::string& path, const run::Config& config,
                       const data::LanguagePair& languages) {
  const std::string source = text::language_name(languages.source);
  const std::string target = text::language_name(languages.target);
  const bool known = source != languages.source && target != languages.target;
  std::string out = "---\n";
  if (known) out += fmt::format("language:\n- {}\n- {}\n", languages.source, languages.target);
  out += fmt::format(
      "library_name: transformers\npipeline_tag: translation\ntags:\n- marian\n- heed\n"
      "# license: which one? For example apache-2.0.\n---\n\n# {}\n\n{}: {}.\n\n"
      "**Licence: not chosen yet.** Name it here and above before you publish the model. The "
      "licences of its training data may limit the choice.\n",
      text::one_clean_line(config.name), known ? source + " to " + target : "Translation",
      model::describe_model(config.model));
  out += kUse;
  if (const auto summary = read<run::Summary>(path, kSummaryFile)) out += scores_of(*summary);
  if (const auto provenance = read<run::Provenance>(path, kProvenanceFile))
    out += training_of(*provenance, config.seed);
  return out;
}

}  // namespace

void export_huggingface(const ExportArgs& args) {
  const std::string program = "MarianMT";
  const run::ModelFolder folder = open_for(program, exchange::missing_in_marian_mt, args);
  const run::Config& config = folder.config;
  if (!config.data.source_end)
    throw UserError("{}: data.source_end is false, and {}'s sources end with </s>", args.model,
                    program);
  if (folder.source.is_cut() || folder.target.is_cut())
    throw UserError(
        "{}: data.vocabulary.algorithm is pieces, and {}'s tokenizer cuts text with SentencePiece "
        "files; --format ctranslate2 takes pieces",
        args.model, program);
  const data::LanguagePair languages = shown_languages(config);
  OutputFolder out(args.output, exported_files());
  exchange::write_marian_mt({.model = config.model,
                             .decoding = config.decoding,
                             .weights = decode::weights_of(*folder.model),
                             .source = folder.source,
                             .target = folder.target,
                             .source_language = exchange::code_of_language(languages.source),
                             .target_language = exchange::code_of_language(languages.target)},
                            out.temporary());
  write_atomic(out.path_of(kModelCard), model_card(args.model, config, languages));
  out.commit();
  warn_of_search(program, config.decoding);
  log::info(
      "{}: MarianMTModel and MarianTokenizer of Hugging Face's transformers load it; at most {} "
      "pieces a sentence; {} describes it, add a licence there",
      args.output, exchange::kMarianPositions - 1, kModelCard);
}

}  // namespace heed
