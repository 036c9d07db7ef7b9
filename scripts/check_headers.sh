#!/bin/bash
# Compiles every public header by itself, as its users do: C++14 with the old string ABI (host operators), C++20 (the library),
# and C99 for those that C programs may include. A header that only works after another one breaks foreign sources in ways
# that our own build never shows. Usage: check_headers.sh [include directory]; CXX and CC name the compilers.
set -u
include_dir="${1:-$(cd "$(dirname "$0")/.." && pwd)/include}"
cxx="${CXX:-g++}"
cc="${CC:-gcc}"
warnings=(-Wall -Wextra -Wpedantic -Werror)
c_headers='^(securec|securectype|mmpa/mmpa_api|acl/.*|base/(dlog_pub|acl_log|log_types))\.h$'

if [ ! -d "$include_dir" ]; then
  echo "check_headers: FAILED: no directory $include_dir"
  exit 1
fi

checked=0
failed=0
# compile <label> <header> <compiler and options...>
compile() {
  local label="$1" header="$2" output
  shift 2
  checked=$((checked + 1))
  # The header alone, reached through an include directory, so that its own relative includes are what is tested.
  if ! output=$(printf '#include "%s"\ntypedef int translation_unit_is_not_empty;\n' "$header" |
                "$@" "${warnings[@]}" -I"$include_dir" -fsyntax-only - 2>&1); then
    failed=$((failed + 1))
    printf '%s does not compile alone as %s:\n%s\n' "$header" "$label" "$output"
  fi
}

while IFS= read -r header; do
  compile 'C++14, old string ABI' "$header" "$cxx" -x c++ -std=c++14 -D_GLIBCXX_USE_CXX11_ABI=0
  compile 'C++20' "$header" "$cxx" -x c++ -std=c++20
  if [[ "$header" =~ $c_headers ]]; then
    compile 'C99' "$header" "$cc" -x c -std=c99 -D_POSIX_C_SOURCE=200809L
  fi
done < <(cd "$include_dir" && find . -name '*.h' -printf '%P\n' | sort)

if [ "$checked" -eq 0 ]; then
  echo "check_headers: FAILED: no header below $include_dir"
  exit 1
fi
if [ "$failed" -ne 0 ]; then
  echo "check_headers: FAILED: $failed of $checked compilations of single headers"
  exit 1
fi
echo "check_headers: OK: $checked compilations of single headers without a warning"
