// JSON of strangers: every mistake is one line that names file and key.
#include "exchange/json_object.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "message.h"
#include "temporary_folder.h"

namespace heed::exchange {
namespace {

using ::testing::ElementsAre, ::testing::HasSubstr;

std::string refusal_of_pieces(const std::string& text) {
  return message_of<UserError>([&] { pieces_in(json_in(text, "vocab.json"), "vocab.json"); });
}

TEST(JsonObjects, HaveValuesOfTheKindThatIsWanted) {
  const TemporaryFolder folder;
  folder.write("config.json",
               R"({"width": 12, "rate": 0.5, "on": true, "name": "x", "none": null, "odd": []})");
  const JsonObject object(Package(folder.path()), "config.json");
  EXPECT_EQ(object.number("width"), 12);
  EXPECT_EQ(object.number("other", 7), 7);
  EXPECT_EQ(object.number("none", 7), 7);
  EXPECT_EQ(object.real("rate", 0), 0.5);
  EXPECT_EQ(object.real("width", 0), 12);
  EXPECT_TRUE(object.flag("on", false));
  EXPECT_EQ(object.text("name", ""), "x");
  const auto wrong = [&](const auto& ask) { return message_of<UserError>(ask); };
  EXPECT_THAT(wrong([&] { object.number("rate"); }), HasSubstr("'rate' is 0.5"));
  EXPECT_THAT(wrong([&] { object.number("missing"); }), HasSubstr("has no 'missing'"));
  EXPECT_THAT(wrong([&] { object.flag("odd", true); }), HasSubstr("true or false"));
  EXPECT_THAT(wrong([&] { object.text("width", ""); }), HasSubstr("config.json"));
}

TEST(JsonObjects, OfNoJsonOrTooDeepOnesAreRefused) {
  EXPECT_THAT(message_of<UserError>([&] { json_in("{", "x.json"); }),
              HasSubstr("x.json: is no JSON: "));
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_EQ(message_of<UserError>([&] { json_in(deep, "x.json"); }),
            "x.json: is JSON nested deeper than 100 lists and objects");
}

TEST(JsonObjects, PiecesStandAtTheirIds) {
  EXPECT_THAT(pieces_in(json_in(R"({"b": 3, "a": 0})", "v"), "v"), ElementsAre("a", "", "", "b"));
  EXPECT_THAT(pieces_in(json_in(R"(["x", "y"])", "v"), "v"), ElementsAre("x", "y"));
  EXPECT_THAT(refusal_of_pieces(R"({"a": 1, "b": 1})"), HasSubstr("the same id, 1"));
  for (const char* id : {"-1", "2000000", "1.5", "\"1\"", "1e30"})
    EXPECT_THAT(refusal_of_pieces(std::string(R"({"a": )") + id + "}"), HasSubstr("'a'")) << id;
  EXPECT_THAT(refusal_of_pieces(R"(["x", 1])"), HasSubstr("piece 1 is no text"));
  EXPECT_THAT(refusal_of_pieces("7"), HasSubstr("vocab.json"));
}

}  // namespace
}  // namespace heed::exchange
