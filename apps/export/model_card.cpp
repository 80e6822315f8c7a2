#include "apps/export/model_card.h"

#include <filesystem>

#include "base/format.h"
#include "base/run_folder.h"
#include "base/strings.h"
#include "model/description/traits.h"
#include "run/summary.h"
#include "serve/served_model.h"
#include "text/lines.h"

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

std::string training_of(const run::Provenance& made, int64_t seed) {
  std::string out = fmt::format(
      "\n## Training\n\n    {}\n\nSeed {}, heed {} ({}), LibTorch {}, {}, {}, {}. The corpora:\n\n",
      text::one_clean_line(made.command), seed, made.heed, made.commit, made.libtorch,
      made.processor, made.device, made.precision);
  for (const run::CorpusSum& file : made.corpora)
    out += fmt::format("- `{}`, {} bytes, SHA-256 `{}`\n", file.path,
                       with_commas(static_cast<int64_t>(file.bytes)), file.sha256);
  return out;
}

}  // namespace

std::string model_card(const std::string& path, const run::Config& config,
                       const LanguageOptions& languages) {
  const std::string source = serve::language_name(languages.source);
  const std::string target = serve::language_name(languages.target);
  const bool known = source != languages.source && target != languages.target;
  std::string out = "---\n";
  if (known) out += fmt::format("language:\n- {}\n- {}\n", languages.source, languages.target);
  out += fmt::format(
      "library_name: transformers\npipeline_tag: translation\ntags:\n- marian\n- heed\n"
      "# license: which one? For example apache-2.0.\n---\n\n# {}\n\n{}: {}.\n\n"
      "**Licence: not chosen yet.** Name it here and above before you publish the model; those of "
      "its training data may have a say in it.\n",
      text::one_clean_line(config.name), known ? source + " to " + target : "Translation",
      model::describe_model(config.model));
  out += kUse;
  if (const auto summary = read<run::Summary>(path, kSummaryFile)) out += scores_of(*summary);
  if (const auto made = read<run::Provenance>(path, kProvenanceFile))
    out += training_of(*made, config.seed);
  return out;
}

}  // namespace heed
