# Finds LibTorch without its own CMake package, which demands a CUDA toolkit wherever the wheel was built with CUDA.
#
# Looks under -DLIBTORCH=FOLDER (an unpacked official archive, or a wheel's `torch` folder), or without it in the
# checkout's own virtual environment. Defines the imported target LibTorch::cpu, LibTorch_VERSION and LIBTORCH_LIBRARY_DIR.
# Only libtorch_cpu and libc10 are linked: CUDA kernels are loaded at run time when a GPU is asked for.
include(HeedVersion)
set(LIBTORCH "" CACHE PATH "LibTorch: an unpacked official archive, or the torch folder of the wheel")
set(_libtorch_places ${LIBTORCH})
if(NOT LIBTORCH)
  file(GLOB _libtorch_places ${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/torch)
endif()
# What was found before is looked for anew where it is gone, as another Python's environment has it in another folder, or
# where another folder is named now.
foreach(_libtorch_found LIBTORCH_INCLUDE_DIR LIBTORCH_CPU_LIBRARY LIBTORCH_C10_LIBRARY)
  if(NOT EXISTS "${${_libtorch_found}}" OR NOT "${LIBTORCH}" STREQUAL "${LIBTORCH_BEFORE}")
    unset(${_libtorch_found} CACHE)
  endif()
endforeach()
find_path(LIBTORCH_INCLUDE_DIR torch/csrc/api/include/torch/torch.h
          HINTS ${_libtorch_places} PATH_SUFFIXES include NO_DEFAULT_PATH)
set(LIBTORCH_BEFORE "${LIBTORCH}" CACHE INTERNAL "LIBTORCH of the last call")
get_filename_component(_libtorch_root "${LIBTORCH_INCLUDE_DIR}" DIRECTORY)
find_library(LIBTORCH_CPU_LIBRARY torch_cpu HINTS ${_libtorch_root}/lib NO_DEFAULT_PATH)
find_library(LIBTORCH_C10_LIBRARY c10 HINTS ${_libtorch_root}/lib NO_DEFAULT_PATH)

set(_libtorch_reason "run ./run build, which installs it, or pass -DLIBTORCH=FOLDER")
if(LIBTORCH)
  set(_libtorch_reason "there is none in ${LIBTORCH}: pass another -DLIBTORCH=FOLDER, or -DLIBTORCH= for that of .venv")
endif()
set(LibTorch_VERSION "")
foreach(_libtorch_header torch/headeronly/version.h torch/csrc/api/include/torch/version.h)  # the latter in older ones
  if(NOT LibTorch_VERSION AND LIBTORCH_INCLUDE_DIR AND EXISTS ${LIBTORCH_INCLUDE_DIR}/${_libtorch_header})
    heed_version_in(${LIBTORCH_INCLUDE_DIR}/${_libtorch_header} TORCH_VERSION LibTorch_VERSION)
  endif()
endforeach()
if(LibTorch_VERSION AND LibTorch_VERSION VERSION_LESS "${LibTorch_FIND_VERSION}")
  set(_libtorch_reason "docs/install.md says which versions heed was tried with")
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  LibTorch REQUIRED_VARS LIBTORCH_CPU_LIBRARY LIBTORCH_INCLUDE_DIR LIBTORCH_C10_LIBRARY
  VERSION_VAR LibTorch_VERSION REASON_FAILURE_MESSAGE "${_libtorch_reason}")

if(LibTorch_FOUND AND NOT TARGET LibTorch::cpu)
  set(LIBTORCH_LIBRARY_DIR ${_libtorch_root}/lib)
  add_library(LibTorch::cpu INTERFACE IMPORTED)
  target_include_directories(LibTorch::cpu SYSTEM INTERFACE
    ${LIBTORCH_INCLUDE_DIR} ${LIBTORCH_INCLUDE_DIR}/torch/csrc/api/include)
  target_link_libraries(LibTorch::cpu INTERFACE ${LIBTORCH_CPU_LIBRARY} ${LIBTORCH_C10_LIBRARY})
  # libtorch_cpu.so finds its own neighbours by RUNPATH; the linker only needs to be told not to insist.
  target_link_options(LibTorch::cpu INTERFACE -Wl,--allow-shlib-undefined)
endif()
