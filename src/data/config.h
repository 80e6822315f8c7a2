// The `data` section.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "config/schema.h"
#include "text/piece_rule.h"
#include "text/vocabulary_training.h"

namespace heed::data {

HEED_ENUM(LongSentences, (drop, "The pair is left out."), (truncate, "Its end is cut off."),
          (error, "The training does not begin."))
HEED_ENUM(VocabularyKind, (joint, "One for both languages; tying all embeddings needs it."),
          (separate, "One for each language."),
          (shared,
           "One for each language, with the same pieces under the same ids, as OPUS-MT has them; "
           "tying all embeddings works with it, too."))
HEED_ENUM(VocabularyAlgorithm, (unigram, "A unigram language model of pieces (Kudo 2018)."),
          (bpe, "Byte pair encoding: merges of frequent pairs (Sennrich et al. 2016)."),
          (pieces,
           "Those of the text, which another program has cut: what blanks separate, or what codes "
           "cut the words into."))
HEED_ENUM(Normalise, (none, "Nothing."),
          (nfc, "Letters with the marks after them are one character."),
          (nfkc, "Also one form of wide, narrow and styled characters."))

/// Flaws of a training pair (data/flaws.h), with the names that data.clean uses.
HEED_ENUM(Flaw, (duplicates, "The same as an earlier pair."),
          (empty, "A side is blank; such pairs are always left out."),
          (identical, "Both sides are the same."),
          (overlap, "A side is also in data.valid or data.test."),
          (ratio, "The ratio of the sides' lengths is above clean_ratio."),
          (script, "A side is not in the script of the rest of its file."),
          (encoding, "Characters were damaged by a wrong encoding."))
inline const std::vector<std::string>& flaw_names() {
  return heed_enum_text(Flaw{}).names;
}
inline const std::vector<std::string>& flaw_helps() {
  return heed_enum_text(Flaw{}).helps;
}

/// One pair of line-aligned files, or a file with both sides: plain, .gz or .zst.
struct CorpusFiles {
  HEED_CONFIG(CorpusFiles);
  HEED_FREE(std::string, name, "",
            "Its name, which the log (data.more_valid) or data.stages (data.train) uses.")
  HEED_FIXED(
      std::string, source, "",
      "File of the source sentences, one on each line (plain, .gz or .zst), or the texts of a "
      "translation memory in one language: memory.tmx#de. With an empty target: a .tsv file of "
      "both sides, source TAB target.")
  HEED_FIXED(std::string, target, "",
             "File of their translations, line by line; also memory.tmx#en.")
  HEED_FIXED(double, weight, 1.0,
             "How often an epoch reads the corpus: 2 reads it twice, 0.5 reads a new random half "
             "in each epoch. Only in data.train; elsewhere it is refused.",
             config::Between<double>{0.001, 1000})
  HEED_FIXED(std::string, tag, "",
             "A user-defined symbol that is put before every source line, for example <bt> before "
             "back-translations. Only in data.train; elsewhere it is refused.")
  HEED_FIXED(std::string, alignment, "",
             "File of its word alignments for training.guided_alignment, one line for each pair: "
             "i-j links source word i to target word j. Words are separated by blanks and counted "
             "from 0. Only in data.train; elsewhere it is refused.")
};

inline constexpr int64_t kFewestPieces = 16, kMostPieces = 1000000;

struct VocabularyConfig {
  HEED_CONFIG(VocabularyConfig);
  HEED_FIXED(VocabularyKind, kind, VocabularyKind::joint,
             "How many SentencePiece models there are.")
  HEED_FIXED(int64_t, size, 8000,
             "Number of pieces: more gives shorter sentences and a larger output layer.",
             config::Between<int64_t>{kFewestPieces, kMostPieces})
  HEED_FIXED(VocabularyAlgorithm, algorithm, VocabularyAlgorithm::unigram,
             "How the pieces are found: by SentencePiece, or as the text has them.")
  HEED_FIXED(std::vector<std::string>, codes, {},
             "algorithm: pieces: file of codes (BPE) of subword-nmt or fastBPE, with which heed "
             "cuts words; a second file is for the target. Without it lines are pieces already.")
  HEED_FIXED(std::string, separator, std::string(text::kUsualSeparator),
             "algorithm: pieces: the mark at the end of each piece that does not end its word.")
  HEED_FIXED(bool, split_unknown, false,
             "algorithm: pieces: take pieces that the vocabulary lacks apart into smaller ones, as "
             "subword-nmt's --vocabulary does. Needs codes.")
  HEED_FIXED(double, coverage, 1.0,
             "Share of all characters that get a piece; 0.9995 suits Chinese and Japanese.",
             config::Between<double>{text::kLeastCoverage, 1.0})
  HEED_FIXED(Normalise, normalise, Normalise::none,
             "Unicode normalisation of all text by a vocabulary that is trained. Translations have "
             "it, too.")
  HEED_FIXED(std::vector<std::string>, symbols, {},
             "User-defined symbols such as <de>. Each is one piece, which is never split. An "
             "existing vocabulary must have them.")
  HEED_FIXED(bool, byte_fallback, false,
             "A piece for each of the 256 bytes: characters without a piece are spelled in bytes "
             "instead of becoming unknown.")
  HEED_FIXED(std::string, source, "",
             "An existing SentencePiece model; with algorithm: pieces a list of pieces, one on "
             "each line. If empty, one is trained on the training corpus.")
  HEED_FIXED(std::string, target, "", "The same for the target side; empty with kind: joint.")
};

struct StageEnd {
  HEED_CONFIG(StageEnd);
  HEED_FIXED(std::string, corpus, "", "Name of the corpus of the stage whose epochs are counted.")
  HEED_FIXED(double, epochs, 0.0, "The stage ends when it has read the corpus so many times.",
             config::Between<double>{0.0, 1e6})
  HEED_FIXED(int64_t, updates, 0, "The stage ends after so many updates of its own.",
             config::Between<int64_t>{0, 1000000000})
};

/// A mixture of training corpora, read until its end (data/stages.h).
struct Stage {
  HEED_CONFIG(Stage);
  HEED_FIXED(std::vector<std::string>, corpora, {}, "Names of the training corpora that it reads.")
  HEED_FIXED(std::vector<double>, shares, {},
             "Share of each corpus in the pairs that the stage reads, relative to their sum.",
             config::EachBetween<double>{1e-6, 1e6})
  HEED_SECTION(StageEnd, until,
               "Its end: epochs of a corpus, or updates. The last stage may have none.")
};

inline constexpr config::Between<double> kShare{0.0, 1.0};

/// Changes of training pairs, drawn anew in every epoch (data/noise.h).
struct NoiseConfig {
  HEED_CONFIG(NoiseConfig);
  HEED_FIXED(double, upper, 0.0, "Share of the pairs that are in capitals, on both sides.", kShare)
  HEED_FIXED(double, title, 0.0,
             "Share of the pairs whose words all begin with a capital, on both sides.", kShare)
  HEED_FIXED(double, typos, 0.0,
             "Share of the source words with a typing mistake of one of nine kinds.", kShare)
  HEED_FIXED(double, merged, 0.0,
             "Share of the source words that are written together with the word before.", kShare)
  HEED_FIXED(double, split, 0.0, "Share of the source words with a blank inside.", kShare)
  HEED_FIXED(double, punctuation, 0.0,
             "Share of the source lines whose final punctuation is dropped, repeated, set apart by "
             "a blank, or a comma.",
             kShare)
};

struct DataConfig {
  HEED_CONFIG(DataConfig);
  HEED_FIXED(std::vector<CorpusFiles>, train, {},
             "The training corpus, or a list of several, each with its weight.")
  HEED_FIXED(std::vector<Stage>, stages, {},
             "Mixtures of the training corpora, one after another. Without them every epoch reads "
             "all corpora by their weights.")
  HEED_SECTION(NoiseConfig, noise, "Changes of training pairs, drawn anew in every epoch.")
  HEED_FIXED(double, terms, 0.0,
             "Share of the source words with one link that are followed by their translation, "
             "drawn anew in every epoch: the model learns to use terms in the source "
             "(decoding.glossary_inline). Links are those of data.train.alignment.",
             config::Between<double>{0.0, 1.0})
  HEED_FIXED(CorpusFiles, valid, {},
             "Held-out pairs that choose the best checkpoint. Without them the last checkpoint is "
             "the best.")
  HEED_FREE(std::vector<CorpusFiles>, more_valid, {},
            "More held-out pairs, each with a name. Every validation scores them, but they do not "
            "choose the best checkpoint.")
  HEED_FREE(CorpusFiles, test, {}, "Pairs scored once, after training.")
  HEED_SECTION(VocabularyConfig, vocabulary, "SentencePiece models, or the pieces of the text.")
  HEED_FIXED(
      bool, pieces, false,
      "With vocabulary.algorithm: pieces, lines are pieces that stay so: nothing is cut, and "
      "translations are not joined to words.")
  HEED_FIXED(std::string, source_language, "",
             "Source language, such as de. In a model of many languages it is the symbol in the "
             "vocabulary that is put before every source line: deu_Latn, or de for __de__ or <de>.")
  HEED_FIXED(std::string, target_language, "",
             "Target language. In a model of many languages translations begin with its symbol; "
             "one such as >>fra<< or <2fr> is put before every source line instead.")
  HEED_FIXED(bool, source_end, true,
             "Whether the model reads </s> after each source. Models of OpenNMT-py and Argos "
             "Translate were trained without it.")
  HEED_FIXED(int64_t, max_length, 256,
             "Longest sentence of the training corpus on either side, in pieces.",
             config::Between<int64_t>{1, 100000})
  HEED_FIXED(LongSentences, long_sentences, LongSentences::drop,
             "What happens to longer sentences. They are counted, and their lines are named.")
  HEED_FIXED(int64_t, max_words, 0,
             "Longest training sentence on either side, in words separated by blanks. Pairs with a "
             "longer one are left out. 0: no limit.",
             config::Between<int64_t>{0, 100000})
  HEED_FIXED(std::vector<std::string>, clean, {},
             "Training pairs to leave out, by what is wrong with them; the log counts them.",
             config::EachOneOf{flaw_names, flaw_helps})
  HEED_FIXED(double, clean_ratio, 9.0,
             "Highest ratio of the characters of the longer side to those of the shorter side.",
             config::Between<double>{1.0, 1000.0})
  HEED_FREE(double, common_words, 0.0,
            "Usual share of the words of a target that are words of its source, as in near "
            "languages: 0.43 from Danish to Norwegian. Above 0.2 the flag copied allows for it. 0: "
            "training takes it from the training corpus, if it is above 0.2.",
            config::Between<double>{0.0, 1.0})
  HEED_FIXED(double, subword_sampling, 0.0,
             "Above 0, pieces are sampled anew in every epoch. With unigram it is the smoothing of "
             "subword regularisation: smaller is more random, 0.1-0.5 is usual. With bpe it is the "
             "dropout rate of BPE-dropout: larger is more random, 0.1 is usual.",
             config::Between<double>{0.0, 1.0})
  HEED_FIXED(int64_t, pool, 100000,
             "Sentences that are shuffled, sorted by length and cut into batches together: more "
             "give less padding, fewer give a more random order.",
             config::Between<int64_t>{1, 100000000})
};

/// Every corpus that the section names, with its key: for training, validation and test, in this
/// order.
std::vector<std::pair<std::string, CorpusFiles*>> corpora_of(DataConfig& config);
std::vector<std::pair<std::string, const CorpusFiles*>> corpora_of(const DataConfig& config);

/// Whether a training corpus has a word alignment.
bool has_alignment(const DataConfig& config);
/// Whether another program has cut the lines, and heed takes their pieces as they are.
bool is_cut_already(const DataConfig& config);
/// The same, but not with data.pieces, by which each piece is a word.
bool lines_are_pieces_of_words(const DataConfig& config);

/// The symbols that the source vocabulary of the section needs: vocabulary.symbols and tags, each
/// once.
std::vector<std::string> source_symbols(const DataConfig& config);

/// "data.train" where there is one training corpus, else "data.train.0" and so on.
std::string train_key(const DataConfig& config, std::size_t number);

/// The files of a corpus for messages: "a.de + a.en", or the one file of both sides.
std::string files_text(const std::string& source, const std::string& target);

/// Throws UserError naming the key where a corpus is a stream (text::is_stream), which `who` would
/// have to read several times.
void require_files(const DataConfig& config, const std::string& who);

/// Checks the rules between fields. Throws ConfigError.
void check(const DataConfig& config);

}  // namespace heed::data
