# The C library for another system, by the C compiler that the package ziglang brings along (__main__.py beside it passes what it needs):
# TARGET as Zig names it, SYSTEM and PROCESSOR as CMake does, and PYTHON, which has the package.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES NEONSIM_ZIG_TARGET NEONSIM_ZIG_SYSTEM NEONSIM_ZIG_PROCESSOR NEONSIM_ZIG_PYTHON)
set(CMAKE_SYSTEM_NAME ${NEONSIM_ZIG_SYSTEM})
set(CMAKE_SYSTEM_PROCESSOR ${NEONSIM_ZIG_PROCESSOR})
set(CMAKE_C_COMPILER ${NEONSIM_ZIG_PYTHON} -m ziglang cc -target ${NEONSIM_ZIG_TARGET})
set(CMAKE_ASM_COMPILER ${CMAKE_C_COMPILER})
set(CMAKE_C_FLAGS_INIT "-fno-sanitize=undefined -Wno-enum-float-conversion")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-s")

# What is tried out is compiled and not linked: for each set of instructions Zig would first compile a run-time library of its own.
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
foreach(tool AR RANLIB)
  string(TOLOWER ${tool} name)
  set(CMAKE_${tool} "${CMAKE_BINARY_DIR}/zig-${name}")
  if(NOT EXISTS "${CMAKE_${tool}}")
    file(WRITE "${CMAKE_${tool}}" "#!/bin/sh\nexec '${NEONSIM_ZIG_PYTHON}' -m ziglang ${name} \"$@\"\n")
    file(CHMOD "${CMAKE_${tool}}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  endif()
endforeach()
# Threads of POSIX are there on all of them (on Windows Zig brings winpthreads), but only linking would have told.
set(CMAKE_HAVE_LIBC_PTHREAD OFF CACHE INTERNAL "")
set(THREADS_HAVE_PTHREAD_ARG ON CACHE INTERNAL "")
# CMake wants to know of these, and calls neither.
set(CMAKE_RC_COMPILER "${CMAKE_COMMAND}")
set(CMAKE_INSTALL_NAME_TOOL "${CMAKE_COMMAND}")
