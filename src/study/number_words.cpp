#include "study/number_words.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/strings.h"
#include "text/characters.h"
#include "text/script.h"
#include "text/utf8.h"

namespace heed::study {
namespace {

// The entries of kWords: 0 to 10 for themselves, then 11, 12, 13 to 19 together, the tens, 100, and
// all larger powers of ten.
constexpr std::size_t kTeens = 13, kTwenty = 14, kHundred = 22, kThousand = 23;

/// Words for numbers. A word that ends with `*` is the beginning of one; one of kLong letters or
/// more may stand inside of another, as in German compounds.
constexpr std::array<const char*, 24> kWords = {
    "zero nil none null nul nulla cero noll ноль صفر शून्य 零 〇",
    "one once first single ein* erst* un une uno una um uma premi* prim* en ett een één jeden "
    "jedn* pierwsz* один одн* перв* واحد* أول* اول* یک* एक पहल* 一",
    "two second* twice both pair* couple* double* half halv* zwei* zweit* beid* doppel* deux "
    "dos dós segund* doble due doppi* dois duas två andra to anden annen begge twee tweede dwa "
    "dwie "
    "dwóch dwu* drug* два две двух двум двумя дво* втор* оба обе دو دوم اثن* ثان* مرتي* نصف* दो "
    "दूसर* दोन* 二 两 兩 双",
    "three third* thrice triple trio drei* dritt* trois* tres trés tercer* tre tré terz* três "
    "tredje drie* "
    "derde trzy trzec* trzech тре* три трёх трех سه سوم* ثلاث* ثالث* तीन तीसर* 三",
    "four* quarter* quart* vier* quatr* cuatro cuart* quatt* fyra fjärde fire fjerde czter* "
    "czwart* четыр* четв* چهار* أربع* اربع* رابع* चार चौथ* 四",
    "five fift* fünf* cinq* cinco quint* quini* cinque fem femte vijf* pięć pięci* piąt* пят* پنج* "
    "خمس* "
    "خامس* पांच* पाँच* 五",
    "six sixth* sechs* sixi* seis séis sext* sei sest* sex sjätte seks* sjette zes* sześć sześci* "
    "szóst* шест* شش* ست* سادس* छह छः छठ* 六",
    "seven* sieben* siebt* sept septi* siete séptim* sette* settim* sete sétim* sju sjunde syv* "
    "zeven* siedem* siódm* сем* седьм* هفت* سبع* سابع* सात* 七",
    "eight* acht* huit* ocho* octav* otto* ottav* oito* oitav* åtta* åtton* otte* acht* osiem* "
    "ósm* восем* восьм* هشت* ثمان* ثامن* आठ* 八",
    "nine* nint* neun* neuf neuvi* nueve noven* nove nono nona nio nionde ni niende negen* "
    "dziewię* dziewią* девят* نه نهم* تسع* تاسع* नौ नौवें 九",
    "ten tenth* decade* zehn* jahrzehnt* dix dixi* décenni* diez décim* década* dieci decim* "
    "decenni* dez tio tionde ti tiende tiår* tien* dziesię* dziesią* десят* ده دهم* دهه* عشر* عقد* "
    "عقود दस दसव* दशक* 十",
    "eleven* elf elft* onze* once undici* elva elfte elleve* ellevte jedena* одиннадц* یازده* عشر* "
    "ग्यारह* 十",
    "twelve* twelf* dozen* noon midday midnight* zwölf* dutzend* mittag* mitternacht* douz* midi "
    "minuit doce* docena* mediodía medianoche dodici* dozzin* mezzogiorno mezzanotte doze dúzia* "
    "tolv* dussin* twaalf* dwana* dwunast* двенадц* дюжин* полдень полдн* полноч* полуд* полуноч* "
    "دوازده* "
    "عشر* ظهر* बारह* 十",
    "teen* thirteen* fourteen* fifteen* sixteen* seventeen* eighteen* nineteen* dreizehn* "
    "vierzehn* fünfzehn* sechzehn* siebzehn* achtzehn* neunzehn* zehn dertien* veertien* "
    "vijftien* zestien* zeventien* achttien* negentien* dezasse* nastu nasto nastom treiz* "
    "quatorz* quinz* seiz* dix trece catorce quince dieci* tredici quattordici quindici sedici "
    "trez* catorz* dezess* dezoit* dezanov* tretton* fjorton* femton* sexton* sjutton* arton* "
    "nitton* tretten* fjorten* femten* seksten* sytten* seisten* atten* nitten* tien naście nast "
    "надцат عشر* سیزده* چهارده* پانزده* شانزده* هفده* هجده* نوزده* तेरह चौदह पंद्रह पन्द्रह सोलह "
    "सत्रह अठारह उन्नीस 十",
    "twent* zwanzig* vingt* veint* vent* vinte* tjugo* tjue* tyve* twintig* dwadzie* dwudzie* "
    "двадцат* "
    "بیست* عشر* बीस* 二",
    "thirt* dreißig* dreissig* trent* treint* trint* trettio* tredive* tretti* dertig* trzydzie* "
    "тридцат* سی ثلاث* तीस* 三",
    "fort* vierzig* quarant* cuarent* quarent* fyrtio* fyrre* førti* veertig* czterdzie* сорок* "
    "چهل* أربع* اربع* चालीस* 四",
    "fift* fünfzig* cinquant* cincuent* cinquent* femtio* halvtreds* femti* vijftig* pięćdzie* "
    "пятьдес* пятидес* پنجاه* خمس* पचास* 五",
    "sixt* sechzig* soixant* sesent* sessant* sessent* sextio* tres treds* seksti* zestig* "
    "sześćdzie* шестьдес* шестидес* شصت* ستين ستون साठ* 六",
    "sevent* siebzig* soixant* setent* settant* sjuttio* halvfjerds* sytti* zeventig* "
    "siedemdzie* семьдес* семидес* هفتاد* سبع* सत्तर* 七",
    "eight* achtzig* quatre* ochent* ottant* oitent* åttio* firs* åtti* tachtig* osiemdzie* "
    "восемьдес* восьмидес* هشتاد* ثمان* अस्सी* 八",
    "ninet* neunzig* quatre* novent* novant* nittio* halvfems* nitti* negentig* dziewięćdzie* "
    "девянос* نود* تسع* नब्बे* 九",
    "hundred* centur* cent cents cient* quinient* duzent* trezent* quinhent* ciuset centen* "
    "hundert* jahrhundert* siècle* cien ciento* siglo* cento "
    "secol* cem século* hundra* århundr* hundre* honderd* eeuw* sto setek setk* stuleci* wiek* "
    "сто сот* столет* век* صد* قرن* قرون مئة مائة مئات सौ सदी 百 世",
    "thousand* million* billion* trillion* tausend* milli* mrd tsd mille* mil miles* mila mill* "
    "tusen* tusind* duizend* tysią* тысяч* тыс милли* млн млрд триллион* هزار* میلیون* میلیارد* "
    "ألف* آلاف الف* مليون* ملايين مليار* हजार* हज़ार* लाख* करोड* करोड़* मिलियन* बिलियन* 千 万 萬 "
    "億 亿 兆"};

/// Words for a half.
constexpr std::string_view kHalf =
    "half* halv* halb* einhalb* hälfte* anderthalb* demi* moitié* medio* media mitad* mezzo mezza "
    "metà meio* meia metade* hälft* helft* anderhalf* ënhalf* enhalf* halvanden* halvannen* pół "
    "połow* półtor* пол половин* полтор* نصف* نیم* आध* डेढ़ ढाई 半";

constexpr int64_t kLong = 5;          // letters
constexpr int64_t kInCompound = 3;    // the larger part of a word such as "twintig" or "сот"
constexpr int64_t kLongInArabic = 3;  // where the article and "and" are a part of the word

}  // namespace

NumberWords::NumberWords(std::string_view text) : text_(text::lower_case(text)) {
  bool inside = false;
  text::each_code_point(text_, [&](const text::CodePoint& point, std::string_view bytes) {
    const bool letter = text::is_letter(point.value);
    if (letter && !inside) words_.emplace_back();
    if (letter) words_.back() += bytes;
    inside = letter;
  });
}

bool NumberWords::has(std::size_t entry) const {
  return has_one_of(kWords[entry]);
}

bool NumberWords::has_one_of(std::string_view list) const {
  return std::ranges::any_of(split_words(list), [&](std::string_view word) {
    const bool is_beginning = word.ends_with('*');
    if (is_beginning) word.remove_suffix(1);
    const text::Script script = text::script_of(text::code_point_at(word, 0).value);
    const bool is_inside =
        text::has_no_blanks(script) ||
        text::count_code_points(word) >= (script == text::Script::arabic ? kLongInArabic : kLong);
    if (is_inside) return text_.find(word) != std::string::npos;
    return std::ranges::any_of(words_, [&](const std::string& one) {
      return is_beginning ? one.starts_with(word) : one == word;
    });
  });
}

bool NumberWords::has_both(std::size_t larger, std::size_t smaller) const {
  if (has(larger) && has(smaller)) return true;
  if (!has_inside(text_, larger, kInCompound)) return false;
  // One word is both: "toogtyve", "doscientos".
  return std::ranges::any_of(words_, [&](const std::string& word) {
    return has_inside(word, larger, kInCompound) && has_inside(word, smaller, 2);
  });
}

bool NumberWords::has_inside(std::string_view text, std::size_t entry, int64_t least) {
  return std::ranges::any_of(split_words(kWords[entry]), [&](std::string_view word) {
    if (word.ends_with('*')) word.remove_suffix(1);
    return text::count_code_points(word) >= least && text.find(word) != text.npos;
  });
}

bool NumberWords::has_up_to_99(int64_t value) const {
  if (value <= 12) return has(static_cast<std::size_t>(value));
  if (value < 20) return has(kTeens);
  const auto tens = static_cast<std::size_t>(value / 10),
             ones = static_cast<std::size_t>(value % 10);
  const std::size_t word = kTwenty + tens - 2;
  if (ones == 0 ? has(word) : has_both(word, ones)) return true;
  // French counts on to 79 from sixty, and to 99 from four times twenty.
  constexpr std::string_view kSixty = "soixante", kEighty = "quatre-vingt";
  if (tens == 7) return text_.find(kSixty) != text_.npos && has_up_to_99(value - 60);
  return tens == 9 && text_.find(kEighty) != text_.npos && has_up_to_99(value - 80);
}

bool NumberWords::may_spell(const std::string& digits, int zeros) const {
  if (zeros < 0 || digits.size() > 3) return false;
  const int64_t value = std::stoll(digits.empty() ? "0" : digits);
  if (digits.size() == 3) {
    const auto hundreds = static_cast<std::size_t>(value / 100);
    return zeros == 0 && (hundreds == 1 ? has(kHundred) : has_both(kHundred, hundreds)) &&
           has_up_to_99(value % 100);
  }
  if (digits.size() == 1 && zeros == 1) return value == 1 ? has(10) : has_up_to_99(10 * value);
  if (zeros == 0) return has_up_to_99(value);
  if (zeros == 2 && value > 1 && value < 10)
    return has_both(kHundred, static_cast<std::size_t>(value));
  return has(zeros == 2 ? kHundred : kThousand) && (value == 1 || has_up_to_99(value));
}

bool NumberWords::may_spell_part(int denominator) const {
  if (denominator == 2) return has_one_of(kHalf) || has(2);
  return denominator < 100 && has_up_to_99(denominator);
}

}  // namespace heed::study
