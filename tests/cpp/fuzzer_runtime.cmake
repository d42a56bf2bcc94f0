# SPDX-License-Identifier: Apache-2.0
# Whether Clang can link a fuzzer, as WIRECOST_FUZZER_RUNTIME: Debian has the runtime in a package
# of its own. A test that needs it is skipped where it lacks, which CI does not allow.
if(NOT WIRECOST_FUZZER_RUNTIME)
  set(probe ${CMAKE_CURRENT_BINARY_DIR}/fuzzer_runtime)
  file(CONFIGURE OUTPUT ${probe}.cpp
       CONTENT "extern \"C\" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }\n")
  execute_process(COMMAND ${CLANG} -fsanitize=fuzzer,address,undefined ${probe}.cpp -o ${probe}
                  RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  if(failed)
    message(STATUS "no fuzzers: ${CLANG} finds no libclang_rt.fuzzer")
  else()
    set(WIRECOST_FUZZER_RUNTIME TRUE CACHE INTERNAL "Clang can link a fuzzer")
  endif()
endif()

function(wirecost_skipped_fuzzer name)
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E echo
                                "skipped: no libclang_rt.fuzzer: apt-get install libclang-rt-19-dev")
  set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION "skipped: ")
endfunction()
