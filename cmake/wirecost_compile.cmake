# SPDX-License-Identifier: Apache-2.0
# wirecost_compile(TARGET SCHEMAS schema…
#                  [WIRES wire…]               protobuf if none; ros1, cdr, columns
#                  [LANG language…]            cpp if none; python, java
#                  [PROTOBUF_API]              also classes with Protobuf's interface: TARGET has them compiled
#                  [JSON]                      also their canonical JSON
#                  [SOURCES]                   functions in sources: TARGET has them compiled
#                  [NO_RECYCLING]              every block of memory from malloc
#                  [COLUMNS message…] [REDUCE field=how…] [IMPORT_DIRS folder…]
#                  [NAMESPACE name] [API_NAMESPACE name] [OUT_DIR folder] [DEPENDS file…])
#
# Runs `wirecost compile` when a schema has changed, or one that it imports. Files whose text stays
# the same keep their times, so what includes them is not compiled again. For C++, TARGET is a
# library, of headers alone where there are no sources: link it, include what `wirecost compile`
# writes. For other languages alone it is a target that is always built. DEPENDS: whatever else is
# to run it again.
cmake_policy(VERSION 3.20) # the function's, whatever the project asks for: DEPFILE needs it
function(wirecost_compile target)
  set(one NAMESPACE API_NAMESPACE OUT_DIR)
  set(many SCHEMAS WIRES LANG COLUMNS REDUCE IMPORT_DIRS DEPENDS)
  cmake_parse_arguments(PARSE_ARGV 1 arg "PROTOBUF_API;JSON;SOURCES;NO_RECYCLING" "${one}" "${many}")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SCHEMAS)
    message(FATAL_ERROR "wirecost_compile(${target} SCHEMAS schema… [WIRES …] [LANG …]): "
                        "not understood: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT WIRECOST_EXECUTABLE)
    message(FATAL_ERROR "wirecost_compile needs the command `wirecost`: install the Python package "
                        "and put it on PATH, or set WIRECOST_EXECUTABLE")
  endif()
  foreach(option LANG=cpp WIRES=protobuf OUT_DIR=${CMAKE_CURRENT_BINARY_DIR}/${target})
    string(REGEX MATCH "^([A-Z_]+)=(.*)$" matched ${option})
    if(NOT arg_${CMAKE_MATCH_1})
      set(arg_${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
    endif()
  endforeach()
  if(arg_COLUMNS)
    list(APPEND arg_WIRES columns)
    list(REMOVE_DUPLICATES arg_WIRES)
  endif()

  # A schema is a file here, or the name of a Python module.
  foreach(schema IN LISTS arg_SCHEMAS)
    get_filename_component(file ${schema} ABSOLUTE)
    if(EXISTS ${file})
      list(APPEND arg_DEPENDS ${file})
      list(APPEND inputs ${file})
    else()
      list(APPEND inputs ${schema})
    endif()
  endforeach()
  string(JOIN "," languages ${arg_LANG})
  string(JOIN "," wires ${arg_WIRES})
  get_filename_component(out ${arg_OUT_DIR} ABSOLUTE BASE_DIR ${CMAKE_CURRENT_BINARY_DIR})
  set(command ${WIRECOST_EXECUTABLE} compile ${inputs} --out ${out} --lang ${languages} --wire
              ${wires})
  foreach(option IMPORT_DIRS=--include COLUMNS=--columns REDUCE=--reduce NAMESPACE=--namespace
                 API_NAMESPACE=--api-namespace)
    string(REGEX MATCH "^([A-Z_]+)=(.*)$" matched ${option})
    set(flag ${CMAKE_MATCH_2})
    foreach(value IN LISTS arg_${CMAKE_MATCH_1})
      if(flag STREQUAL "--include")
        get_filename_component(value ${value} ABSOLUTE)
      endif()
      list(APPEND command ${flag} ${value})
    endforeach()
  endforeach()
  if(arg_PROTOBUF_API)
    list(APPEND command --protobuf-api)
  endif()
  if(arg_JSON)
    list(APPEND command --json)
  endif()
  if(arg_SOURCES)
    list(APPEND command --sources)
  endif()
  if(arg_NO_RECYCLING)
    list(APPEND command --no-recycling)
  endif()

  # The build tool must know the outputs' names, which follow from the schema.
  execute_process(COMMAND ${command} --list OUTPUT_VARIABLE outputs
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_VARIABLE complaint RESULT_VARIABLE failed)
  if(failed)
    # Indented, so that CMake does not fold the line.
    string(STRIP "${complaint}" complaint)
    message(FATAL_ERROR "wirecost_compile(${target}):\n  ${complaint}")
  endif()
  string(REPLACE "\n" ";" outputs "${outputs}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${arg_DEPENDS})
  # Another version of it may write something else.
  set(program "")
  if(EXISTS "${WIRECOST_EXECUTABLE}")
    set(program ${WIRECOST_EXECUTABLE})
  endif()
  set(made ${CMAKE_CURRENT_BINARY_DIR}/${target}.wirecost)
  add_custom_command(
    OUTPUT ${made}.stamp
    BYPRODUCTS ${outputs}
    COMMAND ${command} --depfile ${made}.d --stamp ${made}.stamp
    DEPENDS ${arg_DEPENDS} ${program}
    DEPFILE ${made}.d
    COMMENT "Compiling the schemas of ${target}"
    VERBATIM)

  if(cpp IN_LIST arg_LANG)
    add_custom_target(${target}_schemas DEPENDS ${made}.stamp)
    set(kind INTERFACE)
    set(scope INTERFACE)
    set(standard 20)
    if("${outputs}" MATCHES "\\.cc(;|$)")
      set(kind STATIC)
      set(scope PUBLIC)
      # The classes' headers ask for no more; those of the holders for C++20.
      if(NOT arg_SOURCES)
        set(standard 17)
      endif()
    endif()
    add_library(${target} ${kind} ${outputs})
    add_dependencies(${target} ${target}_schemas)
    target_compile_features(${target} ${scope} cxx_std_${standard})
    target_include_directories(${target} SYSTEM ${scope} ${out}/cpp)
    if(kind STREQUAL "STATIC")
      set_target_properties(${target} PROPERTIES CXX_STANDARD 20)
    endif()
  else()
    add_custom_target(${target} ALL DEPENDS ${made}.stamp)
  endif()
endfunction()
