# SPDX-License-Identifier: Apache-2.0
# Writes OUT, which includes every source below FOLDER: one compilation is quicker than many.
file(GLOB_RECURSE sources RELATIVE ${FOLDER} ${FOLDER}/*.cc)
list(SORT sources)
foreach(source IN LISTS sources)
  string(APPEND text "#include \"${source}\"\n")
endforeach()
file(WRITE ${OUT} "${text}")
