#!/bin/bash
# Knowledge goes one way: each layer's archive links with nothing but the layers that it may use, and includes no private
# header of another.
. tests/lib.sh
MAKE=${MAKE:-make}

for layer in tracer breakpoints supervisor replay; do
	$MAKE --no-print-directory BUILD="$BUILD" link-$layer >"$SCRATCH/out" 2>&1
	status=$?
	judge "$layer links alone" [ $status -eq 0 ]
	[ $status -eq 0 ] || show <(grep 'undefined reference' "$SCRATCH/out" | sort -u)
	grep -nE "^#include \"(tracer|breakpoints|supervisor|replay)/" $(find $layer -name cli -prune -o -name "*.[ch]" -print) |
	    grep -v "#include \"$layer/" >"$SCRATCH/private"
	judge "$layer includes no private header of another layer" [ ! -s "$SCRATCH/private" ]
	show "$SCRATCH/private"
done
finish
