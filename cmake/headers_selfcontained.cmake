# The target skimfill_headers_selfcontained compiles each header of ours alone. CMake's own header verification
# would do it for file sets; ours are plain folders, so one generated source per header is simpler.
file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
  ${PROJECT_SOURCE_DIR}/include/*.h ${PROJECT_SOURCE_DIR}/src/*.h)
set(sources "")
foreach(header IN LISTS headers)
  string(REGEX REPLACE "^(include|src)/" "" include_path ${header})
  string(MAKE_C_IDENTIFIER ${include_path} name)
  set(source ${PROJECT_BINARY_DIR}/headers/${name}.cpp)
  # Twice: a header without its guard fails.
  file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${include_path}\"\n#include \"${include_path}\"\n")
  list(APPEND sources ${source})
endforeach()
add_library(skimfill_headers_selfcontained OBJECT EXCLUDE_FROM_ALL ${sources})
target_link_libraries(skimfill_headers_selfcontained PRIVATE skimfill llama_cpp skimfill_warnings)
