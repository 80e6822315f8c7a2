#include "draw/pages.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "config/schema.h"
#include "draw/page_data.h"
#include "draw/png.h"
#include "draw/svg.h"
#include "score/metrics.h"
#include "study/attention_matrix.h"

namespace heed::draw {
namespace {

using study::Belief;
using study::Picture;

constexpr std::size_t kNamed = 8;  // heads that the headline names
constexpr double kBarWidth = 96;   // of bar.html, pixels

std::string name_of(const Picture& picture) {
  const study::FaithfulRow& row = picture.row;
  if (row.kind == study::AttentionKind::integrated) return "integrated gradients";
  if (row.kind != study::AttentionKind::cross) return config::name_of(row.kind);
  return study::layer_and_head(row.layer, row.head);
}

Cell verdict_of(const study::Pictures& pictures, const Picture& picture) {
  if (!pictures.measure) return {};
  const bool attention = picture.is_attention();
  switch (picture.belief) {
    case Belief::believed:
      return {"may be believed", "better"};
    case Belief::agrees:
      return {attention ? "agrees, moves little" : "agrees"};
    case Belief::moves:
      return {"moves, agrees less", "worse"};
    case Belief::neither:
      return {attention ? "neither" : "agrees less", "worse"};
    case Belief::measure:
      break;
  }
  return {};
}

using Range = std::pair<double, double>;

/// From 0, or what is below it, to the largest number that the bars of some columns show.
Range range_of(const std::vector<Picture>& pictures,
               std::initializer_list<std::optional<study::Mean> Picture::*> columns) {
  Range range{0, 0};
  for (const Picture& picture : pictures)
    for (const auto column : columns)
      if (const auto& mean = picture.*column) {
        range.first = std::min(range.first, mean->interval.low);
        range.second = std::max({range.second, mean->interval.high, mean->value});
      }
  return range;
}

std::string bar(const study::Mean& mean, const Range& range) {
  const double length = std::max(range.second - range.first, 1e-9);
  const auto x = [&](double value) { return (value - range.first) / length * kBarWidth; };
  const double left = std::min(x(0), x(mean.value)), right = std::max(x(0), x(mean.value));
  return render("bar.html", {{"left", short_number(left)},
                             {"length", short_number(right - left)},
                             {"zero", short_number(x(0))},
                             {"low", short_number(x(mean.interval.low))},
                             {"high", short_number(x(mean.interval.high))}});
}

Cell cell(const std::optional<study::Mean>& mean, int digits, const Range* range = nullptr) {
  if (!mean) return {};
  return {
      .text = fixed(mean->value, digits),
      .picture = range ? bar(*mean, *range) : "",
      .notes = {{fixed(mean->interval.low, digits) + " to " + fixed(mean->interval.high, digits)}}};
}

PageData pictures_table(const study::FaithfulReport& report, const study::Pictures& pictures) {
  const Range tau = range_of(pictures.all, {&Picture::saliency, &Picture::erasure}),
              moved = range_of(pictures.all, {&Picture::moved});
  std::vector<Column> columns{
      {"picture"},      {"verdict"},        {"\u03c4 with saliency"}, {"\u03c4 with erasure"},
      {"output moves"}, {"entropy", "nats"}};
  if (report.has_gold()) columns.push_back({"AER", "per cent"});
  std::vector<std::vector<Cell>> rows;
  for (const Picture& picture : pictures.all) {
    rows.push_back({{name_of(picture)},
                    verdict_of(pictures, picture),
                    cell(picture.saliency, 2, &tau),
                    cell(picture.erasure, 2, &tau),
                    cell(picture.moved, 3, &moved),
                    cell(picture.entropy, 2)});
    if (report.has_gold()) rows.back().push_back({fixed(100 * picture.row.aligned.rate(), 1)});
  }
  return table_data(columns, rows);
}

/// Single heads, or means of those of a layer.
std::vector<std::string> heads_that(const study::Pictures& pictures, Belief belief,
                                    bool means = false) {
  std::vector<std::string> names;
  for (const Picture& picture : pictures.all)
    if (picture.is_attention() && picture.is_head() != means && picture.belief == belief)
      names.push_back(name_of(picture));
  return names;
}

/// The picture of attention that aligns best, if it does so well.
const Picture* aligned(const study::FaithfulReport& report, const study::Pictures& pictures) {
  constexpr double kAligns = 0.2;  // AER
  const Picture* best = nullptr;
  for (const Picture& picture : pictures.all)
    if (report.has_gold() && picture.is_attention() &&
        picture.row.aligned.rate() < (best ? best->row.aligned.rate() : kAligns))
      best = &picture;
  return best;
}

std::string beliefs(const study::Pictures& pictures) {
  const auto heads = std::ranges::count_if(pictures.all, &Picture::is_head);
  const std::vector<std::string> good = heads_that(pictures, Belief::believed);
  if (heads == 0) return "This model has no attention whose heads could be believed.";
  if (!pictures.measure) return "The sentences are too short to tell which heads may be believed.";
  if (heads == 1)
    return good.empty() ? "The attention may not be believed." : "The attention may be believed.";
  if (good.empty()) return fmt::format("None of the {} heads may be believed.", heads);
  if (std::ssize(good) == heads) return fmt::format("All {} heads may be believed.", heads);
  std::string out = fmt::format("{} of {} heads may be believed: ", good.size(), heads);
  for (std::size_t i = 0; i < std::min(kNamed, good.size()); ++i)
    out += (i > 0 ? "; " : "") + good[i];
  if (good.size() > kNamed) out += fmt::format("; and {} more", good.size() - kNamed);
  return out + ".";
}

/// Returns what a reader should remember of the page.
std::string headline(const study::FaithfulReport& report, const study::Pictures& pictures) {
  const std::vector<std::string> means = heads_that(pictures, Belief::believed, /*means=*/true);
  const bool none = heads_that(pictures, Belief::believed).empty();
  std::string out;
  if (const Picture* best = aligned(report, pictures)) {
    out = fmt::format("Which words translate each other is shown by {} (AER {} %). ",
                      name_of(*best), fixed(100 * best->row.aligned.rate(), 1));
    if (none && means.empty() && pictures.measure)
      return out + "As an explanation of the output no head is enough.";
  }
  if (none && !means.empty())
    return out + fmt::format("No head by itself may be believed, but {}.", join(means, "; "));
  out += beliefs(pictures);
  return means.empty() ? out : out + fmt::format(" So may {}.", join(means, "; "));
}

/// Returns why some heads may not be believed.
std::string reasons(const study::Pictures& pictures) {
  if (!pictures.measure) return "";
  std::string out;
  const auto tell = [&](Belief belief, const char* one, const char* many) {
    const std::size_t count = heads_that(pictures, belief).size();
    if (count == 1) out += std::string("1 head ") + one + ' ';
    if (count > 1) out += fmt::format("{} heads {} ", count, many);
  };
  tell(Belief::agrees,
       "agrees with saliency and erasure, but the output hardly moves when its weights are "
       "permuted.",
       "agree with saliency and erasure, but the output hardly moves when their weights are "
       "permuted.");
  tell(Belief::moves,
       "moves the output, but agrees less with saliency and erasure than these with each other.",
       "move the output, but agree less with saliency and erasure than these with each other.");
  tell(Belief::neither, "does neither.", "do neither.");
  return std::string(trim(out));
}

/// The rows of score/metrics.def as watch.js reads them. There are no decimals where the scale is
/// unknown.
PageData metrics_data() {
  PageData all = PageData::array();
  for (const score::MetricInfo& each : score::kMetrics) {
    const bool any_scale = each.source == score::MetricSource::command;
    all.push_back({{"key", each.key},
                   {"label", each.label},
                   {"axis", each.axis},
                   {"decimals", any_scale ? PageData() : PageData(each.brief)}});
  }
  return all;
}

}  // namespace

std::string faithful_page(const study::FaithfulReport& report, const std::string& model,
                          const std::vector<std::string>& notes) {
  const study::Pictures pictures = study::judge(report);
  return render("faithful.html",
                {{"title", fmt::format("Which pictures of {} may be believed", model)},
                 {"headline", headline(report, pictures)},
                 {"reasons", reasons(pictures)},
                 {"table", pictures_table(report, pictures)},
                 {"measure", pictures.measure ? study::mean_text(*pictures.measure, 2) : ""},
                 {"moves", fixed(study::kMoves, 2)},
                 {"notes", notes}});
}

std::string step_page(const std::vector<study::DecodingSteps>& sentences,
                      const std::string& title) {
  PageData data = PageData::array();
  for (const study::DecodingSteps& one : sentences) data.push_back(study::json_of(one));
  return render("step.html", {{"title", title}, {"data", script_data(data)}});
}

std::string play_page(std::span<const PlayedModel> models, const std::string& program) {
  PageData shown = PageData::array();
  std::string title;
  for (const PlayedModel& model : models) {
    PageData files = PageData::object();
    for (const auto& [name, bytes] : model.files) files[name] = base64(compressed(bytes));
    shown.push_back({{"name", model.name},
                     {"source", model.source},
                     {"target", model.target},
                     {"files", std::move(files)}});
    title += (title.empty() ? "" : " and ") + model.name;
  }
  PageData data = {{"attention", live_attention_page("Attention")},
                   {"steps", step_page({}, "Attention, step by step")},
                   {"examples", models.empty() ? std::vector<std::string>() : models[0].examples},
                   {"models", std::move(shown)}};
  if (!program.empty()) data["program"] = base64(compressed(program));
  return render("play.html",
                {{"title", title}, {"served", program.empty()}, {"data", script_data(data)}});
}

namespace {

constexpr float kUnits = 10000;  // four decimals

/// A weight that four decimals show as 0, for a temperature that makes it visible: its logarithm in
/// steps of 0.3 below that of 0.00005; 0 for one that is 0.
unsigned step_of_small(float weight) {
  if (weight <= 0) return 0;
  const float steps = -std::log(2 * kUnits * weight) / 0.3f;
  return 1 + static_cast<unsigned>(std::clamp(std::lround(steps), 0L, 254L));
}

void append(std::string& bytes, const study::AttentionMatrix& matrix) {
  for (const float weight : matrix.weights) {
    const float share = std::isnan(weight) ? 0 : std::clamp(weight, 0.0f, 1.0f);
    const auto units = static_cast<unsigned>(std::lround(share * kUnits));
    bytes += static_cast<char>(units < 128 ? units : units % 128 + 128);
    if (units >= 128) bytes += static_cast<char>(units / 128);
    if (units == 0 && matrix.softmax) bytes += static_cast<char>(step_of_small(share));
  }
}

float largest(const std::vector<float>& numbers) {
  return numbers.empty() ? 0 : std::ranges::max(numbers);
}

struct Sentence {
  PageData lines = PageData::array(), views = PageData::array();
  std::map<std::vector<std::string>, std::size_t> known;  // token line -> index
  std::string weights;

  std::size_t line(const std::vector<std::string>& tokens) {
    const auto [found, is_new] = known.try_emplace(tokens, lines.size());
    if (is_new) lines.push_back(tokens);
    return found->second;
  }
};

std::string page_of(const std::string& title, const std::string& data) {
  const PageData inks{ink(0), ink(0.25), ink(0.5), ink(0.75), ink(1)};
  return render("attention.html", {{"title", title}, {"data", data}, {"ink", inks.dump()}});
}

}  // namespace

std::string attention_json(std::span<const study::AttentionMatrix> matrices) {
  std::vector<std::pair<int64_t, Sentence>> sentences;  // in order of first appearance
  std::map<int64_t, std::size_t> place;
  for (const study::AttentionMatrix& matrix : matrices) {
    check(matrix);
    const auto [found, is_new] = place.try_emplace(matrix.sentence, sentences.size());
    if (is_new) sentences.emplace_back(matrix.sentence, Sentence());
    Sentence& sentence = sentences[found->second].second;
    sentence.views.push_back({{"model", matrix.model},
                              {"kind", config::name_of(matrix.kind)},
                              {"layer", matrix.layer},
                              {"head", matrix.head},
                              {"unit", matrix.words ? "words" : "pieces"},
                              {"softmax", matrix.softmax},
                              {"missing", largest(matrix.missing)},
                              {"target", sentence.line(matrix.target)},
                              {"source", sentence.line(matrix.source)}});
    append(sentence.weights, matrix);
  }
  PageData data = PageData::array();
  for (auto& [id, sentence] : sentences)
    data.push_back({{"id", id},
                    {"lines", std::move(sentence.lines)},
                    {"views", std::move(sentence.views)},
                    {"weights", base64(compressed(sentence.weights))}});
  return script_data(data);
}

std::string attention_page(std::span<const study::AttentionMatrix> matrices,
                           const std::string& title) {
  if (matrices.empty()) throw UserError("there is no attention to show: no sentence was given");
  return page_of(title, attention_json(matrices));
}

std::string live_attention_page(const std::string& title) {
  return page_of(title, "[]");
}

std::string watch_page() {
  PageData colours = PageData::array(), inks = PageData::array();
  for (std::size_t i = 0; i < 8; ++i) colours.push_back(series_color(i));
  for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0}) inks.push_back(ink(share));
  return render("watch.html", {{"title", "heed watch"},
                               {"served", true},
                               {"colours", colours.dump()},
                               {"ink", inks.dump()},
                               {"metrics", metrics_data().dump()}});
}

}  // namespace heed::draw
