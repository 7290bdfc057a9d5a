# `cmake --install`: the program, the library with its headers and CMake package, and llama.cpp beside them.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/skimfill)

install(TARGETS skimfill EXPORT skimfill)
install(DIRECTORY include/skimfill DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${SKIMFILL_LLAMA_CPP_LIB}/ DESTINATION ${llama_cpp_install_dir} USE_SOURCE_PERMISSIONS)
install(EXPORT skimfill NAMESPACE skimfill:: FILE skimfill-config.cmake DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/skimfill-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/skimfill-config-version.cmake DESTINATION ${package_dir})
