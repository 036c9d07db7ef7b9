# A library must export what operators look up and nothing else, or its helpers take part in the symbol search of programs
# that load it. Variables: NM, LIBRARY, EXPECTED (separated by commas).
execute_process(COMMAND ${NM} -D --defined-only --format=posix ${LIBRARY} OUTPUT_VARIABLE symbols
                RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "${NM} cannot read ${LIBRARY}")
endif()
string(REGEX MATCHALL "[^\n]+" lines "${symbols}")
set(exported)
foreach(line ${lines})
  string(REGEX MATCH "^[^ ]+" name "${line}")
  list(APPEND exported ${name})
endforeach()
string(REPLACE "," ";" expected "${EXPECTED}")
list(SORT exported)
list(SORT expected)
if(NOT exported STREQUAL expected)
  message(FATAL_ERROR "${LIBRARY} exports\n  ${exported}\nbut should export\n  ${expected}")
endif()
