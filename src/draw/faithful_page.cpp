#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "config/schema.h"
#include "draw/page_data.h"
#include "draw/pages.h"
#include "draw/svg.h"
#include "study/attention_matrix.h"
#include "study/faithful.h"

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

}  // namespace

std::string faithful_page(const study::FaithfulReport& report, const std::string& model,
                          const std::vector<std::string>& notes) {
  const study::Pictures pictures = study::judge(report);
  return render_page("faithful",
                     {{"title", fmt::format("Which pictures of {} may be believed", model)},
                      {"headline", headline(report, pictures)},
                      {"reasons", reasons(pictures)},
                      {"table", pictures_table(report, pictures)},
                      {"measure", pictures.measure ? study::mean_text(*pictures.measure, 2) : ""},
                      {"moves", fixed(study::kMoves, 2)},
                      {"notes", notes}});
}

}  // namespace heed::draw
