# cmake -DOUT=file -DSOURCE=folder -P Commit.cmake: a header with the commit of the sources, touched only when it changes.
# Sources without a repository of their own may lie in another project's.
file(REAL_PATH ${SOURCE}/.. above)
execute_process(COMMAND ${CMAKE_COMMAND} -E env GIT_CEILING_DIRECTORIES=${above} git describe --always --dirty
                WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed OR NOT commit)
  set(commit unknown)
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT "#define HEED_COMMIT \"${commit}\"\n")
