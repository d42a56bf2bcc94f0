# SPDX-License-Identifier: Apache-2.0
# Raw DDS endpoints on Fast DDS, where it is installed (Debian: libfastrtps-dev).
find_package(fastrtps 2.9 QUIET CONFIG)
if(NOT TARGET fastrtps)
  message(${WIRECOST_ABSENT} "No Fast DDS (libfastrtps-dev): record and replay do without DDS")
  return()
endif()
add_library(
  middleware_dds STATIC EXCLUDE_FROM_ALL
  dds_acknowledgements.cpp dds_discovery.cpp dds_gate.cpp dds_mailbox.cpp dds_participant.cpp dds_qos.cpp dds_reader.cpp
  dds_type.cpp dds_writer.cpp)
target_link_libraries(middleware_dds PUBLIC middleware fastrtps)
