#!/bin/bash
# Knowledge goes one way: each layer's archive links with nothing but the layers that it may use, and each room uses no other than
# those before it, as the drawing shows. And no result of a function that may fail is left out by mistake.
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
# Files that call each other in a circle are one idea, or are found.
: >"$SCRATCH/circles"
CIRCLES=$SCRATCH/circles tests/rooms.py check "$BUILD" "${rooms[@]}" >"$SCRATCH/out" 2>&1
judge "a circle of calls in a room is found" [ $? -eq 1 -a -n "$(grep 'replay/backwards/near.c calls' "$SCRATCH/out")" ]
echo "tracer/proc proc.c maps.c" | cat tests/circles - >"$SCRATCH/circles"
CIRCLES=$SCRATCH/circles tests/rooms.py check "$BUILD" "${rooms[@]}" >"$SCRATCH/out" 2>&1
judge "a circle that isn't there any more is found" [ $? -eq 1 -a "$(wc -l <"$SCRATCH/out")" -eq 1 ]
tests/rooms.py drawn "$BUILD" "${rooms[@]}" >"$SCRATCH/out" 2>&1
judge "man/rooms.svg shows what they use" [ $? -eq 0 ]
show "$SCRATCH/out"
# Without the last room it wouldn't.
tests/rooms.py drawn "$BUILD" "${rooms[@]::${#rooms[@]}-1}" >"$SCRATCH/out" 2>&1
judge "an old drawing is found" [ $? -eq 1 ]

# compiles COMPILER STATEMENT: with warnings as errors, where may_fail() returns a status.
compiles() {
	printf '#include <fmc/tracer/status.h>\nenum status may_fail(void);\nvoid caller(void);\nvoid caller(void)\n{\n\t%s\n}\n' "$2" |
	    "$1" -std=gnu11 -Wall -Wextra -Werror -Iinclude -x c -c - -o "$SCRATCH/caller.o" 2>"$SCRATCH/out"
}
for compiler in cc gcc clang; do
	command -v $compiler >/dev/null || continue
	compiles $compiler '(void)may_fail();'
	judge "$compiler: a result may be left out by intention" [ $? -eq 0 ]
	compiles $compiler 'may_fail();'
	judge "$compiler: a result that is ignored doesn't compile" [ $? -ne 0 -a -n "$(grep unused-result "$SCRATCH/out")" ]
done
finish
