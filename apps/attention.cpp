// heed attention MODEL: the weights of any layer and head as CSV, pictures and a page.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/cli/options.h"
#include "apps/cli/page_file.h"
#include "apps/cli/picture_form.h"
#include "apps/commands.h"
#include "base/atomic_file.h"
#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/output_folder.h"
#include "base/strings.h"
#include "config/attention_kind.h"
#include "decode/search/decoding_steps.h"
#include "decode/translator.h"
#include "draw/heatmap.h"
#include "draw/pages.h"
#include "draw/svg.h"
#include "engine/matrix.h"
#include "inspect/attention_maps.h"
#include "inspect/explain.h"
#include "model/description/traits.h"
#include "run/model_folder.h"
#include "run/saved_config.h"
#include "study/attention_matrix.h"
#include "study/decoding_steps.h"
#include "text/pairs.h"

namespace heed {
namespace {

using config::AttentionKind;
using inspect::Matrices;

struct AttentionArgs {
  std::string model, beside, text, input, target, target_file, output,
      layers = "all", heads = "mean", pictures = "all";
  PictureForm form;
  std::vector<std::string> kind_names;  // none: cross
  std::vector<AttentionKind> kinds;
  std::vector<AttentionKind> looks;  // those that are attention, not made of it or other evidence
  int64_t steps = inspect::ExplainOptions{}.steps;
  bool matrix = false, words = false, drop_eos = false, with_signs = false, step = false;
  ModelOptions common;
};

constexpr const char* kStepPage = "step.html";

inspect::Shape shape_of(const AttentionArgs& args) {
  return {.words = args.words, .with_signs = args.with_signs, .drop_eos = args.drop_eos};
}

struct Input {
  std::vector<std::string> source;
  std::optional<std::vector<std::string>> target;
};

Input read_input(const AttentionArgs& args) {
  Input input;
  if (!args.text.empty() && !args.input.empty())
    throw UserError("attention: give --text or --input, not both");
  input.source = args.text.empty() ? text::read_sources(args.input.empty() ? "-" : args.input)
                                   : std::vector{args.text};
  if (!args.target.empty()) input.target = std::vector{args.target};
  if (!args.target_file.empty()) input.target = text::read_lines(args.target_file);
  if (input.target)
    text::require_equal_lines("the source", input.source.size(),
                              args.target_file.empty() ? "--target" : args.target_file,
                              input.target->size());
  return input;
}

/// Warns of integrated gradients whose rows do not add up to what they should.
void warn_if_missing(const study::AttentionMatrix& one) {
  if (one.missing.empty()) return;
  const auto by_size = [](float missing) { return std::abs(missing); };
  const float largest = std::ranges::max(one.missing, {}, by_size);
  log::warn(
      "sentence {}: up to {} nats of a row of integrated gradients are missing from its sum; the "
      "table has them as (missing). Where log p jumps, no number of steps finds them",
      one.sentence, fixed(by_size(largest), 2));
}

/// Returns the attention of a model, and the other evidence that was asked for, by pieces: one
/// sentence after the other, all kinds of each in the order of the command line. Where there are no
/// `targets`, they become the model's own translations.
Matrices look(const std::string& model, const Input& input,
              std::optional<std::vector<std::string>>& targets, const AttentionArgs& args) {
  const run::ModelFolder folder = run::open_model(model, args.common.open());
  const model::Traits traits = model::traits(folder.config.model);
  if (traits.layers(AttentionKind::decoder) == 0 &&
      std::ranges::find(args.kinds, AttentionKind::rollout) != args.kinds.end())
    throw UserError(
        "--kind rollout: goes through the decoder's layers of self-attention, and {} has none; "
        "saliency and erasure are for every model",
        model);
  decode::Translator translator = folder.translator();
  Matrices all;
  std::vector<std::string> own;
  const auto add = [&](auto sentences, const auto& matrices_of) {
    own.clear();
    for (auto& one : sentences) {
      own.push_back(std::move(one.target_text));
      std::ranges::move(matrices_of(one), std::back_inserter(all));
    }
  };
  const auto explained = [&](const inspect::ExplainOptions& options) {
    return inspect::explain(translator, input.source, targets, options);
  };
  if (!args.looks.empty())
    add(inspect::attention_maps(translator, input.source, targets,
                                {.kinds = args.looks,
                                 .layers = parse_indices("--layer", args.layers, "last"),
                                 .heads = parse_indices("--head", args.heads, "mean")}),
        [&](inspect::AttendedSentence& one) -> Matrices& {
          inspect::mark_softmax(one.matrices, folder.config.model);
          return one.matrices;
        });
  for (const AttentionKind kind : args.kinds) {
    if (kind == AttentionKind::rollout)
      add(inspect::attention_maps(translator, input.source, targets, {.kinds = traits.kinds}),
          [](const inspect::AttendedSentence& one) {
            return one.matrices.empty() ? Matrices{} : Matrices{study::rollout(one.matrices)};
          });
    if (is_evidence(kind))
      add(explained({.evidence = kind, .steps = args.steps}), [](const inspect::Explanation& one) {
        warn_if_missing(one.matrix);
        return one.matrix.weights.empty() ? Matrices{} : Matrices{one.matrix};
      });
    if (kind == AttentionKind::erasure && (args.words || !args.output.empty()))
      add(explained({.evidence = kind, .groups = study::words_of_tokens}),
          [](const inspect::Explanation& one) {
            return !one.matrix.weights.empty() && inspect::has_long_words(one.matrix)
                       ? Matrices{study::merge_words(one.matrix, study::WordRows::sum)}
                       : Matrices{};
          });
  }
  if (!targets) targets = own;
  std::ranges::stable_sort(all, {}, [&](const study::AttentionMatrix& matrix) {
    return std::pair(matrix.sentence, std::ranges::find(args.kinds, matrix.kind));
  });
  return all;
}

/// The matrices of a second model that read the same translations, for the page alone.
Matrices with_model_beside(Matrices matrices, const Input& input,
                           std::optional<std::vector<std::string>> targets,
                           const AttentionArgs& args) {
  Matrices others = inspect::for_page(look(args.beside, input, targets, args), shape_of(args));
  const bool alike = folder_name(args.model) == folder_name(args.beside);
  for (auto& matrix : matrices) matrix.model = alike ? args.model : folder_name(args.model);
  for (auto& matrix : others) matrix.model = alike ? args.beside : folder_name(args.beside);
  const auto same_tokens = [](const auto& a, const auto& b) {
    return a.kind != b.kind || a.sentence != b.sentence || a.words != b.words ||
           (a.source == b.source && a.target == b.target);
  };
  for (const auto& other : others) {
    if (std::ranges::all_of(matrices, [&](const auto& one) { return same_tokens(one, other); }))
      continue;
    log::warn(
        "the models cut the text into other pieces, so that the page cannot show them side "
        "by side; --words may help");
    break;
  }
  std::ranges::move(others, std::back_inserter(matrices));
  return matrices;
}

// --- matrices as tables and pictures in a folder

/// "sentence1-cross-"
std::string picture_start(const study::AttentionMatrix& matrix) {
  return fmt::format("sentence{}-{}-", matrix.sentence, name_of(matrix.kind));
}

std::string picture_name(const study::AttentionMatrix& matrix) {
  if (!is_attention(matrix.kind))
    return fmt::format("sentence{}-{}.svg", matrix.sentence, name_of(matrix.kind));
  return fmt::format("{}layer{}-{}.svg", picture_start(matrix), matrix.layer,
                     matrix.head < 0 ? "mean" : "head" + std::to_string(matrix.head));
}

/// The table of one kind, piece by piece: it can be larger than is good to hold. `matrix_form`:
/// target x source tables instead of one weight per row.
template <class Write>
void write_csv(const Matrices& matrices, AttentionKind kind, bool matrix_form, const Write& write) {
  if (!matrix_form) write(study::attention_csv_header());
  bool first = true;
  for (const study::AttentionMatrix& matrix : matrices) {
    if (matrix.kind != kind) continue;
    if (matrix_form && !first) write("\n");
    write(matrix_form ? study::attention_csv_matrix(matrix) : study::attention_csv_rows(matrix));
    first = false;
  }
}

/// The table of a kind: one file, or one for each kind, for it has no column for it.
std::string table_name(AttentionKind kind, const AttentionArgs& args) {
  return args.kinds.size() == 1 ? "attention.csv" : "attention-" + name_of(kind) + ".csv";
}

void write_table(const std::string& path, const Matrices& matrices, AttentionKind kind,
                 const AttentionArgs& args) {
  AtomicFile file(path);
  write_csv(matrices, kind, args.matrix, [&](const std::string& text) { file.write(text); });
  file.commit();
}

/// Writes the pictures of --pictures: one of each matrix, and one of all layers and heads where
/// there are several. Returns their number.
std::size_t write_pictures(const OutputFolder& folder, const Matrices& matrices,
                           const AttentionArgs& args) {
  const std::string model = folder_name(args.model);
  const draw::Form form = args.form.form();
  std::size_t count = 0;
  const auto write = [&](const std::string& name, const std::string& svg) {
    write_atomic(folder.path_of(name), svg);
    ++count;
  };
  for (auto from = matrices.begin(); args.pictures != "none" && from != matrices.end();) {
    const std::string start = picture_start(*from);
    const auto to = std::find_if(
        from, matrices.end(), [&](const auto& matrix) { return picture_start(matrix) != start; });
    if (to - from > 1)
      write(start + "grid.svg",
            draw::draw_heatmap_grid({from, to},
                                    fmt::format("{}: {}, sentence {}", model,
                                                study::title_of(from->kind), from->sentence),
                                    form));
    for (; from != to; ++from)
      if (args.pictures == "all")
        write(picture_name(*from),
              draw::draw_heatmap(*from, model + ": " + draw::describe(*from), form));
  }
  return count;
}

// --- the command

/// Whether a picture cannot show all of its weights. Sums of shares may be rounded.
bool has_no_shares(const study::AttentionMatrix& matrix) {
  return !is_evidence(matrix.kind) && std::ranges::any_of(matrix.weights, [](float weight) {
    return weight < 0 || weight > 1.001f;
  });
}

/// Throws UserError for an option that would do nothing.
void check_options(const AttentionArgs& args) {
  const AttentionArgs usual;
  if (args.looks.empty() && (args.layers != usual.layers || args.heads != usual.heads))
    throw UserError(
        "attention: --layer and --head are for --kind encoder, decoder and cross; --kind {} has "
        "one table for all layers",
        join(names_of(args.kinds), ","));
  if (args.with_signs && std::ranges::none_of(args.kinds, config::is_evidence))
    throw UserError(
        "attention: --signed is for --kind saliency, integrated and erasure; attention has no "
        "signs");
  if (args.steps != usual.steps && std::ranges::count(args.kinds, AttentionKind::integrated) == 0)
    throw UserError(
        "attention: --integration-steps is for --kind integrated; add it, or leave this option "
        "out");
}

/// The page of --step; without a model it has the examples alone.
void show_steps(const AttentionArgs& args) {
  const AttentionArgs usual;
  if (args.output.empty()) throw UserError("attention: --step: name the page with -o");
  const std::string file = page_in(args.output, kStepPage);
  if (args.words || args.drop_eos || args.with_signs || args.matrix || !args.beside.empty() ||
      args.steps != usual.steps || args.pictures != usual.pictures)
    throw UserError("attention: --step goes with the input, --kind, --layer and --head alone");
  run::require_harmless(file, {args.model, args.input, args.target_file});
  std::vector<study::DecodingSteps> sentences;
  if (args.model.empty()) {
    if (!(args.text + args.input + args.target + args.target_file).empty() ||
        !args.kind_names.empty() || args.layers != usual.layers || args.heads != usual.heads)
      throw UserError(
          "attention: --step without a model shows examples alone; name a model to read the input");
  } else {
    const Input input = read_input(args);
    const run::ModelFolder folder = run::open_model(args.model, args.common.open());
    inspect::AttentionRequest request{
        .kinds = args.kind_names.empty() ? model::traits(folder.config.model).kinds : args.kinds,
        .layers = parse_indices("--layer", args.layers, "last")};
    if (args.heads != usual.heads) request.heads = parse_indices("--head", args.heads, "mean");
    const decode::Translator translator = folder.translator();
    // An engine of its own: the numbers are the same on every device and in every precision.
    const auto network = decode::network_of(*folder.model, engine::WeightFormat::fp32);
    sentences = decode::decoding_steps(translator, network.get(), folder.config.model, input.source,
                                       input.target, request);
  }
  write_page(args.output, kStepPage, draw::step_page(sentences, "Attention, step by step"));
  log::info("page: " + file);
}

void attention(AttentionArgs args) {
  args.kinds = kinds_of(without_repeats(args.kind_names));
  if (args.step) return show_steps(args);
  if (args.model.empty()) throw UserError("attention: name a model; --step alone needs none");
  if (args.kinds.empty()) args.kinds = {AttentionKind::cross};
  std::ranges::copy_if(args.kinds, std::back_inserter(args.looks), config::is_attention);
  check_options(args);
  if (args.kinds.size() > 1 && (args.output.empty() || lower_ending(args.output) == ".csv"))
    throw UserError("attention: a table holds one --kind; name one, or a folder for all with -o");
  if (is_page(args.output) && (args.matrix || args.with_signs || args.pictures != "all"))
    throw UserError(
        "attention: -o {} is the page alone; --matrix, --signed and --pictures are about the "
        "tables and pictures of a folder",
        args.output);
  if (args.with_signs && args.drop_eos)
    throw UserError(
        "attention: --drop-eos scales weights, --signed leaves numbers as they are; "
        "give one of them");
  if (!args.beside.empty() && args.output.empty())
    throw UserError("attention: --beside is for the page; name a folder for it with -o");
  const std::string ending = lower_ending(args.output);
  for (const char* other : {".png", ".svg", ".pdf", ".jpg", ".json", ".tsv"})
    if (ending == other)
      throw UserError(
          "attention: -o {}: a name that ends in .csv is the table alone, in .html the page alone, "
          "and any other is a folder, which has an SVG of each matrix; name one of them",
          args.output);
  const Input input = read_input(args);
  const bool page_alone = is_page(args.output), table_alone = ending == ".csv";
  std::vector<std::string> files{"attention.html"};
  for (const AttentionKind kind : args.kinds) files.push_back(table_name(kind, args));
  if (page_alone || table_alone)
    run::require_harmless(args.output, {args.model, args.beside, args.input, args.target_file});
  else if (!args.output.empty())
    require_written_by_heed(args.output, files);
  std::optional<std::vector<std::string>> targets = input.target;
  const Matrices found = look(args.model, input, targets, args);
  Matrices matrices = inspect::for_tables(found, shape_of(args));
  if (args.output.empty()) {
    write_csv(matrices, args.kinds[0], args.matrix,
              [](const std::string& text) { std::cout << text; });
    return;
  }
  if (std::ranges::any_of(found, has_no_shares))
    log::warn(args.model +
              ": some weights are below 0 or above 1, as linear attention with rotary "
              "positions has them; page and pictures draw these as 0 or 1, attention.csv has them");
  if (table_alone) return write_table(args.output, matrices, args.kinds[0], args);
  const auto page = [&] {
    std::string title = "Attention of " + args.model;
    Matrices shown = inspect::for_page(found, shape_of(args));
    if (!args.beside.empty()) {
      title += " and " + args.beside;
      shown = with_model_beside(std::move(shown), input, targets, args);
    }
    return draw::attention_page(shown, title);
  };
  if (page_alone) {
    write_atomic(args.output, page());
    log::info("page: " + args.output);
    return;
  }
  OutputFolder folder(args.output, files);
  for (const AttentionKind kind : args.kinds)
    write_table(folder.path_of(table_name(kind, args)), matrices, kind, args);
  if (args.with_signs)  // a picture cannot show them
    for (study::AttentionMatrix& matrix : matrices)
      if (is_evidence(matrix.kind)) matrix = study::shares_of(std::move(matrix));
  if (args.pictures != "none" && std::ranges::any_of(matrices, [](const auto& matrix) {
        return matrix.weights.size() > draw::kMostDrawnCells;
      }))
    log::info(
        "pictures of more than {} weights have a pixel for each, without its number; attention.csv "
        "has all",
        with_commas(draw::kMostDrawnCells));
  const std::size_t pictures = write_pictures(folder, matrices, args);
  write_atomic(folder.path_of("attention.html"), page());
  folder.commit();
  log::info("{}: tables, attention.html and {}", args.output,
            counted(static_cast<int64_t>(pictures), "SVG picture"));
}

}  // namespace

void add_attention(CommandLine& program) {
  auto [command, args] = program.command("attention", attention);
  command.model("model", args->model,
                "Folder that `heed train` wrote; with --step it may be missing");
  command.group("Input");
  command.option("--text", args->text, "One source sentence");
  command.input("--input", args->input, "Source sentences, one per line; default: standard input");
  const Argument target = command.option(
      "--target", args->target, "Read this translation of --text instead of the model's own");
  command
      .input("--target-file", args->target_file, "Read these translations of --input, line by line")
      .excludes({target});
  command.group("Which weights");
  command
      .list("--kind", args->kind_names,
            "Attention: encoder, decoder or cross. Attention through all layers: rollout. Other "
            "evidence: saliency, integrated (gradients) or erasure. Several separated by commas")
      .one_of(heed_enum_text(AttentionKind{}).names)
      .shows_default("cross");
  command
      .option("--integration-steps", args->steps,
              "Smallest number of steps of --kind integrated; more are added until rows add up")
      .positive();
  command.former_option("--steps", "--integration-steps", args->steps).positive();
  command.option("--layer", args->layers,
                 "Layers from 0, last, or all; several separated by commas");
  command.option("--head", args->heads,
                 "Heads from 0, mean, or all; several separated by commas, as in all,mean");
  command.flag("--words", args->words,
               "Merge pieces into words, and leave out whole words (erasure); the page switches "
               "between both");
  command.flag("--drop-eos", args->drop_eos,
               "Leave the </s> column out and scale the rest to sum to 1");
  command.flag("--signed", args->with_signs,
               "CSV: other evidence in nats and with signs, not as shares of a row");
  command.group("Output");
  command.model("--beside", args->beside,
                "Show this model beside the first on the page; it reads the same translations");
  const Argument output = command.output_folder(
      "-o,--output", args->output,
      "Folder for attention.csv, attention.html and the SVGs; NAME.html is the page "
      "alone, NAME.csv the table alone; without it, CSV to standard output");
  command.flag("--step", args->step,
               "Write a page of decoding steps in numbers, NAME.html or FOLDER/step.html, from "
               "states to the chosen word, for "
               "every attention or those of --kind; without a model, examples from the literature");
  command.flag("--matrix", args->matrix,
               "CSV as target x source tables instead of one weight per row");
  command
      .option("--pictures", args->pictures,
              "SVGs to write: one for each matrix and a grid of layers and heads (all), only the "
              "grids, or none")
      .one_of({"all", "grid", "none"})
      .needs(output);
  args->form.add(command, output);
  args->common.add(command);
  command.examples(
      {"heed attention runs/multi30k_bahdanau --text 'Ein Mann fährt Fahrrad.' --words "
       "-o attention/",
       "heed attention runs/demo/transformer --text 'the old dog slept' --step -o step.html"});
}

}  // namespace heed
