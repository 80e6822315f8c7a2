# libheed_graphs.so, which records what a GPU does and does it again (src/kernels/graph_plugin.h, docs/gpu.md).
#
# It needs LibTorch's CUDA libraries and the headers of CUDA's runtime.
set(HEED_GRAPHS AUTO CACHE STRING "Build libheed_graphs.so for CUDA graphs: AUTO, ON or OFF")
set_property(CACHE HEED_GRAPHS PROPERTY STRINGS AUTO ON OFF)

if(NOT HEED_GRAPHS)
  set(why "HEED_GRAPHS is OFF")
else()
  heed_find_cuda(why crt/host_defines.h)
  if(NOT why)
    message(STATUS "libheed_graphs.so: CUDA of ${HEED_CUDA_INCLUDE}")
  endif()
endif()
heed_cuda_library(heed_graphs ${HEED_GRAPHS} "${why}" "there are no CUDA graphs"
                  SOURCES ${PROJECT_SOURCE_DIR}/src/kernels/plugin/graph_plugin.cpp INCLUDES ${HEED_CUDA_INCLUDE})
