#!/bin/bash
# Says what it was given, and copies the package's files from the folder that it runs in.
printf 'argument <%s>\n' "$@"
[ "$1" = --from-package ] || exit 3
for argument in "$@"; do
  case "$argument" in
    --install-path=*) target=${argument#*=} ;;
    --fail) exit 7 ;;
  esac
done
cp -r ./opp "$target"
