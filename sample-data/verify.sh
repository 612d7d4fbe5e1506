#!/bin/sh
# Applies every candidate to its base in a temporary folder, runs the hidden tests, and compares
# the results with the recorded ones (tasks/<task>/outcomes.json). Exit status 1: something differs.
# `--record` writes what was seen instead of comparing.
exec python3 "$(dirname "$0")/verify.py" "$@"
