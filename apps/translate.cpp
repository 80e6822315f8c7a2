// heed translate MODEL [FILE]: one line in, one line out, in order.
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <memory>

#include "apps/commands.h"
#include "apps/shared/model_folder.h"
#include "apps/shared/options.h"
#include "base/log.h"
#include "base/strings.h"
#include "decode/translator.h"
#include "text/lines.h"

namespace heed {
namespace {

struct TranslateArgs {
  std::string models;  // separated by commas
  std::string file = "-";
  ModelOptions common;
  int64_t beam = 0, n_best = 0, batch = 0;
  bool scores = false;
};

std::string format_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4f", value);
  return text;
}

/// `line ||| hypothesis ||| features ||| score`, the line counted from 0 as the field's tools do.
void print_n_best(int64_t line, const decode::Translation& translation) {
  for (std::size_t i = 0; i < translation.hypotheses.size(); ++i) {
    const decode::Hypothesis& hypothesis = translation.hypotheses[i];
    std::cout << line << " ||| " << translation.texts[i]
              << " ||| logprob= " << format_number(hypothesis.log_probability)
              << " length= " << hypothesis.token_log_probabilities.size() << " ||| "
              << format_number(hypothesis.score) << '\n';
  }
}

void print(int64_t line, const decode::Translation& translation, const TranslateArgs& args,
           bool n_best) {
  if (n_best) return print_n_best(line, translation);
  if (args.scores)
    std::cout << (translation.hypotheses.empty()
                      ? "0"
                      : format_number(translation.hypotheses.front().score))
              << '\t';
  std::cout << translation.text << '\n';
}

void translate(const TranslateArgs& args) {
  std::vector<std::string> settings = args.common.settings;
  if (args.beam > 0) settings.push_back("decoding.beam_size=" + std::to_string(args.beam));
  if (args.n_best > 0) settings.push_back("decoding.n_best=" + std::to_string(args.n_best));
  if (args.batch > 0) settings.push_back("decoding.batch_size=" + std::to_string(args.batch));
  std::vector<decode::Member> members;
  std::optional<ModelFolder> first;
  for (const std::string& path : split(args.models, ',')) {
    ModelFolder folder = open_model(path, args.common.open(settings));
    members.push_back(folder.member());
    if (!first) first.emplace(std::move(folder));
  }
  const decode::DecodeConfig& config = first->config.decoding;
  decode::Translator translator(members, config, first->device, first->precision);

  text::LineReader reader(args.file);
  // A person typing wants an answer to each line; a file is read in windows that sort well by
  // length.
  const bool interactive = args.file == "-" && isatty(STDIN_FILENO);
  const int64_t window = interactive ? 1 : 32 * config.batch_size;
  decode::translate_stream(
      translator,
      [&]() -> std::optional<std::string> {
        std::string next;
        if (!reader.next(next)) return std::nullopt;
        return next;
      },
      [&](int64_t line, const decode::Translation& translation) {
        print(line - 1, translation, args, config.n_best > 1);
        if (interactive) std::cout.flush();
      },
      window);
}

}  // namespace

void add_translate(CommandLine& program) {
  auto args = std::make_shared<TranslateArgs>();
  CommandLine command =
      program.command("translate", "Translate lines of text; one line in, one line out");
  command
      .option("model", args->models,
              "Folder that `heed train` wrote; several, separated by commas, make an ensemble")
      .required();
  command.option("file", args->file, "Text to translate (plain, .gz or .zst); - is standard input")
      .shows_default();
  command.group("Search");
  command.option("--beam", args->beam, "Hypotheses kept at each step (decoding.beam_size)")
      .positive();
  command.option("--batch", args->batch, "Sentences translated together (decoding.batch_size)")
      .positive();
  command.group("Output");
  command
      .option("--n-best", args->n_best,
              "Print this many translations of each line: line ||| text ||| features ||| score")
      .positive();
  command.flag("--scores", args->scores, "Print each translation's score and a tab before it");
  args->common.add(command);
  command.examples(
      {"echo 'Ein Mann fährt Fahrrad.' | heed translate runs/multi30k_transformer",
       "heed translate runs/multi30k_quick data/multi30k/test2016.de --beam 8 > test.en"});
  command.run([args] { translate(*args); });
}

}  // namespace heed
