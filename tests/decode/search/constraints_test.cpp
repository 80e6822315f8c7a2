// Searches with terms, of steps whose probabilities stand in a table.
#include "decode/search/constraints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "decode/search/search.h"

namespace heed::decode {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Pieces = std::vector<int32_t>;

constexpr int32_t kA = 4, kB = 5, kC = 6;
constexpr int64_t kTablePieces = 7;
constexpr int64_t kEndless = 1000;

/// P(next | last piece): of each last piece a row with eos, a, b and c.
using Table = std::vector<std::array<double, 4>>;

/// The same row, whatever came before.
Table always(const std::array<double, 4>& row) {
  return Table(kTablePieces, row);
}

struct TableSteps : Steps {
  explicit TableSteps(std::vector<Table> of_sentences) : tables(std::move(of_sentences)) {
    for (std::size_t i = 0; i < tables.size(); ++i) sentences.push_back(static_cast<int64_t>(i));
  }

  StepResult step(const StepRequest& request) override {
    if (!request.sentences.empty()) engine_choose(request.sentences);
    const auto rows = std::ssize(request.tokens);
    std::vector<float> values(rows * kTablePieces, kNever);
    for (int64_t row = 0; row < rows; ++row) {
      const auto& from = tables[sentences[row / request.width]][request.tokens[row]];
      for (int64_t i = 0; i < 4; ++i)
        if (i > 0 || request.may_end)
          values[row * kTablePieces + text::kEnd + i] = static_cast<float>(std::log(from[i]));
    }
    for (const ForcedPiece& one : request.forced)
      for (int64_t i = 0; i < request.width * kTablePieces; ++i)
        if (i % kTablePieces != one.piece)
          values[one.sentence * request.width * kTablePieces + i] = kNever;
    for (const NextPiece& one : request.forbidden)
      values[one.row * kTablePieces + one.piece] = kNever;
    StepResult result;
    result.candidates =
        best_candidates({.values = values.data(), .rows = rows, .vocabulary = kTablePieces},
                        request.candidates, kThreads);
    for (const NextPiece& one : request.required)
      result.required.push_back(values[one.row * kTablePieces + one.piece]);
    return result;
  }
  const engine::Threads& threads() const override { return kThreads; }

  void engine_choose(std::span<const int64_t> chosen) {
    std::vector<int64_t> left;
    for (const int64_t i : chosen) left.push_back(sentences[i]);
    sentences = left;
  }

  static const engine::Threads kThreads;
  std::vector<Table> tables;
  std::vector<int64_t> sentences;  // that are left
};

const engine::Threads TableSteps::kThreads = [](int64_t count, int64_t, const auto& work) {
  work(0, count);
};

SearchOptions options_of(int64_t beam, LengthPenalty penalty = LengthPenalty::none) {
  SearchOptions options;
  options.config.beam_size = beam;
  options.config.length_penalty = penalty;
  return options;
}

/// The translations of sources of one piece, each of at most ten more than three pieces.
std::vector<std::vector<Hypothesis>> search_tables(const std::vector<Table>& tables,
                                                   const SearchOptions& options,
                                                   int64_t longest = kEndless) {
  TableSteps steps(tables);
  return search(steps, std::vector<int64_t>(tables.size(), 2), options, longest);
}

Hypothesis best_with(const std::vector<TermPieces>& terms, const Table& table,
                     SearchOptions options = options_of(5), int64_t longest = kEndless) {
  options.terms = {terms};
  return search_tables({table}, options, longest).at(0).at(0);
}

const Table kEven = always({0.3, 0.5, 0.1, 0.1});

TEST(SearchWithTerms, FindsTheLikeliestTranslationThatHasThem) {
  EXPECT_THAT(best_with({}, kEven).ids, IsEmpty());
  const Hypothesis one = best_with({{{kB}}}, kEven);
  EXPECT_THAT(one.ids, ElementsAre(kB));
  EXPECT_NEAR(one.log_probability, std::log(0.1 * 0.3), 1e-6);
  EXPECT_EQ(one.missing, 0);
  EXPECT_FALSE(one.cut);
  // b c and c b are as likely: the lower piece comes first.
  EXPECT_THAT(best_with({{{kC}}, {{kB}}}, kEven).ids, ElementsAre(kB, kC));
  EXPECT_THAT(best_with({{{kC, kB}}}, kEven).ids, ElementsAre(kC, kB));
}

TEST(SearchWithTerms, OverlappingTermsShareTheirPieces) {
  const Hypothesis found = best_with({{{kA, kB}}, {{kB, kC}}}, kEven, options_of(5));
  EXPECT_THAT(found.ids, ElementsAre(kA, kB, kC));
  EXPECT_NEAR(found.log_probability, std::log(0.5 * 0.1 * 0.1 * 0.3), 1e-6);
}

// b is 0.1 * 0.3, and a a is 0.5 * 0.5 * 0.3.
TEST(SearchWithTerms, AnyTargetObeysATerm) {
  EXPECT_THAT(best_with({{{kB}, {kA, kA}}}, kEven, options_of(3)).ids, ElementsAre(kA, kA));
}

// After b comes c, which makes another word of it: b is 0.1 * 0.05, and b c is 0.1 * 0.9 * 0.3.
TEST(SearchWithTerms, ATermIsAWholeWordWherePiecesAreInsideOne) {
  Table table = kEven;
  table[kB] = {0.05, 0.03, 0.02, 0.9};
  EXPECT_THAT(best_with({{{kB}}}, table).ids, ElementsAre(kB, kC));
  SearchOptions options = options_of(5);
  const std::vector<char> inside = {0, 0, 0, 0, 0, 0, 1};
  options.inside_words = inside;
  EXPECT_THAT(best_with({{{kB}}}, table, options).ids, ElementsAre(kB));
}

TEST(SearchWithTerms, TakesTheLastRoomForThem) {
  const Table never_b = always({0.4, 0.5, 1e-9, 0.1});
  EXPECT_THAT(best_with({{{kB, kB}}}, never_b, options_of(2, LengthPenalty::average), 3).ids,
              ElementsAre(kB, kB));
}

TEST(SearchWithTerms, TellsHowManyAreMissing) {
  // One step, and no room for two pieces: the likeliest end stays.
  const Hypothesis short_of = best_with({{{kB, kC}}, {{kA, kA}}}, kEven, options_of(3), 1);
  EXPECT_THAT(short_of.ids, IsEmpty());
  EXPECT_EQ(short_of.missing, 2);
  EXPECT_FALSE(short_of.cut);
  // Two steps: with both pieces there is no room for the end.
  const Hypothesis cut = best_with({{{kB, kC}}}, kEven, options_of(3), 2);
  EXPECT_THAT(cut.ids, ElementsAre(kB, kC));
  EXPECT_EQ(cut.missing, 0);
  EXPECT_TRUE(cut.cut);
  // No piece may come twice; of b and c c only b can be there.
  SearchOptions once = options_of(3);
  once.config.no_repeat_ngram = 1;
  const Hypothesis banned = best_with({{{kB}}, {{kC, kC}}}, kEven, once);
  EXPECT_EQ(banned.missing, 1);
  EXPECT_THAT(banned.ids, testing::Contains(kB));
}

TEST(SearchWithTerms, APrefixMayHaveThem) {
  SearchOptions options = options_of(5);
  options.prefixes = {{kA, kB}};
  EXPECT_THAT(best_with({{{kB}}}, kEven, options).ids, ElementsAre(kA, kB));
  EXPECT_THAT(best_with({{{kB, kC}}}, kEven, options).ids, ElementsAre(kA, kB, kC));
}

struct RandomTerms {
  std::mt19937 random;

  int number(int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random);
  }
  Table table() {
    Table out(kTablePieces);
    for (auto& row : out) {
      double sum = 0;
      for (double& one : row) sum += one = number(1, 100);
      for (double& one : row) one /= sum;
    }
    return out;
  }
  std::vector<TermPieces> terms(int most) {
    std::vector<TermPieces> out(number(0, most));
    for (TermPieces& term : out)
      for (int targets = number(1, 2); targets > 0; --targets) {
        Pieces& target = term.emplace_back(number(1, 3));
        for (int32_t& piece : target) piece = number(kA, kC);
      }
    return out;
  }
};

bool has(const Pieces& ids, const Pieces& target) {
  return !std::ranges::search(ids, target).empty();
}

bool obeys(const Pieces& ids, const std::vector<TermPieces>& terms) {
  return std::ranges::all_of(terms, [&](const TermPieces& term) {
    return std::ranges::any_of(term, [&](const Pieces& target) { return has(ids, target); });
  });
}

/// The most probable sequence of at most `left` pieces more that obeys, by trying all.
void try_all(const Table& table, const std::vector<TermPieces>& terms, const Pieces& ids,
             double log_probability, int64_t left, double& best) {
  const auto& row = table[ids.empty() ? text::kBegin : ids.back()];
  if (obeys(ids, terms)) best = std::max(best, log_probability + std::log(row[0]));
  for (int32_t piece = kA; left > 0 && piece <= kC; ++piece) {
    Pieces longer = ids;
    longer.push_back(piece);
    try_all(table, terms, longer, log_probability + std::log(row[piece - text::kEnd]), left - 1,
            best);
  }
}

TEST(SearchWithTerms, IsExactWithAWideBeam) {
  RandomTerms draw{std::mt19937(11)};
  for (int trial = 0; trial < 60; ++trial) {
    const Table table = draw.table();
    const std::vector<TermPieces> terms = draw.terms(2);
    double best = -INFINITY;
    try_all(table, terms, {}, 0, 5, best);
    const Hypothesis found = best_with(terms, table, options_of(900), 6);
    if (best == -INFINITY) continue;
    EXPECT_NEAR(found.log_probability, best, 1e-4) << trial;
    EXPECT_EQ(found.missing, 0);
    EXPECT_TRUE(obeys(found.ids, terms));
  }
}

TEST(SearchWithTerms, HasAllOfThemInEveryHypothesisAndTheSameBitsInAnyBatch) {
  RandomTerms draw{std::mt19937(5)};
  for (int trial = 0; trial < 40; ++trial) {
    SearchOptions options = options_of(draw.number(2, 7), LengthPenalty::average);
    options.config.n_best = 2;
    std::vector<Table> tables;
    for (int i = 0; i < 5; ++i) {
      tables.push_back(draw.table());
      options.terms.push_back(draw.terms(3));
    }
    const auto together = search_tables(tables, options);
    for (std::size_t i = 0; i < tables.size(); ++i) {
      SearchOptions alone = options;
      alone.terms = {options.terms[i]};
      const auto one = search_tables({tables[i]}, alone).at(0);
      ASSERT_EQ(one.size(), 2U);
      for (std::size_t k = 0; k < 2; ++k) {
        EXPECT_EQ(one[k].ids, together[i][k].ids);
        EXPECT_EQ(one[k].log_probability, together[i][k].log_probability);
        EXPECT_TRUE(obeys(one[k].ids, alone.terms[0])) << trial;
        EXPECT_EQ(one[k].missing, 0);
      }
      if (!alone.terms[0].empty()) continue;
      alone.terms.clear();
      const auto free = search_tables({tables[i]}, alone).at(0);
      EXPECT_EQ(free[0].ids, one[0].ids);
      EXPECT_EQ(free[1].log_probability, one[1].log_probability);
    }
  }
}

TEST(TermAutomatonStates, CountWhatIsLeft) {
  // a b c or b; a a.
  TermAutomaton terms({{{kA, kB, kC}, {kB}}, {{kA, kA}}}, {});
  using State = TermAutomaton::StatePtr;
  const auto expect = [](const State& state, int64_t missing, int64_t left,
                         const Pieces& required) {
    EXPECT_EQ(state->lacking, (TermAutomaton::MissingTerms{missing, left}));
    EXPECT_EQ(state->required, required);
  };
  const State start = terms.start(), a = terms.next(*start, kA), aa = terms.next(*a, kA),
              ab = terms.next(*a, kB);
  expect(start, 2, 3, {kA, kB});
  expect(a, 2, 2, {kA, kB});
  expect(aa, 1, 1, {kA, kB});
  expect(terms.next(*aa, kB), 0, 0, {});
  expect(ab, 1, 2, {kA});
  expect(terms.next(*ab, kC), 1, 2, {kA});
  expect(terms.next(*start, kC), 2, 3, {kA, kB});
}

TEST(TermAutomatonStates, TakeATermBackWhoseWordGoesOn) {
  const std::vector<char> inside = {0, 0, 0, 0, 0, 1, 0};
  TermAutomaton terms({{{kA}}, {{kA, kB, kC}}}, inside);  // b goes on with a word
  const auto a = terms.next(*terms.start(), kA), ab = terms.next(*a, kB);
  EXPECT_EQ(a->lacking, (TermAutomaton::MissingTerms{1, 3}));  // a stays a word: a b c is to come
  EXPECT_EQ(ab->lacking, (TermAutomaton::MissingTerms{2, 2}));
  EXPECT_EQ(terms.after(*a, text::kEnd).missing, 1);
}

TEST(TermAutomatonStates, BeginNoTermWithinAWord) {
  // Text that another program has cut: after a@@ the word goes on.
  const std::vector<char> before_more = {0, 0, 0, 0, 1, 0, 0};
  const TermAutomaton terms({{{kB}}, {{kA, kC}}, {{kC, kB}}}, {}, before_more);
  const auto walk = [&](const Pieces& ids) {
    auto state = terms.start();
    for (const int32_t piece : ids) {
      const auto after = terms.after(*state, piece);
      state = terms.next(*state, piece);
      EXPECT_EQ(after, state->lacking);
    }
    return state;
  };
  using Lacking = TermAutomaton::MissingTerms;
  EXPECT_EQ(walk({kB})->lacking, (Lacking{2, 4}));
  EXPECT_EQ(walk({kA, kB})->lacking, (Lacking{3, 5}));          // a@@ b is another word
  EXPECT_EQ(walk({kA, kB, kB})->lacking, (Lacking{2, 4}));      // and the next one the term
  EXPECT_EQ(walk({kA, kC})->lacking, (Lacking{2, 3}));          // a@@ c, which begins no c b
  EXPECT_EQ(walk({kA, kC, kB})->lacking, (Lacking{1, 2}));      // b has come; c b has not
  EXPECT_EQ(walk({kA, kA, kC})->lacking, (Lacking{3, 5}));      // a@@ a@@ c is another word
  EXPECT_EQ(walk({kA, kC, kC, kB})->lacking, (Lacking{0, 0}));  // all three
  EXPECT_THAT(walk({})->required, ElementsAre(kA, kB, kC));
  EXPECT_THAT(walk({kA})->required, ElementsAre(kC));
  EXPECT_THAT(walk({kA, kA})->required, IsEmpty());
}

// The steps of walks by pieces that are drawn.
TEST(TermAutomatonStates, StandAsTheirHypotheses) {
  RandomTerms draw{std::mt19937(3)};
  for (int trial = 0; trial < 50; ++trial) {
    const std::vector<TermPieces> all = draw.terms(4);
    const TermAutomaton terms(all, {});
    auto state = terms.start();
    for (Pieces ids; ids.size() < 7;) {
      ids.push_back(draw.number(kA, kC));
      const auto before = state;
      state = terms.next(*state, ids.back());
      EXPECT_EQ(terms.after(*before, ids.back()), state->lacking);
      EXPECT_EQ(state->lacking.missing, std::ranges::count_if(all, [&](const TermPieces& term) {
                  return !obeys(ids, {term});
                }));
      if (state->lacking.missing == 0) {
        EXPECT_EQ(state->lacking.left, 0);
        continue;
      }
      EXPECT_TRUE(std::ranges::any_of(state->required, [&](int32_t piece) {
        return terms.after(*state, piece).left < state->lacking.left;
      }));
    }
  }
}

// There are 1,000 terms: a table of states of all candidates would take gigabytes.
TEST(TermAutomatonStates, AreKeptForHypothesesAlone) {
  std::vector<TermPieces> many;
  for (int32_t piece = 0; piece < 1000; ++piece) many.push_back({{piece, 1000 - piece, 7}});
  const TermAutomaton terms(many, {});
  auto state = terms.start();
  for (int32_t step = 0; step < 300; ++step) {
    for (int repeat = 0; repeat < 5; ++repeat)
      for (const int32_t piece : state->required)
        ASSERT_GE(terms.after(*state, piece).missing, 900);
    state = terms.next(*state, step % 3 == 0 ? step / 3 : step % 3 == 1 ? 1000 - step / 3 : 7);
  }
  EXPECT_EQ(state->lacking, (TermAutomaton::MissingTerms{900, 2700}));
}

TEST(Allocate, TakesFromEachBankInTurn) {
  const TermAutomaton::MissingTerms none{1, 2}, b{1, 1}, bc{0, 0};
  std::vector<Continuation> choices = {{0, kA, -1, -1, none}, {0, kB, -5, -5, b},
                                       {1, kA, -2, -2, none}, {1, kC, -9, -9, bc},
                                       {1, kB, -6, -6, b},    {2, kA, -3, -3, none}};
  const auto totals = [&](int64_t room) {
    std::vector<Continuation> taken = choices;
    allocate(taken, room);
    std::vector<double> out;
    for (const Continuation& one : taken) out.push_back(one.total);
    return out;
  };
  EXPECT_THAT(totals(2), ElementsAre(-9, -5, -1, -6, -2, -3));
  EXPECT_THAT(totals(1), ElementsAre(-9, -5, -6));
  EXPECT_THAT(totals(-1), ElementsAre(-9, -5, -1, -6, -2, -3));  // none fits
}

}  // namespace
}  // namespace heed::decode
