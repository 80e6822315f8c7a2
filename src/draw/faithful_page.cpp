#include "draw/faithful_page.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "draw/html.h"
#include "draw/page/page.h"
#include "draw/svg.h"
#include "study/belief.h"

namespace heed::draw {
namespace {

using study::Belief;
using study::Picture;

constexpr std::size_t kNamed = 8;  // heads that the headline names
constexpr double kBarWidth = 96, kBarHeight = 12;

std::string name_of(const Picture& picture) {
  const study::FaithfulRow& row = picture.row;
  if (row.kind == study::AttentionKind::integrated) return "integrated gradients";
  if (row.kind != study::AttentionKind::cross) return config::name_of(row.kind);
  return "layer " + std::to_string(row.layer) +
         (row.head < 0 ? ", mean of heads" : ", head " + std::to_string(row.head));
}

std::string verdict_of(const study::Pictures& pictures, const Picture& picture) {
  if (!pictures.measure) return "";
  const auto verdict = [](const char* words, const char* look) {
    return text_element("span", words, look);
  };
  const bool head = picture.is_head();
  switch (picture.belief) {
    case Belief::believed:
      return verdict("may be believed", "class=\"better\"");
    case Belief::agrees:
      return verdict(head ? "agrees, moves little" : "agrees", "");
    case Belief::moves:
      return verdict("moves, agrees less", "class=\"worse\"");
    case Belief::neither:
      return verdict(head ? "neither" : "agrees less", "class=\"worse\"");
    case Belief::measure:
      break;
  }
  return "";
}

std::string mean_text(const study::Mean& mean, int digits) {
  return fixed(mean.value, digits) + " (" + fixed(mean.interval.low, digits) + " to " +
         fixed(mean.interval.high, digits) + ")";
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
  const auto line = [](const char* look, double x1, double y1, double x2, double y2) {
    return "<line class=\"" + std::string(look) + "\" x1=\"" + short_number(x1) + "\" y1=\"" +
           short_number(y1) + "\" x2=\"" + short_number(x2) + "\" y2=\"" + short_number(y2) +
           "\"/>";
  };
  const double left = std::min(x(0), x(mean.value)), right = std::max(x(0), x(mean.value));
  const double middle = kBarHeight / 2;
  return element("svg class=\"bar\" width=\"" + short_number(kBarWidth) + "\" height=\"" +
                     short_number(kBarHeight) + "\" viewBox=\"0 0 " + short_number(kBarWidth) +
                     ' ' + short_number(kBarHeight) + "\" aria-hidden=\"true\"",
                 "<rect class=\"value\" x=\"" + short_number(left) + "\" y=\"2\" width=\"" +
                     short_number(right - left) + "\" height=\"8\"/>" +
                     line("zero", x(0), 0, x(0), kBarHeight) +
                     line("interval", x(mean.interval.low), middle, x(mean.interval.high), middle));
}

std::string cell(const std::optional<study::Mean>& mean, int digits, const Range* range = nullptr) {
  if (!mean) return "";
  return text_element("span", fixed(mean->value, digits)) + (range ? bar(*mean, *range) : "") +
         text_element("small", fixed(mean->interval.low, digits) + " to " +
                                   fixed(mean->interval.high, digits));
}

std::string pictures_table(const study::FaithfulReport& report, const study::Pictures& pictures) {
  const Range tau = range_of(pictures.all, {&Picture::saliency, &Picture::erasure}),
              moved = range_of(pictures.all, {&Picture::moved});
  std::vector<Column> columns{
      {"picture"},      {"verdict"},        {"\u03c4 with saliency"}, {"\u03c4 with erasure"},
      {"output moves"}, {"entropy", "nats"}};
  if (report.has_gold()) columns.push_back({"AER", "per cent"});
  std::vector<std::vector<std::string>> rows;
  for (const Picture& picture : pictures.all) {
    rows.push_back({text_element("span", name_of(picture)), verdict_of(pictures, picture),
                    cell(picture.saliency, 2, &tau), cell(picture.erasure, 2, &tau),
                    cell(picture.moved, 3, &moved), cell(picture.entropy, 2)});
    if (report.has_gold()) rows.back().push_back(fixed(100 * picture.row.aligned.rate(), 1));
  }
  return table(columns, rows);
}

std::vector<std::string> heads_that(const study::Pictures& pictures, Belief belief) {
  std::vector<std::string> names;
  for (const Picture& picture : pictures.all)
    if (picture.is_head() && picture.belief == belief) names.push_back(name_of(picture));
  return names;
}

std::string headline(const study::Pictures& pictures) {
  const auto heads = std::ranges::count_if(pictures.all, &Picture::is_head);
  const std::vector<std::string> good = heads_that(pictures, Belief::believed);
  if (heads == 0) return "This model has no attention whose heads could be believed.";
  if (!pictures.measure) return "The sentences are too short to tell which heads may be believed.";
  if (heads == 1)
    return good.empty() ? "The attention may not be believed." : "The attention may be believed.";
  if (good.empty()) return "None of the " + std::to_string(heads) + " heads may be believed.";
  if (std::ssize(good) == heads) return "All " + std::to_string(heads) + " heads may be believed.";
  std::string out =
      std::to_string(good.size()) + " of " + std::to_string(heads) + " heads may be believed: ";
  for (std::size_t i = 0; i < std::min(kNamed, good.size()); ++i)
    out += (i > 0 ? "; " : "") + good[i];
  if (good.size() > kNamed) out += "; and " + std::to_string(good.size() - kNamed) + " more";
  return out + ".";
}

/// Of the heads that may not be believed, why.
std::string reasons(const study::Pictures& pictures) {
  if (!pictures.measure) return "";
  std::string out;
  const auto tell = [&](Belief belief, const char* one, const char* many) {
    const std::size_t count = heads_that(pictures, belief).size();
    if (count == 1) out += std::string("1 head ") + one + ' ';
    if (count > 1) out += std::to_string(count) + " heads " + many + ' ';
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

std::string rules(const study::Pictures& pictures) {
  std::vector<std::string> lines;
  if (pictures.measure)
    lines.push_back("Saliency and erasure agree with each other by \u03c4 = " +
                    mean_text(*pictures.measure, 2) +
                    ". A picture agrees with them if both its \u03c4 are above 0 and not below "
                    "this one; intervals that touch are not below.");
  else
    lines.emplace_back(
        "The sentences are too short to compare orders: \u03c4 needs three source pieces.");
  lines.push_back("A head moves the output if the distribution of the next piece moves by " +
                  fixed(study::kMoves, 2) +
                  " or more (total variation distance, 0 to 1) when its weights are permuted.");
  lines.emplace_back(
      "A head may be believed if it does both. This is agreement of three kinds of evidence, not "
      "proof.");
  std::string items;
  for (const std::string& line : lines) items += text_element("li", line) + '\n';
  return text_element("h2", "When a picture may be believed") + element("ul", items) + '\n';
}

}  // namespace

std::string faithful_page(const study::FaithfulReport& report, const FaithfulPage& page) {
  const study::Pictures pictures = study::judge(report);
  const std::string title = "Which pictures of " + page.model + " may be believed";
  std::string body = text_element("h1", title) + '\n' +
                     text_element("p", headline(pictures), "class=\"headline\"") + '\n';
  if (const std::string why = reasons(pictures); !why.empty()) body += text_element("p", why);
  body += text_element("h2", "Heads and other evidence") + pictures_table(report, pictures) +
          text_element("p",
                       "\u03c4: Kendall's \u03c4-b of the order of the source pieces. In small "
                       "print and as a line over each bar: 95 % intervals over resampled "
                       "sentences. Bars begin at 0.",
                       "class=\"quiet\"") +
          '\n' + rules(pictures);
  std::string notes;
  for (const std::string& note : page.notes) notes += text_element("li", note) + '\n';
  body += text_element("h2", "How it was made") + element("ul", notes) + '\n';
  return fill(
      page_file("report.html"),
      {{"@title@", xml_escape(title)}, {"@style@", page_file("report.css")}, {"@body@", body}});
}

}  // namespace heed::draw
