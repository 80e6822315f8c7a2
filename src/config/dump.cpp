// A config struct as YAML, bare or with what each key does above it.
#include <cstddef>
#include <string>

#include "config/io.h"
#include "config/print.h"
#include "config/reference.h"

namespace heed::config {
namespace {

constexpr std::size_t kWidth = 100;

class Writer {
 public:
  /// `start` stands before the first key in place of the indentation: "- " of a list's element.
  void section(const SectionView& section, std::size_t indent, std::string start, bool with_help) {
    for (const FieldView& field : section.fields) {
      if (with_help) help(field, indent);
      out_ += start + field.key + ":";
      start.assign(indent, ' ');
      value(field, indent, with_help);
    }
  }

  std::string out_;

 private:
  void help(const FieldView& field, std::size_t indent) {
    const std::string space(indent, ' ');
    const std::string allowed = allowed_text(field);
    if (indent == 0 && !out_.empty()) out_ += '\n';
    out_ +=
        wrapped(field.help + (allowed.empty() ? "" : " (" + allowed + ")"), space + "# ", kWidth);
  }

  void value(const FieldView& field, std::size_t indent, bool with_help) {
    const auto* list = std::get_if<ListView>(&field.value);
    if (const auto* below = std::get_if<SectionView>(&field.value)) {
      out_ += '\n';
      section(*below, indent + 2, std::string(indent + 2, ' '), with_help);
    } else if (list != nullptr && list->size() > 0) {
      out_ += '\n';
      const std::string start = std::string(indent + 2, ' ') + "- ";
      for (std::size_t i = 0; i < list->size(); ++i) section(list->at(i), indent + 4, start, false);
    } else {
      out_ += " " + value_text(field.value) + '\n';
    }
  }
};

}  // namespace

std::string dump(const SectionView& root) {
  Writer writer;
  writer.section(root, 0, "", /*with_help=*/false);
  return writer.out_;
}

std::string dump_with_help(const SectionView& root) {
  Writer writer;
  writer.section(root, 0, "", /*with_help=*/true);
  return writer.out_;
}

}  // namespace heed::config
