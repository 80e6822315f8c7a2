# libheed_gpu.so, which records what a GPU does and does it again, and has kernels of its own (src/kernels/gpu_plugin.h,
# docs/gpu.md).
#
# It needs LibTorch's CUDA libraries and the headers of CUDA's runtime. Its kernels are compiled by NVRTC, on the machine with
# the GPU.
set(HEED_GPU AUTO CACHE STRING "Build libheed_gpu.so for CUDA graphs and own kernels: AUTO, ON or OFF")
set_property(CACHE HEED_GPU PROPERTY STRINGS AUTO ON OFF)

set(kernel_file ${PROJECT_SOURCE_DIR}/src/kernels/plugin/add_norm.cuh)
set(kernel_header ${PROJECT_BINARY_DIR}/generated/kernels/plugin/embedded.h)
heed_embed(${kernel_header} heed::kernels::gpu kFiles ${kernel_file})
add_custom_target(kernel_text DEPENDS ${kernel_header})

if(NOT HEED_GPU)
  set(why "HEED_GPU is OFF")
else()
  heed_find_cuda(why crt/host_defines.h)
  if(NOT why)
    message(STATUS "libheed_gpu.so: CUDA of ${HEED_CUDA_INCLUDE}")
  endif()
endif()
set(plugin ${PROJECT_SOURCE_DIR}/src/kernels/plugin)
heed_cuda_library(heed_gpu ${HEED_GPU} "${why}" "there are no CUDA graphs"
                  SOURCES ${plugin}/graph_plugin.cpp ${plugin}/add_norm_plugin.cpp ${plugin}/compiler.cpp
                  INCLUDES ${HEED_CUDA_INCLUDE} ${PROJECT_BINARY_DIR}/generated)
if(TARGET heed_gpu)
  add_dependencies(heed_gpu kernel_text)
endif()
