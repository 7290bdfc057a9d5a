# skimfill_test(<name> SOURCES <file>... [LIBS <target>...] [LABELS <label>...])
#
# One GoogleTest executable, one ctest entry. Without LIBS it is linked with the skimfill library. The label
# `concurrency` marks tests that run under ThreadSanitizer too; the target concurrency_tests builds them alone.
add_custom_target(concurrency_tests)

function(skimfill_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBS;LABELS")
  if(NOT BUILD_TESTING)
    return()
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE skimfill ${arg_LIBS} llama_cpp GTest::gmock_main skimfill_warnings)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  if("concurrency" IN_LIST arg_LABELS)
    add_dependencies(concurrency_tests ${name})
  endif()
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES
    LABELS "${arg_LABELS}"
    ENVIRONMENT "${SKIMFILL_TEST_ENVIRONMENT}")
endfunction()
