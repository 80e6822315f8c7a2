// native SETTINGS WEIGHTS SOURCE TARGET < QUESTIONS: what heed.wasm answers, by the same code on
// this processor with the loops for any, with the files of a page's model; without arguments, what
// is said of characters, in one number. For tests/web/test_web.py.
#include <iostream>

#include "base/files.h"
#include "engine/weights.h"
#include "kernels/rows/versions.h"
#include "web/alone.h"
#include "web/characters.h"

namespace heed::kernels {

// This processor stands in for the one that the library finds.
const Processor& processor() {
  static const Processor plain;
  return plain;
}
bool has_amx() {
  return false;
}

}  // namespace heed::kernels

int main(int count, char** arguments) {
  using namespace heed;
  if (count == 1) {
    std::cout << text::hash_of_all_characters() << "\n";
    return 0;
  }
  web::Alone model(web::settings_from(read_file(arguments[1])),
                   engine::read_weights(arguments[2]).weights, text::Vocabulary::load(arguments[3]),
                   text::Vocabulary::load(arguments[4]));
  for (std::string line; std::getline(std::cin, line);) std::cout << model.answer(line) << "\n";
}
