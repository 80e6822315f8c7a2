// The configuration of a student.
#include "run/student.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/io.h"

namespace heed {
namespace {

data::CorpusShape corpus() {
  data::CorpusShape shape;
  shape.pairs = 29000;
  shape.source_words = shape.target_words = 370000;
  return shape;
}

run::Config student_of(const run::Config& teacher, const run::Machine& machine = {},
                       const std::string& alignment = "",
                       const std::vector<std::string>& settings = {}) {
  run::StudentRequest teaching{.teacher = "runs/old",
                               .shortlist = "runs/new/shortlist.bin",
                               .output = "runs/new",
                               .settings = settings};
  teaching.pairs.source = "taught.source";
  teaching.pairs.target = "taught.target";
  teaching.pairs.alignment = alignment;
  run::Config config;
  config::load_text(config, run::student_config(teacher, teaching, corpus(), machine), "student");
  run::check(config);
  return config;
}

run::Config transformer(int64_t width, int64_t layers) {
  run::Config teacher;
  teacher.model.type = model::ModelType::transformer;
  teacher.model.width = width;
  teacher.model.encoder_layers = layers;
  teacher.data.test.source = "test.de";
  teacher.data.test.target = "test.en";
  teacher.data.max_length = 77;
  teacher.data.noise.upper = 0.5;
  teacher.data.clean = {"duplicates"};
  return teacher;
}

TEST(Student, IsSmallAndGoesByTheTeachersVocabularyAndSets) {
  const run::Config student = student_of(transformer(512, 5));
  EXPECT_EQ(student.name, "new");
  EXPECT_EQ(student.output, "runs/new");
  EXPECT_EQ(student.model.width, 256);
  EXPECT_EQ(student.model.feed_forward, 1024);
  EXPECT_EQ(student.model.encoder_layers, 5);
  EXPECT_EQ(student.model.decoder_layers, 1);
  EXPECT_EQ(student.model.tie, model::Tie::all);
  ASSERT_EQ(student.data.train.size(), 1U);
  EXPECT_EQ(student.data.train[0].source, "taught.source");
  EXPECT_EQ(student.data.vocabulary.source, "runs/old/joint.spm");
  EXPECT_EQ(student.data.test.target, "test.en");
  EXPECT_EQ(student.data.max_length, 77);
  // Changes that were made to the teacher's corpus are not made to its translations.
  EXPECT_EQ(student.data.noise.upper, 0);
  EXPECT_TRUE(student.data.clean.empty());
  EXPECT_EQ(student.training.guided_alignment, 0);
  EXPECT_EQ(student.training.updates, 2 * run::recipe_for(corpus(), {}).updates);
  EXPECT_EQ(student.decoding.beam_size, 1);
  EXPECT_EQ(student.decoding.no_repeat_ngram, 4);
  EXPECT_EQ(student.decoding.weights, decode::WeightType::int8);
  EXPECT_EQ(student.decoding.shortlist, "runs/new/shortlist.bin");
}

TEST(Student, HasFourToSixLayersOfAtMost256Units) {
  EXPECT_EQ(student_of(transformer(128, 2)).model.width, 128);
  EXPECT_EQ(student_of(transformer(128, 2)).model.encoder_layers, 4);
  EXPECT_EQ(student_of(transformer(1024, 12)).model.encoder_layers, 6);
  const run::Config of_rnn = student_of(run::Config());
  EXPECT_EQ(of_rnn.model.type, model::ModelType::transformer);
  EXPECT_EQ(of_rnn.model.width, 256);
}

/// Whose encoder is as small as a student's.
run::Config small_transformer() {
  run::Config teacher = transformer(128, 4);
  teacher.model.heads = 2;
  teacher.model.feed_forward = 300;
  teacher.model.positions = "rotary";
  teacher.model.dropout = 0.3;
  teacher.model.hidden_size = 100;  // of other networks
  teacher.model.tie = model::Tie::all;
  return teacher;
}

TEST(Student, BeginsWithAnEncoderThatIsSmall) {
  const run::Config student = student_of(small_transformer());
  EXPECT_EQ(student.training.from, "runs/old");
  EXPECT_EQ(student.training.take,
            (std::vector<std::string>{"embedding", "output", "encoder", "source_positions"}));
  EXPECT_EQ(student.model.heads, 2);
  EXPECT_EQ(student.model.feed_forward, 300);
  EXPECT_EQ(student.model.positions, "rotary");
  EXPECT_EQ(student.model.encoder_layers, 4);
  EXPECT_EQ(student.model.decoder_layers, 1);
  EXPECT_EQ(student.model.decoder, model::DecoderKind::ssru);
  EXPECT_EQ(student.model.dropout, 0.1);
  EXPECT_EQ(student.model.hidden_size, model::ModelConfig().hidden_size);
}

TEST(Student, OfSeparateVocabulariesBeginsWithBothEmbeddings) {
  run::Config teacher = small_transformer();
  teacher.data.vocabulary.kind = data::VocabularyKind::separate;
  teacher.model.tie = model::Tie::decoder;
  EXPECT_EQ(student_of(teacher).training.take,
            (std::vector<std::string>{"source_embedding", "target_embedding", "output", "encoder",
                                      "source_positions"}));
}

TEST(Student, BeginsAnewWhereItsEncoderIsAnother) {
  for (const char* setting : {"model.width=96", "model.encoder_layers=5", "model.heads=4"}) {
    const run::Config student = student_of(small_transformer(), {}, "", {setting});
    EXPECT_EQ(student.training.from, "") << setting;
    EXPECT_TRUE(student.training.take.empty()) << setting;
    EXPECT_EQ(student.model.positions, "sinusoidal") << setting;
  }
  EXPECT_EQ(student_of(small_transformer(), {}, "", {"model.decoder=average"}).training.from,
            "runs/old");
  EXPECT_THROW(student_of(small_transformer(), {}, "", {"model.wdith=96"}), UserError);
  run::Config teacher = small_transformer();
  teacher.model.pruned_heads = {"encoder.0.1"};
  EXPECT_EQ(student_of(teacher).training.from, "");
  teacher = small_transformer();
  teacher.model.tie = model::Tie::none;
  EXPECT_EQ(student_of(teacher).training.from, "");
}

TEST(Student, OfSeparateVocabulariesTiesTheDecoderAlone) {
  run::Config teacher = transformer(256, 3);
  teacher.data.vocabulary.kind = data::VocabularyKind::separate;
  const run::Config student = student_of(teacher);
  EXPECT_EQ(student.data.vocabulary.source, "runs/old/source.spm");
  EXPECT_EQ(student.data.vocabulary.target, "runs/old/target.spm");
  EXPECT_EQ(student.model.tie, model::Tie::decoder);
}

TEST(Student, IsTaughtToAlignWhereTheTeacherCan) {
  const run::Config student = student_of(transformer(256, 3), {}, "taught.align");
  EXPECT_EQ(student.data.train[0].alignment, "taught.align");
  EXPECT_DOUBLE_EQ(student.training.guided_alignment, 0.1);
}

TEST(Student, StopsByBleuWhereThereAreValidations) {
  run::Config teacher = transformer(256, 3);
  EXPECT_EQ(student_of(teacher).training.early_stopping.metric, score::Metric::loss);
  teacher.data.valid.source = "valid.de";
  teacher.data.valid.target = "valid.en";
  EXPECT_EQ(student_of(teacher).training.early_stopping.metric, score::Metric::bleu);
}

TEST(Student, LearnsTermsWhereThereAreAlignmentsAndMayMeetLongLines) {
  run::Config teacher = transformer(256, 3);
  teacher.data.terms = 0.25;
  teacher.data.long_sentences = data::LongSentences::error;
  EXPECT_EQ(student_of(teacher).data.terms, 0);
  EXPECT_EQ(student_of(teacher, {}, "taught.align").data.terms, 0.25);
  EXPECT_EQ(student_of(teacher).data.long_sentences, data::LongSentences::drop);
}

TEST(Student, OnAGpuDecodesInThePrecisionOfItsTraining) {
  const run::Config student = student_of(transformer(256, 3), {.gpu = true});
  EXPECT_EQ(student.decoding.weights, decode::WeightType::fp32);
  EXPECT_EQ(student.decoding.shortlist, "");
}

}  // namespace
}  // namespace heed
