# Makes the SDK in this folder the one in use: source it, in bash, zsh, or in a script with set -eu. Sourcing it again
# changes nothing; sourcing that of another SDK puts that one first.
# shellcheck shell=bash

_softhccl_self="${BASH_SOURCE:-$0}"
_softhccl_root="$(cd "$(dirname "$_softhccl_self")" 2>/dev/null && pwd)" || _softhccl_root=""

# Puts a folder in front of a list, once; prints the new list.
_softhccl_prepend() {
  _softhccl_list=":$2:"
  while :; do
    case "$_softhccl_list" in
      *":$1:"*) _softhccl_list="${_softhccl_list%%":$1:"*}:${_softhccl_list#*":$1:"}" ;;
      *) break ;;
    esac
  done
  _softhccl_list="${_softhccl_list#:}"
  _softhccl_list="${_softhccl_list%:}"
  printf '%s' "$1${_softhccl_list:+:$_softhccl_list}"
}

if [ -z "$_softhccl_root" ] || [ ! -f "$_softhccl_root/set_env.sh" ] || [ ! -d "$_softhccl_root/lib64" ]; then
  echo "set_env.sh: error: cannot tell where the SDK is; source it from bash: source <sdk>/set_env.sh" >&2
  unset -f _softhccl_prepend
  unset _softhccl_self _softhccl_root
  # shellcheck disable=SC2317
  return 1 2>/dev/null || exit 1
fi

export ASCEND_HOME_PATH="$_softhccl_root"
export ASCEND_TOOLKIT_HOME="$_softhccl_root"
export ASCEND_OPP_PATH="$_softhccl_root/opp"
export ASCEND_AICPU_PATH="$_softhccl_root"
export TOOLCHAIN_HOME="$_softhccl_root/toolkit"
PATH="$(_softhccl_prepend "$_softhccl_root/bin" "${PATH:-}")"
export PATH
LD_LIBRARY_PATH="$(_softhccl_prepend "$_softhccl_root/lib64" "${LD_LIBRARY_PATH:-}")"
export LD_LIBRARY_PATH
CMAKE_PREFIX_PATH="$(_softhccl_prepend "$_softhccl_root/lib64/cmake" "${CMAKE_PREFIX_PATH:-}")"
export CMAKE_PREFIX_PATH

# The build script of an operator repository sources this file after it has made CUSTOM_OPTION and before it calls cmake. It
# would then download a packer (and more), because it looks for them in its own third_party: this SDK has them. A folder of
# the user's own that holds a packer is left alone.
if [ -n "${CUSTOM_OPTION:-}" ] && [ -n "${CANN_3RD_LIB_PATH:-}" ] && [ ! -e "$CANN_3RD_LIB_PATH/makeself/makeself.sh" ]; then
  CANN_3RD_LIB_PATH="$_softhccl_root/third_party"
  CUSTOM_OPTION="$CUSTOM_OPTION -DCANN_3RD_LIB_PATH=$CANN_3RD_LIB_PATH"
fi

unset -f _softhccl_prepend
unset _softhccl_self _softhccl_root
