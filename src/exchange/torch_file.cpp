// The formats of torch.save(). Since PyTorch 1.6 it writes a zip archive: NAME/data.pkl, a pickle,
// and NAME/data/KEY, the numbers of a storage. Before, it wrote pickles of a magic number, of a
// version, of the machine's properties, of the value, and of the keys of its storages; then, for
// each storage, how many numbers it has, and the numbers. A pickle is a program for a machine with
// a stack (Python's pickletools, protocols 2 to 5); only instructions that make plain values are
// run here.
#include "exchange/torch_file.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <map>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "exchange/cursor.h"
#include "exchange/package.h"
#include "exchange/tensors.h"
#include "exchange/zip_archive.h"
#include "model/description/safetensors_header.h"

namespace heed::exchange {
namespace {

using model::Dtype;

constexpr int64_t kMostInstructions = 1'000'000;  // a tensor takes some 50
constexpr int kDeepest = 8;                       // dictionaries inside dictionaries
constexpr int64_t kMostEntries = 20'000;
constexpr std::size_t kLongestKey = 1000;
// How many times the file's bytes all tensors together may have: views may have to be copied.
constexpr int64_t kMostCopies = 16;

// The only Python objects that a pickle may name, besides storages.
constexpr std::string_view kOrderedDict = "collections.OrderedDict",
                           kTensor = "torch._utils._rebuild_tensor_v2",
                           kParameter = "torch._utils._rebuild_parameter";
constexpr std::array kStorages{
    std::pair{"torch.FloatStorage", Dtype::F32}, std::pair{"torch.DoubleStorage", Dtype::F64},
    std::pair{"torch.HalfStorage", Dtype::F16},  std::pair{"torch.BFloat16Storage", Dtype::BF16},
    std::pair{"torch.LongStorage", Dtype::I64},  std::pair{"torch.IntStorage", Dtype::I32},
    std::pair{"torch.ShortStorage", Dtype::I16}, std::pair{"torch.CharStorage", Dtype::I8},
    std::pair{"torch.ByteStorage", Dtype::U8},   std::pair{"torch.BoolStorage", Dtype::BOOL}};

/// A value that a pickle describes.
struct Value {
  enum class Kind { other, number, text, sequence, dictionary, global, storage, tensor };
  Kind kind = Kind::other;     // other: None, or a number with a point
  int64_t number = 0;          // True is 1
  std::string_view text = {};  // or a storage's key, or the bytes of a number of more than 64 bits
  /// The items of a list or tuple; of a dictionary: a key, its value, the next key; of a tensor:
  /// its storage, offset, shape and strides.
  std::vector<Value*> parts = {};
};
using Kind = Value::Kind;

class Unpickler {
 public:
  /// Both arguments must outlive this object.
  Unpickler(Cursor& rest, const std::string& name) : rest_(rest), name_(name) {}

  /// Reads the next pickle, from the cursor on. Its value lives as long as this object.
  const Value& load() {
    stack_.clear();
    marks_.clear();
    memo_.clear();
    for (; instructions_ < kMostInstructions; ++instructions_) {
      const auto instruction = rest_.number<uint8_t>();
      if (instruction == '.') return *take(1)[0];
      run(instruction);
    }
    throw UserError("{}: its pickle has too many parts for a model", name_);
  }

  /// The types of the storages that were named so far, by their keys.
  const std::map<std::string_view, Dtype>& storages() const { return storages_; }

 private:
  void run(uint8_t instruction) {
    switch (instruction) {
      case 0x80:  // PROTO
      case 0x95:  // FRAME
        rest_.bytes(instruction == 0x80 ? 1 : 8);
        return;
      case 'N':
      case 'G':  // BINFLOAT
        rest_.bytes(instruction == 'N' ? 0 : 8);
        return push({});
      case 0x88:  // NEWTRUE, NEWFALSE
      case 0x89:
        return push({.kind = Kind::number, .number = instruction == 0x88});
      case 'K':  // BININT1, BININT2, BININT, LONG1
        return push({.kind = Kind::number, .number = rest_.number<uint8_t>()});
      case 'M':
        return push({.kind = Kind::number, .number = rest_.number<uint16_t>()});
      case 'J':
        return push({.kind = Kind::number, .number = rest_.number<int32_t>()});
      case 0x8a:
        return push_long(rest_.bytes(rest_.number<uint8_t>()));
      case 0x8c:  // SHORT_BINUNICODE, BINUNICODE
        return push({.kind = Kind::text, .text = rest_.bytes(rest_.number<uint8_t>())});
      case 'X':
        return push({.kind = Kind::text, .text = rest_.bytes(rest_.number<uint32_t>())});
      case '}':
        return push({.kind = Kind::dictionary});
      case ']':  // a list, or a tuple
      case ')':
        return push({.kind = Kind::sequence});
      case 0x85:  // TUPLE1, TUPLE2, TUPLE3, TUPLE
      case 0x86:
      case 0x87:
        return push({.kind = Kind::sequence, .parts = take(instruction - 0x84)});
      case 't':
        return push({.kind = Kind::sequence, .parts = take(above_mark())});
      case '(':
        return marks_.push_back(stack_.size());
      case 'a':  // APPEND, APPENDS
        return extend(Kind::sequence, 1);
      case 'e':
        return extend(Kind::sequence, above_mark());
      case 's':  // SETITEM, SETITEMS
        return extend(Kind::dictionary, 2);
      case 'u':
        return extend(Kind::dictionary, above_mark());
      case 'b':  // BUILD: attributes, which a state_dict() has
        take(1);
        return extend(Kind::dictionary, 0);
      case 'q':  // BINPUT, LONG_BINPUT, MEMOIZE
        return remember(rest_.number<uint8_t>());
      case 'r':
        return remember(rest_.number<uint32_t>());
      case 0x94:
        return remember(memo_.size());
      case 'h':  // BINGET, LONG_BINGET
        return recall(rest_.number<uint8_t>());
      case 'j':
        return recall(rest_.number<uint32_t>());
      case 'c': {  // GLOBAL, STACK_GLOBAL
        const std::string_view module = rest_.until('\n');
        return push_global(module, rest_.until('\n'));
      }
      case 0x93: {
        const auto names = take(2);
        return push_global(names[0]->text, names[1]->text);
      }
      case 'R': {
        const auto call = take(2);
        return reduce(call[0]->text, call[1]->parts);
      }
      case 'Q':  // BINPERSID
        return push_storage(take(1)[0]->parts);
      default:
        throw UserError(
            "{}: its pickle has more than dictionaries, lists, texts, numbers and "
            "tensors in it (instruction {:#x}); save the model's state_dict() alone",
            name_, instruction);
    }
  }

  void push(Value value) { stack_.push_back(&values_.emplace_back(std::move(value))); }

  void push_long(std::string_view bytes) {
    const bool fits = bytes.size() <= sizeof(int64_t);
    int64_t number = fits && !bytes.empty() && bytes.back() < 0 ? -1 : 0;
    if (fits) bytes.copy(reinterpret_cast<char*>(&number), bytes.size());
    push({.kind = Kind::number, .number = number, .text = fits ? std::string_view() : bytes});
  }

  void push_global(std::string_view module, std::string_view name) {
    const std::string full = fmt::format("{}.{}", module, name);
    for (const std::string_view known : {kOrderedDict, kTensor, kParameter})
      if (full == known) return push({.kind = Kind::global, .text = known});
    for (const auto& [known, type] : kStorages)
      if (full == known) return push({.kind = Kind::global, .text = known});
    throw UserError(
        "{}: its pickle names '{}', and heed runs nothing that a pickle names; save the model's "
        "state_dict() alone",
        name_, one_line(full));
  }

  void push_storage(const std::vector<Value*>& words) {
    require(has(words, {Kind::text, Kind::global, Kind::text}) && words[0]->text == "storage");
    const auto* type =
        std::ranges::find(kStorages, words[1]->text, &std::pair<const char*, Dtype>::first);
    require(type != kStorages.end());
    storages_[words[2]->text] = type->second;
    push({.kind = Kind::storage, .text = words[2]->text});
  }

  void reduce(std::string_view function, const std::vector<Value*>& arguments) {
    if (function == kOrderedDict) {
      require(arguments.empty());
      push({.kind = Kind::dictionary});
    } else if (function == kTensor) {
      require(has(arguments, {Kind::storage, Kind::number, Kind::sequence, Kind::sequence}));
      push({.kind = Kind::tensor, .parts = {arguments.begin(), arguments.begin() + 4}});
    } else {
      require(function == kParameter && has(arguments, {Kind::tensor}));
      stack_.push_back(arguments[0]);
    }
  }

  /// Whether the first values have these kinds.
  static bool has(const std::vector<Value*>& values, std::initializer_list<Kind> kinds) {
    return values.size() >= kinds.size() &&
           std::ranges::equal(kinds, values | std::views::take(kinds.size()), {}, {}, &Value::kind);
  }

  std::vector<Value*> take(std::size_t count) {
    require(count <= stack_.size());
    const std::vector<Value*> taken(stack_.end() - count, stack_.end());
    stack_.resize(stack_.size() - count);
    return taken;
  }

  std::size_t above_mark() {
    require(!marks_.empty() && marks_.back() <= stack_.size());
    const std::size_t count = stack_.size() - marks_.back();
    marks_.pop_back();
    return count;
  }

  void extend(Kind kind, std::size_t count) {
    const auto parts = take(count);
    require(!stack_.empty() && stack_.back()->kind == kind);
    require(kind == Kind::sequence || parts.size() % 2 == 0);
    auto& held = stack_.back()->parts;
    held.insert(held.end(), parts.begin(), parts.end());
  }

  void remember(uint64_t place) {
    require(!stack_.empty());
    memo_[place] = stack_.back();
  }

  void recall(uint64_t place) {
    const auto found = memo_.find(place);
    require(found != memo_.end());
    stack_.push_back(found->second);
  }

  void require(bool holds) const {
    if (!holds) throw UserError("{}: damaged: its pickle makes no sense", name_);
  }

  Cursor& rest_;
  const std::string& name_;
  std::map<std::string_view, Dtype> storages_;
  int64_t instructions_ = 0;
  std::deque<Value> values_;  // of all pickles: they may refer to each other in circles
  std::vector<Value*> stack_;
  std::vector<std::size_t> marks_;  // the sizes of the stack at its marks
  std::map<uint64_t, Value*> memo_;
};

/// The tensors of a dictionary, by their names.
struct StateDictionary {
  const Unpickler& pickle;
  std::map<std::string_view, Bytes> storages;  // by their keys
  int64_t bytes_left;
  const std::string& file;
  int64_t entries = 0;
  Tensors tensors = {};

  Tensors read(const Value& value) {
    if (value.kind == Kind::dictionary) add(value, "", 0);
    if (tensors.empty()) throw UserError("{}: holds no dictionary of tensors", file);
    return std::move(tensors);
  }

  void add(const Value& dictionary, const std::string& prefix, int depth) {
    for (std::size_t i = 0; i < dictionary.parts.size(); i += 2) {
      const Value &key = *dictionary.parts[i], &value = *dictionary.parts[i + 1];
      if (++entries > kMostEntries || depth > kDeepest ||
          prefix.size() + key.text.size() > kLongestKey || bytes_left < 0)
        throw UserError(
            "{}: its dictionaries hold more than a model: damaged, or made to fill memory", file);
      if (key.kind != Kind::text) continue;
      const std::string name = prefix + std::string(key.text);
      if (value.kind == Kind::dictionary) add(value, name + ".", depth + 1);
      if (value.kind == Kind::tensor) add_tensor(value, name);
    }
  }

  void add_tensor(const Value& view, const std::string& name) {
    const std::string_view key = view.parts[0]->text;
    Tensor& tensor = tensors[name] = tensor_of(
        pickle.storages().at(key), numbers_of(*view.parts[2]), numbers_of(*view.parts[3]),
        view.parts[1]->number, storages[key], fmt::format("{}: tensor '{}'", file, one_line(name)));
    bytes_left -= std::ssize(tensor.bytes.view);
  }

  static std::vector<int64_t> numbers_of(const Value& sequence) {
    std::vector<int64_t> numbers;
    // More numbers than kMostDimensions are refused later.
    for (const Value* part : sequence.parts | std::views::take(kMostDimensions + 1))
      numbers.push_back(part->number);
    return numbers;
  }
};

Tensors read_archive(const Bytes& file, const std::string& name) {
  constexpr std::string_view kPickle = "data.pkl";
  const ZipArchive archive(file, name);
  const auto found = std::ranges::find_if(
      archive.files(), [&](const auto& entry) { return entry.first.ends_with(kPickle); });
  if (found == archive.files().end()) throw UserError("{}: no file of torch.save()", name);
  const std::string root = found->first.substr(0, found->first.size() - kPickle.size());
  const Bytes bytes = archive.read(found->first);
  Cursor cursor(bytes.view, name);
  Unpickler pickle(cursor, name);
  const Value& value = pickle.load();
  std::map<std::string_view, Bytes> storages;
  for (const auto& [key, type] : pickle.storages())
    storages[key] = archive.read(root + "data/" + std::string(key));
  return StateDictionary{pickle, std::move(storages), kMostCopies * std::ssize(file.view), name}
      .read(value);
}

Tensors read_older(const Bytes& file, const std::string& name) {
  constexpr std::string_view kMagic = "\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";
  Cursor cursor(file.view, name);
  Unpickler pickle(cursor, name);
  if (pickle.load().text != kMagic) throw UserError("{}: no file of torch.save()", name);
  for (int i = 0; i < 2; ++i) pickle.load();  // the version and the machine
  const Value& value = pickle.load();
  std::map<std::string_view, Bytes> storages;
  for (const Value* key : pickle.load().parts) {
    const auto type = pickle.storages().find(key->text);
    if (type == pickle.storages().end()) throw UserError("{}: damaged: a storage of nothing", name);
    // This keeps the product from overflowing: a count that is too large for the file stays too
    // large.
    const auto count = std::min<uint64_t>(cursor.number<uint64_t>(), file.view.size());
    storages[type->first] = {cursor.bytes(count * model::bytes_of(type->second)), file.owner};
  }
  return StateDictionary{pickle, std::move(storages), kMostCopies * std::ssize(file.view), name}
      .read(value);
}

}  // namespace

Tensors read_pickle(const Bytes& file, const std::string& name) {
  return file.view.starts_with("PK") ? read_archive(file, name) : read_older(file, name);
}

}  // namespace heed::exchange
