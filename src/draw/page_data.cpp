#include "draw/page_data.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "draw/page/embedded.h"
#include "draw/plot.h"
#include "draw/svg.h"
#include "score/bleu_statistics.h"

namespace heed::draw {
namespace {

std::string signed_text(double value) {
  return (value < 0 ? "\u2212" : "+") + fixed(value < 0 ? -value : value, 1);
}

Cell bucket_cell(const score::BucketScore& score) {
  Cell cell{.text = fixed(score.bleu.score, 1)};
  if (score.interval)
    cell.notes.push_back(
        {fixed(score.interval->low, 1) + " \u2013 " + fixed(score.interval->high, 1)});
  if (const auto& against = score.against_baseline) {
    const bool clear = against->p_value < 0.05;
    cell.notes.push_back({signed_text(against->difference), !clear                    ? ""
                                                            : against->difference > 0 ? "better"
                                                                                      : "worse"});
    cell.notes.push_back({score::p_text(against->p_value)});
  }
  return cell;
}

Column bucket_column(const score::Bucket& bucket) {
  return {bucket.label(), "n = " + std::to_string(bucket.sentences.size())};
}

// Buckets without sentences are left out.
PageData buckets_table(const score::LengthReport& lengths) {
  std::vector<Column> columns{{lengths.unit + " in the source"}};
  std::vector<std::vector<Cell>> rows;
  for (const score::SystemLengths& system : lengths.systems) rows.push_back({{system.name}});
  for (std::size_t b = 0; b < lengths.buckets.size(); ++b) {
    if (lengths.buckets[b].sentences.empty()) continue;
    columns.push_back(bucket_column(lengths.buckets[b]));
    for (std::size_t s = 0; s < rows.size(); ++s) {
      const auto& score = lengths.systems[s].buckets[b];
      rows[s].push_back(score ? bucket_cell(*score) : Cell{"\u2013"});
    }
  }
  columns.push_back(bucket_column(lengths.all));
  for (std::size_t s = 0; s < rows.size(); ++s)
    rows[s].push_back(bucket_cell(lengths.systems[s].all));
  return table_data(columns, rows);
}

enum class Heading { kTitle, kOwn };

/// A row of pages.def.
struct PageRow {
  const char *name, *style;
  Heading heading;
};

constexpr PageRow kPages[] = {
#define HEED_PAGE(name, style, heading, arguments) {#name, style, Heading::heading},
#include "draw/pages.def"
#undef HEED_PAGE
};

std::string_view page_file(std::string_view name) {
  for (const auto& [known, text] : kPageFiles)
    if (name == known) return text;
  throw Bug("no page file is called " + std::string(name));
}

/// Null where it is not there.
const PageData& value_of(const PageData& data, const std::string& name) {
  static const PageData nothing;
  if (name == ".") return data;
  const auto found = data.is_object() ? data.find(name) : data.end();
  return found == data.end() ? nothing : *found;
}

bool is_something(const PageData& value) {
  return !value.empty() && value != false && value != "";
}

/// Cuts what comes before `end` off, and `end`.
std::string_view cut(std::string_view& page, std::string_view end) {
  const std::size_t at = page.find(end);
  expect(at != std::string_view::npos, "a page file closes what it opens");
  const std::string_view before = page.substr(0, at);
  page.remove_prefix(at + end.size());
  return before;
}

/// Cuts the section off that has just begun.
std::string_view cut_section(std::string_view& page, const std::string& name) {
  const std::string_view whole = page;
  for (int open = 1; open > 0;) {
    cut(page, "{{");
    const std::string_view tag = page.substr(0, page.find("}}"));
    if (!tag.empty() && tag.substr(1) == name)
      open += tag.front() == '/' ? -1 : tag.front() == '#' || tag.front() == '^' ? 1 : 0;
  }
  const std::string_view section = whole.substr(0, whole.size() - page.size() - 2);
  cut(page, "}}");
  return section;
}

void drop_line_break(std::string_view& page) {
  if (page.starts_with('\n')) page.remove_prefix(1);
}

void append(std::string& out, std::string_view page, const PageData& data) {
  for (std::size_t at; (at = page.find("{{")) != std::string_view::npos;) {
    out += page.substr(0, at);
    page.remove_prefix(at + 2);
    const char kind = page.front();
    const bool raw = kind == '{', plain = std::string_view("{#^>").find(kind) == std::string::npos;
    if (!plain) page.remove_prefix(1);
    const std::string name(trim(cut(page, raw ? "}}}" : "}}")));
    const PageData& value = value_of(data, name);
    if (raw || plain) {
      if (!value.is_string()) throw Bug("a page file asks for a text called " + name);
      const auto& text = value.get_ref<const std::string&>();
      out += raw ? text : xml_escape(text);
      continue;
    }
    drop_line_break(page);
    if (kind == '>') {
      append(out, page_file(name), data);
      continue;
    }
    const std::string_view section = cut_section(page, name);
    drop_line_break(page);
    if (is_something(value) == (kind == '^')) continue;
    if (value.is_array())
      for (const PageData& item : value) append(out, section, item);
    else
      append(out, section, value.is_object() ? value : data);
  }
  out += page;
}

std::string filled(std::string_view page, const PageData& data) {
  std::string out;
  append(out, page, data);
  return out;
}

}  // namespace

std::string script_data(const PageData& data) {
  std::string safe;
  for (const char c : data.dump(-1, ' ', false, PageData::error_handler_t::replace))
    c == '<' ? safe += "\\u003c" : safe += c;
  return safe;
}

std::string address_of(std::string_view path) {
  std::string address;
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (plain || std::string_view("/-._~").find(c) != std::string_view::npos)
      address += c;
    else
      address += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return address;
}

PageData table_data(const std::vector<Column>& columns,
                    const std::vector<std::vector<Cell>>& rows) {
  constexpr std::size_t kFitsAnywhere = 4;
  PageData table{{"blocks", columns.size() > kFitsAnywhere}};
  for (const Column& column : columns)
    table["columns"].push_back({{"name", column.name}, {"note", column.note}});
  for (const std::vector<Cell>& row : rows) {
    expect(row.size() == columns.size(), "a row has a cell for each column");
    PageData cells = PageData::array();
    for (std::size_t i = 0; i < row.size(); ++i) {
      const auto& [name, note] = columns[i];
      const Cell& cell = row[i];
      PageData notes = PageData::array();
      for (const Styled& one : cell.notes)
        notes.push_back({{"text", one.text}, {"look", one.look}});
      const bool alone = cell.look.empty() && cell.picture.empty() && cell.notes.empty();
      cells.push_back({{"names_row", i == 0},
                       {"column", name + (note.empty() ? "" : ", " + note)},
                       {"text", cell.text},
                       {"look", cell.look},
                       {"link", cell.link},
                       {"picture", cell.picture},
                       {"own_element", !alone},
                       {"notes", std::move(notes)}});
    }
    table["rows"].push_back({{"cells", std::move(cells)}});
  }
  return table;
}

PageData figure_data(const std::string& wide, const std::string& narrow,
                     const std::string& caption) {
  return {{"wide", wide}, {"narrow", narrow}, {"caption", caption}};
}

PageData words_data(const std::vector<study::TextPart>& parts) {
  PageData words = PageData::array();
  for (const study::TextPart& part : parts)
    words.push_back({{"text", part.text}, {"marked", !part.common}, {"follows", !words.empty()}});
  return words;
}

PageData term_data(const std::string& name, const std::vector<study::TextPart>& words) {
  return {{"name", name}, {"words", words_data(words)}};
}

PageData term_data(const std::string& name, const std::string& text) {
  return term_data(name, std::vector{study::TextPart{.text = text}});
}

PageData lengths_data(const score::LengthReport& lengths) {
  const auto is_compared = [](const score::SystemLengths& system) {
    return system.all.against_baseline.has_value();
  };
  const Plot plot = plot_of(lengths);
  return {{"figure", figure_data(draw_plot(plot), draw_plot(plot, Form::narrow))},
          {"table", buckets_table(lengths)},
          {"has_intervals", lengths.systems.front().all.interval.has_value()},
          {"is_compared", std::ranges::any_of(lengths.systems, is_compared)},
          {"baseline", lengths.baseline}};
}

std::string render(std::string_view file, const PageData& data) {
  return filled(page_file(file), data);
}

std::string render_parts(const PageParts& parts, const PageData& data) {
  PageData frame = data;
  frame["style"] = filled(parts.style, data);
  frame["heading"] = parts.has_heading;
  frame["body"] = filled(parts.body, data);
  return render("frame.html", frame);
}

std::string render_page(std::string_view name, const PageData& data) {
  for (const PageRow& page : kPages)
    if (name == page.name)
      return render_parts({.style = page_file(page.style),
                           .body = page_file(std::string(name) + ".html"),
                           .has_heading = page.heading == Heading::kTitle},
                          data);
  throw Bug("no page is called " + std::string(name));
}

}  // namespace heed::draw
