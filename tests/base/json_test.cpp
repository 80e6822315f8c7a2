// JSON of others: what is nested too deep is refused before anything is built of it.
#include "base/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "message.h"

namespace heed {
namespace {

using ::testing::StartsWith;

std::string nested(std::size_t depth, const std::string& open, const std::string& close,
                   const std::string& inner = "") {
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) text += open;
  text += inner;
  for (std::size_t i = 0; i < depth; ++i) text += close;
  return text;
}

std::string fault_of(const std::string& text) {
  return message_of<UserError>([&] { json_of(text); });
}

const char* const kTooDeep = "JSON nested deeper than 100 lists and objects";

TEST(Json, MayBeAHundredDeepAndNoDeeper) {
  EXPECT_EQ(json_of(nested(100, "[", "]")).dump(), nested(100, "[", "]"));
  EXPECT_EQ(json_of(nested(99, "{\"a\":", "}", "[1]"))["a"]["a"].size(), 1U);
  EXPECT_EQ(fault_of(nested(101, "[", "]")), kTooDeep);
  EXPECT_EQ(fault_of(nested(100, "{\"a\":", "}", "[1]")), kTooDeep);
  EXPECT_EQ(fault_of(nested(50, "[{\"a\":", "}]", "[]")), kTooDeep);
  for (const std::size_t depth : {101, 100'000}) {
    EXPECT_TRUE(json_or_discarded(nested(depth, "[", "]")).is_discarded());
    EXPECT_TRUE(json_or_discarded(nested(depth, "[", "")).is_discarded());
    EXPECT_TRUE(json_or_discarded<nlohmann::ordered_json>(nested(depth, "[", "]")).is_discarded());
  }
}

TEST(Json, LiesInDepthAloneNotInLength) {
  EXPECT_EQ(json_of("[" + nested(1000, "[],", "", "{}") + "]").size(), 1001U);
  EXPECT_EQ(json_of("[\"" + nested(101, "[{", "") + "\"]")[0], nested(101, "[{", ""));
  // The quotation mark that ends a text is the first one without an odd number of \ before it.
  EXPECT_EQ(json_of("[\"\\\"" + nested(101, "[", "") + "\\\\\", []]").size(), 2U);
  EXPECT_EQ(fault_of("[\"\\\\\", " + nested(100, "[", "]") + "]"), kTooDeep);
}

TEST(Json, TellsWhereItIsNone) {
  EXPECT_THAT(fault_of("{\"q\": "), StartsWith("no JSON: parse error at line 1, column 7: "));
  EXPECT_THAT(fault_of("[1e999]"), StartsWith("no JSON: number overflow"));
  EXPECT_THAT(fault_of("[\"\xff\"]"), StartsWith("no JSON: parse error at line 1"));
  for (const char* text : {"", "[", "[1e999]", "[\"\xff\"]", "[1] 2"})
    EXPECT_TRUE(json_or_discarded(text).is_discarded()) << text;
}

}  // namespace
}  // namespace heed
