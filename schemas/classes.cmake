# SPDX-License-Identifier: Apache-2.0
# What Protobuf and FlatBuffers make of OSI, for the FMUs.
foreach(file IN LISTS OSI_FILES)
  string(REGEX REPLACE "\\.proto$" ".pb.cc" source ${OSI}/${file})
  list(APPEND OSI_SOURCES ${source})
endforeach()
string(REPLACE ".pb.cc" ".pb.h" OSI_HEADERS "${OSI_SOURCES}")
add_custom_command(
  OUTPUT ${OSI_SOURCES} ${OSI_HEADERS}
  COMMAND protobuf::protoc --descriptor_set_in=${OSI}/osi_lite.fds --cpp_out=${OSI} ${OSI_FILES}
  DEPENDS ${OSI}/osi_lite.fds
  COMMENT "Generating OSI's Protobuf classes"
  VERBATIM)

foreach(schema osi_table osi_struct)
  add_custom_command(
    OUTPUT ${OSI}/${schema}_generated.h ${OSI}/${schema}.bfbs
    COMMAND ${FLATC} --cpp --scoped-enums -o ${OSI} ${OSI}/${schema}.fbs
    COMMAND ${FLATC} --binary --schema -o ${OSI} ${OSI}/${schema}.fbs
    DEPENDS ${OSI}/${schema}.fbs
    COMMENT "Generating FlatBuffers classes from ${schema}.fbs"
    VERBATIM)
  list(APPEND FLATBUFFERS_FILES ${OSI}/${schema}_generated.h)
endforeach()
# The same with the object API, for the one contender that uses it: it triples what is compiled.
add_custom_command(
  OUTPUT ${OSI}/osi_table_object.h
  COMMAND ${FLATC} --cpp --gen-object-api --scoped-enums --filename-suffix _object -o ${OSI}
          ${OSI}/osi_table.fbs
  DEPENDS ${OSI}/osi_table.fbs
  COMMENT "Generating FlatBuffers' object API from osi_table.fbs"
  VERBATIM)
list(APPEND FLATBUFFERS_FILES ${OSI}/osi_table_object.h)
add_custom_target(osi_schemas DEPENDS ${OSI_HEADERS} ${FLATBUFFERS_FILES})

# The Protobuf classes, one static library for each build of the FMUs. Hidden, so that every
# FMU keeps its own. What links them brings the runtime: an FMU's own, or the whole library.
include(protobuf_lite.cmake)
set(${WIRECOST_BUILD_TYPE_FLAGS} "")
foreach(build IN LISTS WIRECOST_BUILDS)
  add_library(osi_classes_${build} STATIC EXCLUDE_FROM_ALL ${OSI_SOURCES})
  add_dependencies(osi_classes_${build} osi_schemas)
  target_include_directories(osi_classes_${build} SYSTEM PUBLIC ${OSI})
  target_compile_options(osi_classes_${build} PRIVATE ${WIRECOST_FLAGS_${build}})
  set_target_properties(osi_classes_${build} PROPERTIES CXX_VISIBILITY_PRESET hidden
                                                        UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
endforeach()
