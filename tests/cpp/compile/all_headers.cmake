# SPDX-License-Identifier: Apache-2.0
# Writes FOLDER/all_headers.cpp, which includes every header generated for the tests and for OSI.
foreach(variant plain osi)
  set(root ${FOLDER}/${variant}/cpp)
  file(GLOB_RECURSE headers RELATIVE ${root} ${root}/*.hpp ${root}/*.pb.cc)
  foreach(header IN LISTS headers)
    string(APPEND text "#include \"${header}\"\n")
  endforeach()
endforeach()
file(WRITE ${FOLDER}/all_headers.cpp "${text}")
