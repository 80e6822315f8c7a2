#include "devices/command.h"

#include <cstdio>
#include <string>
#include <string_view>

#include "accelerator/device.h"
#include "base/error.h"
#include "base/strings.h"
#include "devices/table.h"
#include "model/device.h"

namespace heed::devices {
namespace {

struct Arguments {
  std::string device, only;
  std::vector<std::string> precisions;  // empty: those of the device
};

Arguments read(int count, const char* const* arguments) {
  Arguments out;
  for (int i = 1; i < count; i += 2) {
    const std::string_view name = arguments[i];
    if (i + 1 == count) throw UserError(std::string(name) + " needs a value");
    const std::string value = arguments[i + 1];
    if (name == "--device")
      out.device = value;
    else if (name == "--only")
      out.only = value;
    else if (name == "--precision")
      out.precisions = split(value, ',');
    else
      throw UserError("no such option: " + std::string(name) +
                      "; there are --device, --precision and --only");
  }
  return out;
}

at::Device open(const std::string& name) {
  if (name != "sim") return model::open_device(name);
  accelerator::register_device();
  return accelerator::device();
}

std::vector<Precision> chosen(const Arguments& arguments, const at::Device& device) {
  const std::vector<Precision> there = precisions_of(device);
  if (arguments.precisions.empty()) return there;
  std::vector<Precision> out;
  for (const std::string& name : arguments.precisions) {
    bool found = false;
    for (const Precision one : there)
      if (config::name_of(one) == name) found = (out.push_back(one), true);
    if (!found) throw UserError("precision: " + arguments.device + " has no '" + name + "'");
  }
  return out;
}

int print_table(const Arguments& arguments) {
  const at::Device device = open(arguments.device);
  const std::vector<Precision> precisions = chosen(arguments, device);
  int rows = 0, failed = 0;
  for (const Operator& one : table()) {
    if (one.name.find(arguments.only) == std::string::npos) continue;
    for (const Precision precision : precisions) {
      if (one.bounds.of(precision) == 0) continue;
      const Row row = run(one, device, precision);
      std::printf("%s\n", row.text().c_str());
      std::fflush(stdout);
      ++rows;
      if (!row.ok()) ++failed;
    }
  }
  std::printf("%d rows, %d FAILED\n", rows, failed);
  return failed == 0 && rows > 0 ? 0 : 1;
}

}  // namespace

bool is_command(int count, const char* const* arguments) {
  for (int i = 1; i < count; ++i)
    if (std::string_view(arguments[i]) == "--device") return true;
  return false;
}

int run_command(int count, const char* const* arguments) {
  try {
    return print_table(read(count, arguments));
  } catch (const UserError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}

}  // namespace heed::devices
