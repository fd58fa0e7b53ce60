# The headers of Winograd's transforms, network/winograd/{float32_programs,integer_programs,integer_sizes}.h: Python (3.11 or newer,
# nothing else) writes them into the build's folder, and again whenever what makes them changes. Without it they are those that an
# sdist carries in native/generated.

# Sets `result` to the folder to include from.
function(neonsim_winograd_headers result)
  set(carried "${CMAKE_CURRENT_SOURCE_DIR}/generated")
  set(written "${CMAKE_CURRENT_BINARY_DIR}/generated")
  if(SKBUILD_STATE STREQUAL "sdist")
    set(written "${carried}")
  endif()
  find_package(Python3 3.11 COMPONENTS Interpreter QUIET)
  if(NOT Python3_Interpreter_FOUND)
    if(NOT EXISTS "${carried}/network/winograd/integer_sizes.h")
      message(FATAL_ERROR "A checkout of neonsim is built with Python 3.11 or newer, which writes some headers. Install it, or build from an sdist, which carries them.")
    endif()
    set(${result} "${carried}" PARENT_SCOPE)
    return()
  endif()
  set(script "${CMAKE_CURRENT_SOURCE_DIR}/cmake/winograd.py")
  execute_process(COMMAND "${Python3_EXECUTABLE}" -B "${script}" "${written}/network/winograd" RESULT_VARIABLE failed ERROR_VARIABLE said)
  if(failed)
    message(FATAL_ERROR "${script} wrote no headers: ${said}")
  endif()
  file(GLOB makers CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/../neonsim/quant/winograd/*.py")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
    "${script}" "${CMAKE_CURRENT_SOURCE_DIR}/../neonsim/ukernel/kernelgen/winograd_c.py" ${makers})
  set(${result} "${written}" PARENT_SCOPE)
endfunction()
