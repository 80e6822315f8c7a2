# libheed_nccl.so, through which ranks exchange between GPUs (src/ranks/nccl_plugin.h, docs/gpu.md).
#
# It needs LibTorch's CUDA libraries, CUDA's headers, and an nccl.h of exactly the version that LibTorch was built with:
# c10d's Options holds an ncclConfig_t by value, whose size differs between versions. HEED_NCCL=AUTO builds it where
# these are found and says otherwise why it does not; ON fails instead; OFF does not look.
include(HeedVersion)
set(HEED_NCCL AUTO CACHE STRING "Build libheed_nccl.so for training on several GPUs: AUTO, ON or OFF")
set_property(CACHE HEED_NCCL PROPERTY STRINGS AUTO ON OFF)
set(HEED_NCCL_VERSION "" CACHE STRING "The NCCL that LibTorch was built with, where LibTorch is not a wheel that says so")

# heed_find_nccl(why): sets HEED_NCCL_INCLUDE; `why` says what is missing, "" if nothing is.
function(heed_find_nccl why)
  get_filename_component(root ${LIBTORCH_LIBRARY_DIR} DIRECTORY)
  get_filename_component(site ${root} DIRECTORY)

  # The wheel names the NCCL that it was built with: "nvidia-nccl-cu13==2.28.9".
  set(version "${HEED_NCCL_VERSION}")
  file(GLOB metadata ${site}/torch-*.dist-info/METADATA)
  if(NOT version AND metadata)
    list(GET metadata 0 metadata)
    file(STRINGS ${metadata} pinned REGEX "^Requires-Dist: nvidia-nccl-cu[0-9]+==" LIMIT_COUNT 1)
    if(pinned MATCHES "==([0-9.]+)")
      set(version ${CMAKE_MATCH_1})
    endif()
  endif()
  if(NOT version)
    set(${why} "LibTorch does not say which NCCL it was built with; -DHEED_NCCL_VERSION=MAJOR.MINOR.PATCH does" PARENT_SCOPE)
    return()
  endif()

  heed_cuda_folders(folders)
  set(nccl "")
  set(others "")
  foreach(folder ${site}/nvidia/nccl/include $ENV{NCCL_HOME}/include ${folders} /usr/local/include)
    if(NOT nccl AND EXISTS ${folder}/nccl.h)
      heed_version_in(${folder}/nccl.h NCCL found)
      if(found STREQUAL version)
        set(nccl ${folder})
      else()
        string(APPEND others "; ${folder}/nccl.h is ${found}")
      endif()
    endif()
  endforeach()
  if(NOT nccl)
    set(${why} "LibTorch was built with NCCL ${version}, and there is no nccl.h of exactly this version${others}; ./run gpu installs it"
        PARENT_SCOPE)
    return()
  endif()
  set(${why} "" PARENT_SCOPE)
  set(HEED_NCCL_INCLUDE ${nccl} PARENT_SCOPE)
  message(STATUS "libheed_nccl.so: NCCL ${version} of ${nccl}, CUDA of ${HEED_CUDA_INCLUDE}")
endfunction()

if(NOT HEED_NCCL)
  set(why "HEED_NCCL is OFF")
else()
  heed_find_cuda(why crt/host_defines.h cublas_v2.h cublasLt.h cusolverDn.h cusparse.h)
  if(NOT why)
    heed_find_nccl(why)
  endif()
endif()
heed_cuda_library(heed_nccl ${HEED_NCCL} "${why}" "one GPU at a time is used"
                  SOURCES ${PROJECT_SOURCE_DIR}/src/ranks/plugin/nccl_plugin.cpp INCLUDES ${HEED_NCCL_INCLUDE} ${HEED_CUDA_INCLUDE})
