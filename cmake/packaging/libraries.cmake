# What of the libraries that a program or library loads has to be brought along.

# Part of every Debian and Ubuntu, as apt itself needs them.
set(everywhere "^lib(c|m|dl|rt|util|pthread|stdc\\+\\+|gcc_s)\\.so" "^ld-linux")

# brought_libraries(out KIND files): paths of the libraries that `files`, which are of the KIND EXECUTABLES or LIBRARIES, load,
# and those that they load.
function(brought_libraries out kind files)
  file(GET_RUNTIME_DEPENDENCIES ${kind} ${files} RESOLVED_DEPENDENCIES_VAR found UNRESOLVED_DEPENDENCIES_VAR missing
       CONFLICTING_DEPENDENCIES_PREFIX several PRE_EXCLUDE_REGEXES ${everywhere})
  if(missing)
    message(FATAL_ERROR "${files}: need libraries that are not here: ${missing}")
  endif()
  # OpenMP's library may be found in two places. The first is LibTorch's own, which is loaded with it.
  foreach(name ${several_FILENAMES})
    list(GET several_${name} 0 first)
    list(APPEND found ${first})
  endforeach()
  set(${out} ${found} PARENT_SCOPE)
endfunction()
