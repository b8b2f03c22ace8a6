#!/bin/bash
# Programs as distributions ship them, and one of narrow instructions, with every access to memory told: their output and their operations are what they are without that.
. tests/lib.sh
SEEDS=${SEEDS:-5}

awk 'BEGIN { x = 12345; for (i = 0; i < 3000; i++) { x = (x * 16807) % 2147483647; printf "%d%c", x % 9973, i % 9 ? 32 : 10 } }' >"$SCRATCH/text"

# look COMMAND...
look() {
	if ! command -v "$1" >/dev/null; then
		skip "$1: not installed"
		return
	fi
	timeout -k 10 300 "$BUILD/tests/watched" "$SEEDS" "$(command -v "$1")" "${@:2}" <"$SCRATCH/text" \
	    >"$SCRATCH/out" 2>&1
	judge "$*" [ $? -eq 0 ]
	[ "$(grep -c ' plain, ' "$SCRATCH/out")" -eq "$SEEDS" ] && ! grep -q OTHER "$SCRATCH/out" || show "$SCRATCH/out"
}

make -s "$BUILD/tests/watched"
look pigz -p 3 -b 128 -c
look pbzip2 -p2 -b1 -c
look xz -T2 -1 --block-size=8192 -c
# More often than traps can be met.
look "$BUILD/targets/narrow"

finish
