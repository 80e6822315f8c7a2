#include "study/month_names.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/strings.h"
#include "text/characters.h"
#include "text/script.h"
#include "text/utf8.h"

namespace heed::study {
namespace {

/// Names and abbreviations in lower case. A word that ends with `*` is the beginning of one. In
/// Arabic, two months begin with the same word.
constexpr std::array<const char*, kMonths> kNames = {
    "jan january januar* jänner janv janvier ene enero gennaio janeiro stycz* янв январ* يناير "
    "كانون ژانویه जनवरी 一月",
    "feb february februar* févr février febrero febbraio fev fevereiro luty lutego lutym февр "
    "феврал* "
    "فبراير شباط فوریه फरवरी फ़रवरी 二月",
    "mar march märz mars marzo março mrt maart marzec marca marcu март* مارس آذار मार्च 三月",
    "apr april* avr avril abr abril aprile kwie* апр апрел* أبريل ابريل إبريل نيسان آوریل अप्रैल "
    "四月",
    "may mai mayo mag maggio maio maj maja mei май мая мае مايو أيار مه मई 五月",
    "jun june juni juin junio giu giugno junho czerw* июн июнь июня июне يونيو حزيران ژوئن जून 六月",
    "jul july juli juil juillet julio lug luglio julho lipiec lipca lipcu июл июль июля июле يوليو "
    "تموز ژوئیه जुलाई 七月",
    "aug august* août aout agosto augusti augustus sierp* авг август* أغسطس اغسطس آب اوت अगस्त "
    "八月",
    "sep sept september* septembre septiembre settembre setembro wrześ* сент сентябр* "
    "سبتمبر "
    "أيلول سپتامبر सितंबर सितम्बर 九月",
    "oct october oktober* okt octobre octubre ott ottobre outubro paźdz* окт октябр* أكتوبر "
    "اكتوبر "
    "تشرين اکتبر अक्टूबर अक्तूबर 十月",
    "nov november* novembre noviembre novembro listopad* нояб ноябр* نوفمبر تشرين نوامبر नवंबर "
    "नवम्बर 十一月",
    "dec december* desember dez dezember* déc décembre dic diciembre dicembre dezembro grud* дек "
    "декабр* "
    "ديسمبر كانون دسامبر दिसंबर दिसम्बर 十二月"};

}  // namespace

std::bitset<kMonths> months_named_in(std::string_view text) {
  const std::string small = text::lower_case(text);
  std::vector<std::string> words;  // runs of letters
  bool inside = false;
  text::each_code_point(small, [&](const text::CodePoint& point, std::string_view bytes) {
    const bool letter = text::is_letter(point.value);
    if (letter && !inside) words.emplace_back();
    if (letter) words.back() += bytes;
    inside = letter;
  });
  const auto is_there = [&](std::string_view name) {
    const bool is_beginning = name.ends_with('*');
    if (is_beginning) name.remove_suffix(1);
    const text::Script script = text::script_of(text::code_point_at(name, 0).value);
    // Devanagari has signs inside of words that are no letters.
    if (text::has_no_blanks(script) || script == text::Script::devanagari)
      return small.find(name) != small.npos;
    return std::ranges::any_of(words, [&](const std::string& word) {
      return is_beginning ? word.starts_with(name) : word == name;
    });
  };
  std::bitset<kMonths> out;
  for (std::size_t month = 0; month < kMonths; ++month)
    out[month] = std::ranges::any_of(split_words(kNames[month]), is_there);
  return out;
}

}  // namespace heed::study
