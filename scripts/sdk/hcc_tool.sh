#!/bin/sh
# Operator projects name a cross compiler for the device; here the device is this machine, so the tool of the same name
# of the host takes its place. The name of this file says which: aarch64-target-linux-gnu-<tool>.
tool=${0##*/}
tool=${tool#aarch64-target-linux-gnu-}
exec "$tool" "$@"
