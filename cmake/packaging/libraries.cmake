# What of the libraries that a program or library loads has to be brought along.

# Part of every Debian and Ubuntu, as apt itself needs them.
set(everywhere "^lib(c|m|dl|rt|util|pthread|stdc\\+\\+|gcc_s)\\.so" "^ld-linux")

# brought_libraries(out KIND file): paths of the libraries that `file`, one of the KIND EXECUTABLES or LIBRARIES, loads,
# and those that they load.
function(brought_libraries out kind file)
  file(GET_RUNTIME_DEPENDENCIES ${kind} ${file} RESOLVED_DEPENDENCIES_VAR found UNRESOLVED_DEPENDENCIES_VAR missing
       CONFLICTING_DEPENDENCIES_PREFIX several PRE_EXCLUDE_REGEXES ${everywhere})
  if(missing)
    message(FATAL_ERROR "${file} needs libraries that are not here: ${missing}")
  endif()
  # OpenMP's library may be found in two places. The first is LibTorch's own, which is loaded with it.
  foreach(name ${several_FILENAMES})
    list(GET several_${name} 0 first)
    list(APPEND found ${first})
  endforeach()
  set(${out} ${found} PARENT_SCOPE)
endfunction()
