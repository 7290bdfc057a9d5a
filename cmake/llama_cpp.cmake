# The target llama_cpp: libllama and ggml with their public headers, from scripts/llama-cpp.
# Sets SKIMFILL_LLAMA_CPP_LIB, the folder with the libraries and llama-server.

set(SKIMFILL_LLAMA_CPP_DIR "" CACHE PATH "A llama.cpp source tree to use; empty: the pinned one")
option(SKIMFILL_CUDA "Build llama.cpp for NVIDIA GPUs" OFF)
option(SKIMFILL_HIP "Build llama.cpp for AMD GPUs through ROCm" OFF)
option(SKIMFILL_VULKAN "Build llama.cpp for any GPU with a Vulkan driver" OFF)

set(arguments "")
foreach(backend IN ITEMS CUDA HIP VULKAN)
  if(SKIMFILL_${backend})
    string(TOLOWER ${backend} name)
    list(APPEND arguments --${name})
  endif()
endforeach()
if(SKIMFILL_LLAMA_CPP_DIR)
  list(APPEND arguments --source ${SKIMFILL_LLAMA_CPP_DIR})
endif()

execute_process(
  COMMAND ${PROJECT_SOURCE_DIR}/scripts/llama-cpp ${arguments}
  OUTPUT_VARIABLE prefix
  OUTPUT_STRIP_TRAILING_WHITESPACE
  RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "llama.cpp could not be built; the reason is above")
endif()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS scripts/llama-cpp scripts/pins/llama-cpp.txt)
message(STATUS "llama.cpp: ${prefix}")

set(SKIMFILL_LLAMA_CPP_LIB ${prefix}/lib)
add_library(llama_cpp INTERFACE)
target_include_directories(llama_cpp SYSTEM INTERFACE ${prefix}/include)
foreach(name IN ITEMS llama ggml ggml-base)
  add_library(llama_cpp_${name} SHARED IMPORTED)
  set_target_properties(llama_cpp_${name} PROPERTIES IMPORTED_LOCATION ${prefix}/lib/lib${name}.so)
  target_link_libraries(llama_cpp INTERFACE llama_cpp_${name})
endforeach()
