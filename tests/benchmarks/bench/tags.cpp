// heed-bench tags MODEL MARKED TARGET: tags of the source, put into translations that are given.
#include <iostream>

#include "apps/cli/options.h"
#include "base/error.h"
#include "benchmarks/bench/bench.h"
#include "decode/search/marked_text.h"
#include "document/markup.h"
#include "run/line_models.h"
#include "text/pairs.h"

namespace heed::bench {
namespace {

struct TagsArgs {
  std::string model, marked, target;
  ModelOptions options;
};

/// The translation of a model that had written this text.
decode::Translation given(const decode::MemberText& vocabularies, const std::string& source,
                          const std::string& target) {
  decode::Translation translation{.text = target, .hypotheses = {}, .texts = {target}};
  translation.source_pieces = vocabularies.source.surfaces(vocabularies.source.encode(source));
  translation.hypotheses.push_back({.ids = vocabularies.target.encode(target)});
  return translation;
}

void put_tags(const TagsArgs& args) {
  const std::vector<std::string> marked = text::read_lines(args.marked),
                                 targets = text::read_lines(args.target);
  if (marked.size() != targets.size())
    throw UserError("{} has {} lines, {} has {}", args.marked, marked.size(), args.target,
                    targets.size());
  const run::OpenOptions options = args.options.open();
  if (!run::have_engines(args.model, options))
    throw UserError("{}: only models with an engine, and on a CPU (--device cpu)", args.model);
  const run::LineModels models = run::open_engines(args.model, options);
  const decode::MemberText& vocabularies = models.translator->first_text();
  std::vector<document::SegmentedText> pages;
  std::vector<decode::Translation> translations;
  for (std::size_t i = 0; i < marked.size(); ++i) {
    const document::SegmentedText& page =
        pages.emplace_back(document::read_markup(marked[i], document::MarkupKind::xml));
    if (page.segments().size() != 1)
      throw UserError("{}, line {}: it has {} sentences; give one a line", args.marked, i + 1,
                      page.segments().size());
    translations.push_back(given(vocabularies, page.segments()[0].text, targets[i]));
  }
  std::optional<study::AlignmentChoice> choice;
  if (model::traits(models.config.model).attends()) choice = run::usual_choice(models.config);
  put_inlays(*models.translator, decode::segments_of(pages, {}), pages, choice, translations);
  for (std::size_t i = 0; i < pages.size(); ++i)
    std::cout << pages[i].with({translations[i].text}) << '\n';
}

}  // namespace

void add_tags(CommandLine& program) {
  auto [command, args] =
      program.command("tags", put_tags, "Put the tags of source lines into given translations");
  command.option("model", args->model, "Folder that `heed train` wrote").required();
  command.option("marked", args->marked, "Source lines with XML tags").required();
  command.option("target", args->target, "Their translations").required();
  args->options.add(command);
}

}  // namespace heed::bench
