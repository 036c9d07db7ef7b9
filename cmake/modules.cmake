# Helpers of the build: warnings, sanitizers, one function per kind of target.
add_library(softhccl_flags INTERFACE)
target_compile_options(softhccl_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -fno-omit-frame-pointer)
target_include_directories(softhccl_flags INTERFACE ${CMAKE_SOURCE_DIR}/src)
if(SOFTHCCL_WERROR)
  target_compile_options(softhccl_flags INTERFACE -Werror)
endif()
if(SOFTHCCL_SANITIZE)
  target_compile_options(softhccl_flags INTERFACE -fsanitize=${SOFTHCCL_SANITIZE} -fno-sanitize-recover=all)
  # Tests hand out enumerators that do not exist, as C programs may; what must not load them is the library.
  if(SOFTHCCL_SANITIZE MATCHES "undefined")
    target_compile_options(softhccl_flags INTERFACE
      $<$<IN_LIST:softhccl_test_flags,$<TARGET_PROPERTY:LINK_LIBRARIES>>:-fno-sanitize=enum>)
  endif()
  target_link_options(softhccl_flags INTERFACE -fsanitize=${SOFTHCCL_SANITIZE})
endif()

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(LibArchive REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(OpenSSL 3.0 REQUIRED COMPONENTS Crypto)

# Precompiled headers, one set for the core and one for the tests: parsing these takes most of the time of a build.
set(core_headers <fmt/format.h> <tl/expected.hpp> <algorithm> <atomic> <chrono> <condition_variable> <cstring> <functional>
                 <map> <memory> <mutex> <set> <shared_mutex> <string> <thread> <vector>)
file(WRITE ${CMAKE_BINARY_DIR}/precompiled.cc "// Carries the precompiled headers.\nint main() { return 0; }\n")
add_library(softhccl_precompiled_core OBJECT ${CMAKE_BINARY_DIR}/precompiled.cc)
target_link_libraries(softhccl_precompiled_core PRIVATE softhccl_flags fmt::fmt Threads::Threads)
target_precompile_headers(softhccl_precompiled_core PRIVATE ${core_headers})

# What the tests' own code is compiled with. It is not what the sanitizer builds are about, and compiling it without
# optimisation there takes half the time.
add_library(softhccl_test_flags INTERFACE)
target_link_libraries(softhccl_test_flags INTERFACE softhccl_flags)
if(SOFTHCCL_SANITIZE)
  target_compile_options(softhccl_test_flags INTERFACE -O0)
endif()

# The tests' set needs a target of their kind: programs are compiled with other flags than libraries.
function(softhccl_precompiled_for_tests)
  if(NOT TARGET softhccl_precompiled_test)
    add_executable(softhccl_precompiled_test ${CMAKE_BINARY_DIR}/precompiled.cc)
    target_link_libraries(softhccl_precompiled_test PRIVATE softhccl_test_flags fmt::fmt GTest::gmock Threads::Threads)
    target_precompile_headers(softhccl_precompiled_test PRIVATE ${core_headers} <gmock/gmock.h> <gtest/gtest.h>)
  endif()
endfunction()

# softhccl_module(<name> SOURCES <files> [MODULES <lower modules>] [LIBRARIES <external>]): an object-like static
# library softhccl_<name>; everything of the core is linked into libsofthccl.so.
function(softhccl_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;MODULES;LIBRARIES" ${ARGN})
  add_library(softhccl_${name} OBJECT ${ARG_SOURCES})
  target_link_libraries(softhccl_${name} PRIVATE softhccl_flags PUBLIC fmt::fmt Threads::Threads)
  foreach(module ${ARG_MODULES})
    target_link_libraries(softhccl_${name} PUBLIC softhccl_${module})
  endforeach()
  target_link_libraries(softhccl_${name} PRIVATE ${ARG_LIBRARIES})
  target_precompile_headers(softhccl_${name} REUSE_FROM softhccl_precompiled_core)
  set_property(GLOBAL APPEND PROPERTY SOFTHCCL_CORE_MODULES softhccl_${name})
  set_property(GLOBAL APPEND PROPERTY SOFTHCCL_CORE_LIBRARIES ${ARG_LIBRARIES})
endfunction()

# softhccl_uses_regex(<files>): GCC 12 takes what <regex> moves for uninitialised when sanitizers are on.
function(softhccl_uses_regex)
  if(SOFTHCCL_SANITIZE)
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS -Wno-maybe-uninitialized)
  endif()
endfunction()

# softhccl_test(<name> SOURCES <files> [LIBRARIES <targets>] [LABEL fast|slow]): a gtest program run by ctest, and run
# again in the sanitizer builds.
function(softhccl_test name)
  cmake_parse_arguments(ARG "" "LABEL" "SOURCES;LIBRARIES" ${ARGN})
  if(NOT ARG_LABEL)
    set(ARG_LABEL fast)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  softhccl_precompiled_for_tests()
  target_precompile_headers(${name} REUSE_FROM softhccl_precompiled_test)
  target_link_libraries(${name} PRIVATE softhccl_test_flags ${ARG_LIBRARIES} softhccl GTest::gmock GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABEL};sanitize" TIMEOUT 600)
endfunction()
