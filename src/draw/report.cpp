#include "draw/report.h"

#include <algorithm>
#include <cstddef>
#include <set>

#include "base/strings.h"
#include "draw/heatmap.h"
#include "draw/html.h"
#include "draw/lengths_section.h"
#include "draw/page/page.h"
#include "draw/svg.h"

namespace heed::draw {
namespace {

// Columns are what any system states, in order of first appearance.
std::string facts_section(const std::vector<ReportSystem>& systems) {
  std::vector<std::string> names;
  const auto remember = [&](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  std::vector<std::vector<std::pair<std::string, std::string>>> all;
  for (const ReportSystem& system : systems) {
    all.push_back(system.facts);
    for (const score::Score& score : system.scores) {
      all.back().emplace_back("test " + score.name, fixed(score.value, 2));
    }
    for (const auto& [name, value] : all.back()) remember(name);
  }
  std::string head = element("th", "model", "scope=\"col\""), rows;
  for (const std::string& name : names) head += text_element("th", name, "scope=\"col\"");
  for (std::size_t s = 0; s < systems.size(); ++s) {
    std::string row =
        element("th", xml_escape(systems[s].name) + text_element("small", systems[s].description),
                "scope=\"row\"");
    for (const std::string& name : names) {
      const auto found = std::find_if(all[s].begin(), all[s].end(),
                                      [&](const auto& fact) { return fact.first == name; });
      row += text_element("td", found == all[s].end() ? "\u2013" : found->second);
    }
    rows += element("tr", row) + '\n';
  }
  return text_element("h2", "The models and their training") + table(head, rows);
}

std::string pictures_section(const std::vector<ReportSystem>& systems) {
  std::string figures;
  for (const ReportSystem& system : systems) {
    if (!system.attention) continue;
    const std::string caption = system.name + ": " + describe(*system.attention) + ", sentence " +
                                std::to_string(system.attention->sentence);
    figures +=
        element("figure", draw_heatmap(*system.attention) + text_element("figcaption", caption)) +
        '\n';
  }
  if (figures.empty()) return "";
  return text_element("h2", "Where they look") +
         text_element("p",
                      "Rows are the words of the translation, columns those of the source; the "
                      "darker, the more weight. Point at a cell for its number.",
                      "class=\"quiet\"") +
         element("div class=\"pictures\"", figures) + '\n';
}

std::string samples_section(const std::vector<ReportSample>& samples) {
  if (samples.empty()) return "";
  std::string out = text_element("h2", "Sample translations");
  for (const ReportSample& sample : samples) {
    const auto entry = [](const std::string& name, const std::string& text) {
      return text_element("dt", name) + text_element("dd", text, "dir=\"auto\"");
    };
    std::string list = entry("source", sample.source) + entry("reference", sample.reference);
    for (const auto& [system, text] : sample.translations) list += entry(system, text);
    out += element("div class=\"sample\"", element("dl", list)) + '\n';
  }
  return out;
}

std::string methods_section(const Report& report) {
  std::set<std::string> signatures;
  for (const score::SystemLengths& system : report.lengths.systems) {
    signatures.insert(system.overall.name + ": " + system.overall.signature);
  }
  for (const ReportSystem& system : report.systems) {
    for (const score::Score& score : system.scores)
      signatures.insert(score.name + ": " + score.signature);
  }
  std::string lines;
  for (const std::string& signature : signatures) {
    lines += element("li", text_element("code", signature)) + '\n';
  }
  for (const std::string& warning : report.lengths.warnings) lines += text_element("li", warning);
  for (const std::string& note : report.notes) lines += text_element("li", note) + '\n';
  std::string out = text_element("h2", "How it was made") + element("ul", lines) + '\n';
  if (!report.commands.empty()) {
    out += element("pre", text_element("code", join(report.commands, "\n"))) + '\n';
  }
  return out;
}

}  // namespace

std::string headline(const score::LengthReport& report) {
  if (report.baseline.empty()) return "";
  for (std::size_t b = report.buckets.size(); b-- > 0;) {
    if (report.buckets[b].sentences.empty()) continue;
    const score::SystemLengths *baseline = nullptr, *best = nullptr;
    for (const score::SystemLengths& system : report.systems) {
      if (!system.buckets[b]) continue;
      const double score = system.buckets[b]->bleu.score;
      if (system.name == report.baseline) {
        baseline = &system;
      } else if (!best || score > best->buckets[b]->bleu.score) {
        best = &system;
      }
    }
    if (!baseline || !best) return "";
    const std::string label = report.buckets[b].label();
    std::string text = "On the longest sentences (" + label + " words), " + baseline->name +
                       " reaches " + fixed(baseline->buckets[b]->bleu.score, 1) + " BLEU and " +
                       best->name + " " + fixed(best->buckets[b]->bleu.score, 1);
    if (const auto& against = best->buckets[b]->against_baseline) {
      text += " (" + score::p_text(against->p_value) + ", paired bootstrap)";
    }
    return text + '.';
  }
  return "";
}

std::string report_page(const Report& report) {
  std::string body = text_element("h1", report.title) + '\n';
  if (!report.introduction.empty()) body += text_element("p", report.introduction) + '\n';
  if (const std::string line = headline(report.lengths); !line.empty()) {
    body += text_element("p", line, "class=\"headline\"") + '\n';
  }
  body += lengths_section(report.lengths) + facts_section(report.systems) +
          pictures_section(report.systems) + samples_section(report.samples) +
          methods_section(report);
  return fill(page_file("report.html"), {{"@title@", xml_escape(report.title)},
                                         {"@style@", page_file("report.css")},
                                         {"@body@", body}});
}

}  // namespace heed::draw
