# Warnings are errors in our own targets only: link skimfill_warnings PRIVATE.
add_library(skimfill_warnings INTERFACE)
target_compile_options(skimfill_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Werror
  # Option structs are filled by designated initialisers that name only what differs from the default.
  -Wno-missing-field-initializers
  # GCC 12 sees overlaps in std::string that are not there (GCC bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
