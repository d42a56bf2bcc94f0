# SPDX-License-Identifier: Apache-2.0
# Protobuf's lite runtime as static libraries protobuf_lite_<build>, compiled with the FMUs' flags
# from the source of the version that is installed: so an FMU carries its own and runs anywhere.
set(source ${CMAKE_CURRENT_BINARY_DIR}/protobuf)
execute_process(
  COMMAND ${CMAKE_CURRENT_LIST_DIR}/protobuf-source ${source}
  RESULT_VARIABLE failed
  OUTPUT_QUIET
  ERROR_VARIABLE complaint)
if(failed)
  message(${WIRECOST_ABSENT} "No source of Protobuf, so FMUs need this machine's: ${complaint}")
  foreach(build IN LISTS WIRECOST_BUILDS)
    add_library(protobuf_lite_${build} INTERFACE)
    target_link_libraries(protobuf_lite_${build} INTERFACE protobuf::libprotobuf-lite)
  endforeach()
  return()
endif()

set(parts
    any_lite arena arenastring arenaz_sampler extension_set generated_enum_util
    generated_message_tctable_lite generated_message_util implicit_weak_message
    inlined_string_field io/coded_stream io/strtod io/zero_copy_stream
    io/zero_copy_stream_impl io/zero_copy_stream_impl_lite map message_lite parse_context
    repeated_field repeated_ptr_field stubs/bytestream stubs/common stubs/int128 stubs/status
    stubs/statusor stubs/stringpiece stubs/stringprintf stubs/structurally_valid stubs/strutil
    stubs/time wire_format_lite)
list(TRANSFORM parts PREPEND ${source}/src/google/protobuf/)
list(TRANSFORM parts APPEND .cc)
foreach(build IN LISTS WIRECOST_BUILDS)
  add_library(protobuf_lite_${build} STATIC EXCLUDE_FROM_ALL ${parts})
  target_include_directories(protobuf_lite_${build} SYSTEM BEFORE PRIVATE ${source}/src)
  # Its checks print where they stand: a path of this machine's.
  target_compile_options(protobuf_lite_${build} PRIVATE ${WIRECOST_FLAGS_${build}} -w
                                                        -ffile-prefix-map=${source}/src/=)
  set_target_properties(protobuf_lite_${build} PROPERTIES CXX_VISIBILITY_PRESET hidden)
endforeach()
