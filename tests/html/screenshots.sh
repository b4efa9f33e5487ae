#!/usr/bin/env bash
# Screenshots of the HTML report of captures or inventories, at two widths, light and dark:
#   tests/html/screenshots.sh OUT_DIR [MUSTER_OPTION ...] CAPTURE ...
# MUSTER names the program [default: that of the debug build].
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
muster="${MUSTER:-${CARGO_TARGET_DIR:-$here/../../target}/debug/muster}"
out="$1"
shift
mkdir -p "$out"
# The verdict's exit code says nothing of whether the report was written; the file does.
rm -f "$out/report.html"
"$muster" judge --quiet --out "$out" "$@" || true
[ -s "$out/report.html" ] || { echo "no report was written" >&2; exit 1; }
python3 "$here/browser.py" shots "$out/report.html" "$out/shot"
ls "$out"/shot-*.png
