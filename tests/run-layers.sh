#!/bin/bash
# Knowledge goes one way: each layer's archive links with nothing but the layers that it may use, and each room uses no other than
# those before it, as the drawing shows.
. tests/lib.sh
MAKE=${MAKE:-make}

for layer in tracer breakpoints supervisor replay; do
	$MAKE --no-print-directory BUILD="$BUILD" link-$layer >"$SCRATCH/out" 2>&1
	status=$?
	judge "$layer links alone" [ $status -eq 0 ]
	[ $status -eq 0 ] || show <(grep 'undefined reference' "$SCRATCH/out" | sort -u)
done

read -ra rooms < <($MAKE --no-print-directory -s rooms)
tests/rooms.py check "$BUILD" "${rooms[@]}" >"$SCRATCH/out" 2>&1
judge "each of ${#rooms[@]} rooms uses those before it only" [ $? -eq 0 ]
show "$SCRATCH/out"
# In another order that wouldn't be so.
tests/rooms.py check "$BUILD" "${rooms[@]:1}" "${rooms[0]}" >"$SCRATCH/out" 2>&1
judge "a room in the wrong place is found" [ $? -eq 1 ]
tests/rooms.py drawn "$BUILD" "${rooms[@]}" >"$SCRATCH/out" 2>&1
judge "man/rooms.svg shows what they use" [ $? -eq 0 ]
show "$SCRATCH/out"
# Without the last room it wouldn't.
tests/rooms.py drawn "$BUILD" "${rooms[@]::${#rooms[@]}-1}" >"$SCRATCH/out" 2>&1
judge "an old drawing is found" [ $? -eq 1 ]
finish
