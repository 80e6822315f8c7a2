# libheed_gpu.so, which records what a GPU does and does it again (src/kernels/gpu_plugin.h, docs/gpu.md). It needs LibTorch's
# CUDA libraries and the headers of CUDA's runtime.
set(HEED_GPU AUTO CACHE STRING "Build libheed_gpu.so for CUDA graphs: AUTO, ON or OFF")
set_property(CACHE HEED_GPU PROPERTY STRINGS AUTO ON OFF)

if(NOT HEED_GPU)
  set(why "HEED_GPU is OFF")
else()
  heed_find_cuda(why crt/host_defines.h)
  if(NOT why)
    message(STATUS "libheed_gpu.so: CUDA of ${HEED_CUDA_INCLUDE}")
  endif()
endif()
heed_cuda_library(heed_gpu ${HEED_GPU} "${why}" "there are no CUDA graphs"
                  SOURCES ${PROJECT_SOURCE_DIR}/src/kernels/plugin/graph_plugin.cpp INCLUDES ${HEED_CUDA_INCLUDE})
