# What is installed, in components:
#
#   program    bin/heed, lib/heed/heed-torch, share/heed (configurations and data scripts), share/doc/heed, and in lib/heed
#              the libraries that are not part of every Debian or Ubuntu
#   libtorch   LibTorch's libraries for the CPU, in lib/heed/torch/lib and lib/heed/nvidia, as a wheel has them
#   cuda       its libraries for GPUs, libheed_nccl.so and libheed_gpu.so; nothing where ./run gpu has not fetched them
#   wheel      what makes a Python package of the program (cmake/packaging/wheel.sh)
#
# The paths from one to another are relative, so that the folder may be moved. The program looks around itself
# (src/base/installation.h).
# That of a build, which needs none, would be filled up with colons, and each stands for the working folder.
set_target_properties(heed PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/heed" BUILD_WITH_INSTALL_RPATH ON)
set_target_properties(heed-torch PROPERTIES INSTALL_RPATH "$ORIGIN;$ORIGIN/torch/lib")
foreach(program "heed bin" "heed-torch lib/heed")
  separate_arguments(program)
  list(GET program 0 name)
  list(GET program 1 folder)
  # An RPATH is for the libraries of libraries, too; a RUNPATH is not.
  target_link_options(${name} PRIVATE LINKER:--disable-new-dtags)
  install(TARGETS ${name} RUNTIME DESTINATION ${folder} COMPONENT program)
endforeach()
install(FILES ${PROJECT_BINARY_DIR}/heed.wasm DESTINATION lib/heed COMPONENT program OPTIONAL)  # cmake/HeedWeb.cmake
install(DIRECTORY configs data_scripts DESTINATION share/heed COMPONENT program
        USE_SOURCE_PERMISSIONS PATTERN __pycache__ EXCLUDE)
install(FILES README.md CHANGELOG.md CONTRIBUTING.md DESTINATION share/doc/heed COMPONENT program)
install(DIRECTORY docs DESTINATION share/doc/heed COMPONENT program PATTERN __pycache__ EXCLUDE)

# Which libraries these are is asked of the program and of LibTorch when they are installed.
get_filename_component(libtorch_root ${LIBTORCH_LIBRARY_DIR} DIRECTORY)
get_filename_component(site_packages ${libtorch_root} DIRECTORY)
file(GLOB libtorch_licences ${libtorch_root}/LICENSE ${libtorch_root}/NOTICE ${site_packages}/torch-*.dist-info/licenses/*)
file(GLOB nvidia_licences ${site_packages}/nvidia_cuda_runtime-*.dist-info/licenses/License.txt)
string(CONCAT settings "set(programs \"$<TARGET_FILE:heed>;$<TARGET_FILE:heed-torch>\")\n" "set(libtorch \"${LIBTORCH_CPU_LIBRARY}\")\n"
       "set(site_packages \"${site_packages}\")\n" "set(libtorch_root \"${libtorch_root}\")\n"
       "set(libtorch_licences \"${libtorch_licences}\")\n" "set(nvidia_licences \"${nvidia_licences}\")\n"
       "set(archives \"${HEED_STATIC_yaml-cpp};${HEED_STATIC_z};${HEED_STATIC_zstd};${HEED_STATIC_utf8proc};${HEED_STATIC_gumbo};${HEED_STATIC_expat}\")\n"
       "set(generated \"${PROJECT_BINARY_DIR}/generated/installed\")\n" "set(packaging \"${PROJECT_SOURCE_DIR}/cmake/packaging\")\n")
foreach(component program libtorch)
  install(CODE "${settings}include(\"\${packaging}/${component}_libraries.cmake\")" COMPONENT ${component})
endforeach()

# An archive has all of CUDA's libraries beside LibTorch's, wheels have them in packages of their own.
file(GLOB cudnn ${site_packages}/nvidia/cudnn/lib/libcudnn.so* ${LIBTORCH_LIBRARY_DIR}/libcudnn.so* ${LIBTORCH_LIBRARY_DIR}/libcudnn-*.so*)
if(cudnn AND EXISTS ${LIBTORCH_LIBRARY_DIR}/libtorch_cuda.so)
  install(DIRECTORY ${LIBTORCH_LIBRARY_DIR} DESTINATION lib/heed/torch COMPONENT cuda
          FILES_MATCHING PATTERN "*.so*" PATTERN "*python*" EXCLUDE)
  if(IS_DIRECTORY ${site_packages}/nvidia/cudnn)  # beside an archive another program may have a folder of this name
    install(DIRECTORY ${site_packages}/nvidia DESTINATION lib/heed COMPONENT cuda FILES_MATCHING PATTERN "*.so*")
  endif()
  foreach(library heed_nccl heed_gpu)
    if(TARGET ${library})
      set_target_properties(${library} PROPERTIES INSTALL_RPATH "$ORIGIN/torch/lib")
      install(TARGETS ${library} LIBRARY DESTINATION lib/heed COMPONENT cuda)
    endif()
  endforeach()
endif()

# The Python package: heed/ is a folder like the one that is installed, without LibTorch, which is a package of its own.
set(package ${PROJECT_BINARY_DIR}/generated/wheel)
set(package_info heed-${PROJECT_VERSION}.dist-info)
string(REGEX MATCH "[0-9]+\\.[0-9]+" HEED_TORCH_SERIES "${LibTorch_VERSION}")  # within which LibTorch's interface stays the same
foreach(file heed/__init__.py heed/__main__.py ${package_info}/METADATA ${package_info}/WHEEL ${package_info}/entry_points.txt)
  get_filename_component(name ${file} NAME)
  get_filename_component(folder ${file} DIRECTORY)
  configure_file(cmake/packaging/wheel/${name}.in ${package}/${name} @ONLY)
  install(FILES ${package}/${name} DESTINATION ${folder} COMPONENT wheel EXCLUDE_FROM_ALL)
endforeach()

# What lies on top of a bundle (cmake/packaging/bundle.sh).
foreach(file heed README.md TORCH)
  configure_file(cmake/packaging/bundle/${file}.in generated/bundle/${file} @ONLY)
endforeach()

# The archive: cpack -G TGZ, by ./run tarball.
set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_NAME heed)
set(CPACK_PACKAGE_VENDOR heed)
set(CPACK_PACKAGE_FILE_NAME heed-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_COMPONENTS_ALL program libtorch)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
include(CPack)
