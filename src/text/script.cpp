#include "text/script.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "text/characters.h"
#include "text/utf8.h"

namespace heed::text {
namespace {

using enum Script;

struct Begin {
  char32_t first;
  Script script;
};

/// The code points where letters of a script begin, in the order of Unicode 15, and where they end
/// (none). The script's combining marks are among them.
constexpr Begin kBegins[] = {
    {0x41, latin},           {0x5B, none},       {0x61, latin},          {0x7B, none},
    {0xAA, latin},           {0xAB, none},       {0xBA, latin},          {0xBB, none},
    {0xC0, latin},           {0xD7, none},       {0xD8, latin},          {0xF7, none},
    {0xF8, latin},           {0x2B0, none},      {0x370, greek},         {0x374, none},
    {0x376, greek},          {0x378, none},      {0x37B, greek},         {0x37E, none},
    {0x37F, greek},          {0x380, none},      {0x386, greek},         {0x387, none},
    {0x388, greek},          {0x400, cyrillic},  {0x530, none},          {0x531, armenian},
    {0x557, none},           {0x561, armenian},  {0x588, none},          {0x591, hebrew},
    {0x5F3, none},           {0x620, arabic},    {0x660, none},          {0x66E, arabic},
    {0x6D4, none},           {0x6D5, arabic},    {0x6F0, none},          {0x6FA, arabic},
    {0x700, none},           {0x710, other},     {0x750, arabic},        {0x780, other},
    {0x7B2, none},           {0x7CA, other},     {0x7F6, none},          {0x8A0, arabic},
    {0x900, devanagari},     {0x964, none},      {0x971, devanagari},    {0x980, bengali},
    {0x9E4, none},           {0xA01, gurmukhi},  {0xA5F, none},          {0xA70, gurmukhi},
    {0xA77, none},           {0xA81, gujarati},  {0xAE4, none},          {0xB01, oriya},
    {0xB64, none},           {0xB82, tamil},     {0xBD8, none},          {0xC00, telugu},
    {0xC64, none},           {0xC80, kannada},   {0xCE4, none},          {0xD00, malayalam},
    {0xD64, none},           {0xD81, sinhala},   {0xDF4, none},          {0xE01, thai},
    {0xE3B, none},           {0xE40, thai},      {0xE4F, none},          {0xE81, lao},
    {0xECE, none},           {0xEDC, lao},       {0xEE0, none},          {0xF40, tibetan},
    {0xFBD, none},           {0x1000, burmese},  {0x1040, none},         {0x1050, burmese},
    {0x1090, none},          {0x10A0, georgian}, {0x1100, hangul},       {0x1200, ethiopic},
    {0x135B, none},          {0x13A0, other},    {0x13FE, none},         {0x1401, other},
    {0x166D, none},          {0x1780, khmer},    {0x17D4, none},         {0x1820, other},
    {0x18AB, none},          {0x1C90, georgian}, {0x1CC0, none},         {0x1E00, latin},
    {0x1F00, greek},         {0x1FFF, none},     {0x2D30, other},        {0x2D80, none},
    {0x3041, han_and_kana},  {0x30A0, none},     {0x30A1, han_and_kana}, {0x3100, none},
    {0x3131, hangul},        {0x318F, none},     {0x31F0, han_and_kana}, {0x3200, none},
    {0x3400, han_and_kana},  {0x4DC0, none},     {0x4E00, han_and_kana}, {0xA000, none},
    {0xAC00, hangul},        {0xD7A4, none},     {0xF900, han_and_kana}, {0xFB00, latin},
    {0xFB07, none},          {0xFB1D, hebrew},   {0xFB50, arabic},       {0xFE00, none},
    {0xFE70, arabic},        {0xFEFD, none},     {0xFF21, latin},        {0xFF3B, none},
    {0xFF41, latin},         {0xFF5B, none},     {0xFF66, han_and_kana}, {0xFFA0, none},
    {0x20000, han_and_kana}, {0x323B0, none}};
static_assert(std::ranges::is_sorted(kBegins, {}, &Begin::first));

constexpr std::array<const char*, kScripts> kScriptNames = {
    // by the value of Script
    "no script",     "Latin",
    "Greek",         "Cyrillic",
    "Armenian",      "Hebrew",
    "Arabic",        "Devanagari",
    "Bengali",       "Gurmukhi",
    "Gujarati",      "Oriya",
    "Tamil",         "Telugu",
    "Kannada",       "Malayalam",
    "Sinhala",       "Thai",
    "Lao",           "Tibetan",
    "Burmese",       "Georgian",
    "Ethiopic",      "Khmer",
    "Hangul",        "Chinese or Japanese",
    "another script"};

}  // namespace

Script script_of(char32_t c) {
  const auto* next = std::ranges::upper_bound(kBegins, c, {}, &Begin::first);
  return next == std::begin(kBegins) ? none : std::prev(next)->script;
}

bool has_no_blanks(Script script) {
  return script == thai || script == lao || script == tibetan || script == burmese ||
         script == khmer || script == han_and_kana;
}

bool is_in_word(char32_t c) {
  return !is_space(c) && !is_punctuation(c) && c != U'\u2581' && !has_no_blanks(script_of(c));
}

const char* name_of(Script script) {
  return kScriptNames[static_cast<std::size_t>(script)];
}

}  // namespace heed::text
