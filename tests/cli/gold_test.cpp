// Gold alignments that count words from 1.
#include <string>
#include <vector>

#include "cli/program.h"
#include "cli/toy.h"

namespace heed::cli {
namespace {

TEST(Gold, MayCountWordsFromOne) {
  const TemporaryFolder folder;
  const std::string source = Toy::get().folder / "test.src",
                    target = Toy::get().folder / "test.tgt", rnn = Toy::get().rnn;
  const auto links_from = [&](std::size_t first) {
    return folder.write("gold." + std::to_string(first), reversal_links(source, first));
  };
  const auto run = [&](const std::string& command, std::vector<std::string> options) {
    options.insert(options.begin(), {command, rnn, "--source", source, "--target", target});
    return run_heed(options);
  };
  const std::string zero_based = links_from(0), one_based = links_from(1);
  EXPECT_EQ(product(run("align", {"--json", "--gold", one_based, "--one-based"})),
            product(run("align", {"--json", "--gold", zero_based})));
  for (const char* command : {"align", "heads", "faithful"})
    expect_mistake(run(command, {"--gold", one_based}), {"is outside a sentence", "--one-based"});
  expect_mistake(run("align", {"--gold", zero_based, "--one-based"}),
                 {"is no alignment link", "counting from 1"});
  expect_mistake(run("align", {"--one-based"}), {"--one-based", "--tune-gold"});
}

}  // namespace
}  // namespace heed::cli
