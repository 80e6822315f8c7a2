// Files of torch.save(): those that PyTorch 2.11 wrote, which the fuzzer begins with, and pickles
// by hand, sound and hostile.
#include "exchange/torch_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files.h"
#include "exchange/archives.h"
#include "exchange/tensors.h"
#include "message.h"
#include "paths.h"

namespace heed::exchange {
namespace {

using model::Dtype;
using testing::bytes_of, testing::zip;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::StartsWith;

std::string saved(const std::string& name) {
  return read_file(std::string(paths::kSource) + "/tests/fuzz/seeds/pickle/" + name);
}

std::vector<float> numbers_of(const Tensor& tensor) {
  return array_of(tensor, "x").copy();
}

// Parts of pickles.

std::string text(const std::string& value) {
  return "\x8c" + std::string(1, static_cast<char>(value.size())) + value;
}

std::string number(int64_t value) {
  return std::string("\x8a\x08") + bytes_of(value);
}

std::string tuple(const std::vector<int64_t>& numbers) {
  std::string values;
  for (const int64_t value : numbers) values += number(value);
  return "(" + values + "t";
}

/// The pickle of a tensor of the storage "0".
std::string tensor(const std::vector<int64_t>& shape, const std::vector<int64_t>& strides,
                   int64_t offset = 0) {
  return "ctorch._utils\n_rebuild_tensor_v2\n((" + text("storage") + "ctorch\nFloatStorage\n" +
         text("0") + text("cpu") + number(6) + "tQ" + number(offset) + tuple(shape) +
         tuple(strides) + "\x89}tR";
}

/// A zip archive of a pickle and a storage, which by itself has six numbers.
std::string with_storage(const std::string& pickle,
                         const std::vector<float>& numbers = {0, 1, 2, 3, 4, 5}) {
  return zip({{"m/data.pkl", pickle}, {"m/data/0", bytes_of(numbers)}});
}

std::string pickle_refusal(const std::string& pickle) {
  return message_of<UserError>([&] { read_pickle({with_storage(pickle)}, "m.bin"); });
}

// torch.save() of module.state_dict() with an embedding [3, 2] that is the output's weight, too.
TEST(TorchFile, HasAStateDictionary) {
  for (const char* format : {"state_dict", "older"}) {
    const std::string file = saved(format);
    const Tensors tensors = read_pickle({file}, "m.bin");
    EXPECT_THAT(tensors, ElementsAre(Key("head.bias"), Key("head.weight"), Key("ids"),
                                     Key("shared.weight")));
    EXPECT_THAT(numbers_of(tensors.at("head.bias")), ElementsAre(.5, -1, 0));
    EXPECT_THAT(tensors.at("shared.weight").shape, ElementsAre(3, 2));
    EXPECT_THAT(numbers_of(tensors.at("shared.weight")), ElementsAre(0, 1, 2, 3, 4, 5));
    EXPECT_EQ(tensors.at("head.weight").bytes.view.data(),
              tensors.at("shared.weight").bytes.view.data());
    EXPECT_EQ(tensors.at("ids").type, Dtype::I64);
    EXPECT_THAT(tensors.at("ids").shape, ElementsAre(1, 5));
    EXPECT_EQ(tensors.at("ids").bytes.view, bytes_of(std::vector<int64_t>{0, 1, 2, 3, 4}));
  }
}

// {"epoch": 7, "lr": 0.1, "big": 2**70, "list": [1, (2, 3)], ..., "state_dict": {...}}; "w" is
// [3, 4], "t" its transpose, "row" w[1:3, ::2].
TEST(TorchFile, HasTensorsInsideOfDictionaries) {
  for (const char* format : {"nested", "nested_older", "protocol4", "protocol4_older"}) {
    const std::string file = saved(format);
    const Tensors tensors = read_pickle({file}, "m.bin");
    const auto at = [&](const std::string& name) { return tensors.at("state_dict." + name); };
    EXPECT_EQ(tensors.size(), 9) << format;
    EXPECT_THAT(numbers_of(at("w")), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
    EXPECT_THAT(at("t").shape, ElementsAre(4, 3));
    EXPECT_THAT(numbers_of(at("t")), ElementsAre(0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11));
    EXPECT_THAT(at("row").shape, ElementsAre(2, 2));
    EXPECT_THAT(numbers_of(at("row")), ElementsAre(4, 6, 8, 10));
    EXPECT_THAT(numbers_of(at("half")), ElementsAre(1, -2.5));
    EXPECT_THAT(numbers_of(at("bf16")), ElementsAre(3));
    EXPECT_THAT(at("double").shape, IsEmpty());
    EXPECT_THAT(numbers_of(at("double")), ElementsAre(1.5));
    EXPECT_EQ(at("i16").bytes.view, bytes_of<int16_t>(-7));
    EXPECT_EQ(at("bool").type, Dtype::BOOL);
    EXPECT_THAT(numbers_of(at("p")), ElementsAre(1, 1));
  }
}

TEST(TorchFile, IsRefusedWhereItIsCut) {
  for (const char* format : {"state_dict", "older"}) {
    const std::string file = saved(format);
    for (std::size_t i = 0; i + 6 < file.size(); ++i)
      EXPECT_THAT(message_of<UserError>(
                      [&] { read_pickle({std::string_view(file).substr(0, i)}, "m.bin"); }),
                  StartsWith("m.bin: "));
  }
  EXPECT_EQ(message_of<UserError>([] {
              read_pickle({zip({{"a", "b"}})}, "m.bin");
            }),
            "m.bin: no file of torch.save()");
  EXPECT_EQ(message_of<UserError>([] { read_pickle({"\x80\x02K\x07."}, "m.bin"); }),
            "m.bin: no file of torch.save()");
}

TEST(Pickle, RunsNothingThatItNames) {
  const auto names = [](const std::string& name) {
    return "m.bin: its pickle names '" + name +
           "', and heed runs nothing that a pickle names; save the model's state_dict() alone";
  };
  EXPECT_EQ(pickle_refusal("\x80\x02"
                           "cos\nsystem\n(" +
                           text("echo") + "tR."),
            names("os.system"));
  EXPECT_EQ(pickle_refusal("\x80\x04" + text("os") + text("system") + "\x93."), names("os.system"));
  EXPECT_EQ(pickle_refusal("c__builtin__\neval\n."), names("__builtin__.eval"));
  EXPECT_EQ(pickle_refusal("ca\tb\nc\n."), names("a\\tb.c"));
  EXPECT_EQ(pickle_refusal("cargparse\nNamespace\n)\x81."), names("argparse.Namespace"));
  const std::string other =
      "m.bin: its pickle has more than dictionaries, lists, texts, numbers and tensors in it "
      "(instruction 0x69); save the model's state_dict() alone";
  EXPECT_EQ(pickle_refusal("(ios\nsystem\n."), other);  // INST
  const std::string senseless = "m.bin: damaged: its pickle makes no sense";
  for (const char* pickle : {"ctorch\nFloatStorage\n)R.",               // a storage is no function
                             "ccollections\nOrderedDict\n(K\x01tR.",    // of arguments
                             "ctorch._utils\n_rebuild_tensor_v2\n)R.",  // of none
                             "ctorch._utils\n_rebuild_parameter\nK\x01\x85R.",  // of a number
                             "K\x01)R.",
                             ")Q.",
                             "K\x01Q.",  // what is no function, no storage
                             "]}b.",
                             "}b.",
                             "K\x01K\x02s.",
                             "}(K\x01u.",
                             "]K\x01K\x02s.",  // containers
                             ".",
                             "\x85.",
                             "t.",
                             "((0t.",
                             "(e.",
                             "a.",
                             "q\x01.",
                             "h\x07.",
                             "j\x07\x07\x07\x07.",
                             "R."})
    EXPECT_THAT(pickle_refusal(pickle), ::testing::AnyOf(senseless, HasSubstr("(instruction 0x")))
        << pickle;
  for (const char* pickle : {"", "\x80", "X\xff\xff\xff\xff", "\x8a\xff", "cos", "(((((("})
    EXPECT_EQ(pickle_refusal(pickle), "m.bin: truncated, or damaged") << pickle;
  for (const char* pickle : {"N.", "].", "K\x01.", "}.", "}K\x01K\x02s."})
    EXPECT_EQ(pickle_refusal(pickle), "m.bin: holds no dictionary of tensors");
}

TEST(Pickle, HasTensorsInsideOfTheirStorage) {
  const auto read = [](const std::string& made) {
    const std::string file = with_storage("}" + text("w") + made + "s.");
    return numbers_of(read_pickle({file}, "m.bin").at("w"));
  };
  EXPECT_THAT(read(tensor({2, 3}, {3, 1})), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(read(tensor({2}, {2}, 3)), ElementsAre(3, 5));
  const std::string larger =
      "m.bin: tensor 'w': damaged: a tensor is larger than what holds its numbers";
  const std::vector<int64_t> many(66, 1);
  for (const std::string& made :
       {tensor({7}, {1}), tensor({2}, {2}, 4), tensor({3}, {-1}, 2), tensor({3}, {1}, -1),
        tensor({1LL << 62, 4}, {0, 0}), tensor({2, 3}, {1}), tensor(many, many)})
    EXPECT_EQ(message_of<UserError>([&] { read(made); }), larger);
  EXPECT_EQ(pickle_refusal("}" + text("w") + tensor({1}, {1}) + "ctorch\nInt32Storage\n."),
            "m.bin: its pickle names 'torch.Int32Storage', and heed runs nothing that a pickle "
            "names; save the model's state_dict() alone");
  const std::string other = zip({{"m/data.pkl", "}" + text("w") + tensor({1}, {1}) + "s."}});
  EXPECT_EQ(message_of<UserError>([&] { read_pickle({other}, "m.bin"); }),
            "m.bin: m/data/0: no such file in the archive");
}

TEST(Pickle, MakesNoMoreThanAModel) {
  const std::string more =
      "m.bin: its dictionaries hold more than a model: damaged, or made to fill memory";
  // One that holds itself.
  EXPECT_EQ(pickle_refusal("}q\x01" + text("a") + "h\x01s."), more);
  // There are eight tuples, of which each holds the next twenty times.
  std::string twenty;
  for (int depth = 0; depth < 8; ++depth) {
    std::string items;
    for (int i = 0; i < 20; ++i)
      items += text(std::string(1, static_cast<char>('a' + i))) + "h\x01";
    twenty += "}(" + (depth == 0 ? text("w") + tensor({1}, {1}) : items) + "uq\x01";
  }
  EXPECT_EQ(pickle_refusal(twenty + "."), more);
  const std::string key(200, 'k');
  std::string long_names = "}" + text(key) + tensor({1}, {1}) + "s";
  for (int depth = 0; depth < 5; ++depth) long_names = "}" + text(key) + long_names + "s";
  EXPECT_EQ(pickle_refusal(long_names + "."), more);
  // Lists in one another, and the same numbers by many names, which are copied for each.
  const std::string lists = std::string(100'000, ']') + std::string(99'999, 'a') + ".";
  EXPECT_EQ(pickle_refusal(lists), "m.bin: holds no dictionary of tensors");
  std::string views = "}(" + text("w") + tensor({5000, 2}, {1, 5000}) + "q\x01";
  for (int i = 0; i < 100; ++i) views += text("w" + std::to_string(i)) + "h\x01";
  EXPECT_EQ(message_of<UserError>([&] {
              read_pickle({with_storage(views + "u.", std::vector<float>(10'000))}, "m.bin");
            }),
            more);
  EXPECT_EQ(pickle_refusal(std::string(1'000'001, 'N')),
            "m.bin: its pickle has too many parts for a model");
}

}  // namespace
}  // namespace heed::exchange
