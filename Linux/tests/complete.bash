#!/usr/bin/env bash
# Prints what bash offers for a command line that ends with the word to be completed, one candidate on a line:
# `complete.bash <completion script> keyspan rea`.
set -euo pipefail

# shellcheck source=/dev/null
. "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
COMP_LINE=$*
COMP_POINT=${#COMP_LINE}
COMPREPLY=()
# The script has functions for an interactive shell, which go on when a command in them fails.
set +eu
_keyspan "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
if ((${#COMPREPLY[@]} > 0)); then
    printf '%s\n' "${COMPREPLY[@]}"
fi
