#!/usr/bin/env bash
# `muster collect` against `lshw -json`: alternating whole-process runs with raw times, then system-call counts of both.
# Needs lshw and strace (apt-get install lshw strace). Run it as root, for both read more then.
#
#   benches/collect-against-lshw.sh MUSTER [RUNS]
set -euo pipefail
muster=${1:?the muster binary}
runs=${2:-10}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

elapsed() { # microseconds of one run
    local start end
    start=$(date +%s%N)
    "$@" >"$out/stdout" 2>"$out/stderr"
    end=$(date +%s%N)
    echo $(((end - start) / 1000))
}

# Both once, so that neither pays for cold caches.
elapsed "$muster" collect >/dev/null
elapsed lshw -json -quiet >/dev/null
echo "run  muster collect [us]  lshw -json [us]"
for run in $(seq "$runs"); do
    if ((run % 2)); then
        a=$(elapsed "$muster" collect)
        b=$(elapsed lshw -json -quiet)
    else
        b=$(elapsed lshw -json -quiet)
        a=$(elapsed "$muster" collect)
    fi
    printf '%3d  %19d  %15d\n' "$run" "$a" "$b"
    echo "$a $b" >>"$out/pairs"
done
sort -n "$out/pairs" | awk '{ a[NR] = $1 } END { print "median of muster collect:", a[int((NR + 1) / 2)], "us" }'
sort -n -k2 "$out/pairs" | awk '{ b[NR] = $2 } END { print "median of lshw -json:    ", b[int((NR + 1) / 2)], "us" }'
awk '{ print $1 / $2 }' "$out/pairs" | sort -n | awk '{ r[NR] = $1 } END { print "median of the ratios:    ", r[int((NR + 1) / 2)] }'

if command -v strace >/dev/null; then
    strace -f -c -o "$out/muster.calls" "$muster" collect >/dev/null 2>&1
    strace -f -c -o "$out/lshw.calls" lshw -json -quiet >/dev/null 2>&1
    echo "system calls: muster collect $(awk '/total$/ { print $3 == "total" ? $2 : $4 }' "$out/muster.calls")," \
        "lshw -json $(awk '/total$/ { print $3 == "total" ? $2 : $4 }' "$out/lshw.calls")"
    echo "most frequent of muster collect:"
    sort -k4 -n -r "$out/muster.calls" | awk '$4 ~ /^[0-9]+$/ && $NF != "total"' | head -6
    echo "most frequent of lshw -json:"
    sort -k4 -n -r "$out/lshw.calls" | awk '$4 ~ /^[0-9]+$/ && $NF != "total"' | head -6
fi
