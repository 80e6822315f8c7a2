#include "kernels/plugin/compiler.h"

#include <ATen/Context.h>
#include <c10/util/Exception.h>
#include <dlfcn.h>

#include <filesystem>
#include <vector>

#include "kernels/plugin/embedded.h"

namespace heed::kernels::gpu {
namespace {

// As nvrtc.h declares them; the library is found while the program runs.
using Program = void*;
struct Nvrtc {
  int (*create)(Program*, const char* text, const char* name, int headers, const char* const*,
                const char* const*) = nullptr;
  int (*compile)(Program, int options, const char* const*) = nullptr;
  int (*log_size)(Program, std::size_t*) = nullptr;
  int (*log)(Program, char*) = nullptr;
  int (*code_size)(Program, std::size_t*) = nullptr;
  int (*code)(Program, char*) = nullptr;
  int (*destroy)(Program*) = nullptr;
  std::string missing;  // why there is none
};

void* open_library(std::string& why) {
  Dl_info info{};
  dladdr(reinterpret_cast<const void*>(&at::globalContext), &info);
  const auto torch = std::filesystem::path(info.dli_fname ? info.dli_fname : "").parent_path();
  // LibTorch's own library depends on the right one, but also on a driver: without a GPU the others
  // are left.
  for (const std::string& name :
       {(torch / "libcaffe2_nvrtc.so").string(),
        (torch / "../../nvidia/cu13/lib/libnvrtc.so.13").string(), std::string("libnvrtc.so.13"),
        std::string("/usr/local/cuda/lib64/libnvrtc.so.13")}) {
    if (void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    if (why.empty()) why = dlerror();
  }
  return nullptr;
}

const Nvrtc& nvrtc() {
  static const Nvrtc loaded = [] {
    Nvrtc out;
    void* const library = open_library(out.missing);
    if (!library) return out;
    out.missing.clear();
    const auto find = [&]<class Function>(Function& function, const char* name) {
      function = reinterpret_cast<Function>(dlsym(library, name));
      if (!function) out.missing = std::string("NVRTC has no ") + name;
    };
    find(out.create, "nvrtcCreateProgram");
    find(out.compile, "nvrtcCompileProgram");
    find(out.log_size, "nvrtcGetProgramLogSize");
    find(out.log, "nvrtcGetProgramLog");
    find(out.code_size, "nvrtcGetCUBINSize");
    find(out.code, "nvrtcGetCUBIN");
    find(out.destroy, "nvrtcDestroyProgram");
    return out;
  }();
  return loaded;
}

std::string text_of(Program program, int (*size)(Program, std::size_t*),
                    int (*get)(Program, char*)) {
  std::size_t bytes = 0;
  if (size(program, &bytes) != 0) return "";
  std::string out(bytes, '\0');
  return get(program, out.data()) == 0 ? out : "";
}

}  // namespace

std::string why_no_compiler() {
  return nvrtc().missing;
}

std::string add_norm_code(const KernelKind& kind) {
  TORCH_CHECK(why_no_compiler().empty(), "NVRTC: ", why_no_compiler());
  const auto& [name, text] = kFiles[0];
  const std::vector<std::string> options{
      "--std=c++17", "--gpu-architecture=sm_" + std::to_string(kind.capability),
      "-DHEED_WIDTH=" + std::to_string(kind.width),
      std::string("-DHEED_TYPE=") + (kind.half ? "Half" : "float")};
  std::vector<const char*> words;
  for (const std::string& option : options) words.push_back(option.c_str());
  Program program = nullptr;
  TORCH_CHECK(nvrtc().create(&program, std::string(text).c_str(), std::string(name).c_str(), 0,
                             nullptr, nullptr) == 0,
              "NVRTC makes no program");
  const bool done = nvrtc().compile(program, static_cast<int>(words.size()), words.data()) == 0;
  const std::string log = text_of(program, nvrtc().log_size, nvrtc().log);
  const std::string code = done ? text_of(program, nvrtc().code_size, nvrtc().code) : "";
  nvrtc().destroy(&program);
  TORCH_CHECK(!code.empty(), "NVRTC: ", name, " for sm_", kind.capability, ": ", log);
  return code;
}

}  // namespace heed::kernels::gpu
