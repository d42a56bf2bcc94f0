# SPDX-License-Identifier: Apache-2.0
# Descriptors by which independent readers interpret messages.
# What the reduced contender states: cpp/wirecost/codec/columns_reduced.hpp has the same errors.
set(reductions osi3.LidarSensorView.Reflection.signal_strength=error:0.1
               osi3.LidarSensorView.Reflection.time_of_flight=error:6.671281903963041e-12
               osi3.LidarDetection.position.distance=error:0.001
               osi3.LidarDetection.position.azimuth=auto osi3.LidarDetection.position.elevation=auto)
list(TRANSFORM reductions PREPEND "--reduce;" OUTPUT_VARIABLE reduce)
add_custom_command(
  OUTPUT ${OSI}/osi_columns.fds ${OSI}/osi_columns_reduced.fds
  COMMAND ${Python_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/columns.py ${OSI}/osi.fds
          ${compiled}/proto ${OSI}/osi_columns.fds
  COMMAND ${Python_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/generate.py ${OSI}/osi.fds
          --lang proto --wire protobuf ${columns} ${reduce} --out ${compiled}/reduced
  COMMAND ${Python_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/columns.py ${OSI}/osi.fds
          ${compiled}/reduced/proto ${OSI}/osi_columns_reduced.fds
  DEPENDS ${compiled}/stamp columns.py
  COMMENT "Describing OSI with columns"
  VERBATIM)
add_custom_target(osi_descriptors ALL DEPENDS ${OSI}/osi_columns.fds
                                              ${OSI}/osi_columns_reduced.fds)
install(FILES ${OSI}/osi_columns.fds ${OSI}/osi_columns_reduced.fds ${OSI}/osi_table.bfbs
              ${OSI}/osi_struct.bfbs
        DESTINATION schemas)

# The notification's schema for its independent use by libraries that read descriptors.
add_custom_command(
  OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/rsb_notification.fds
  COMMAND protobuf::protoc --proto_path=${CMAKE_CURRENT_SOURCE_DIR}/rsb
          --descriptor_set_out=${CMAKE_CURRENT_BINARY_DIR}/rsb_notification.fds notification.proto
  DEPENDS rsb/notification.proto
  VERBATIM)
add_custom_target(rsb_schema ALL DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/rsb_notification.fds)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/rsb_notification.fds DESTINATION schemas)
