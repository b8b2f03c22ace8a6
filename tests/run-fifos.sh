#!/bin/bash
# FIFOs whose ends two threads, or two processes, open by their names, which waits for each other: right uses are searched completely, in as many
# executions as there are different ones; wrong ones are found, replayed and walked.
. tests/lib.sh
fmc=$(realpath "$FMC")
target=$(realpath "$BUILD/targets/fifos")
mkdir "$SCRATCH/folder"
export TMPDIR=$SCRATCH/folder

field() {
	"$BUILD/tests/json" "$SCRATCH/json" "$1"
}

# search STRATEGY STATUS WORD...: the last of the words is the case.
search() {
	local strategy=$1 expected=$2 follow=
	shift 2
	[[ " $* " != *" process "* ]] || follow=--follow
	timeout -k 5 100 "$fmc" check --strategy "$strategy" $follow --require-complete --granularity sync --json "$SCRATCH/json" \
	    -o "$SCRATCH/${!#}.sched" -- "$target" "$@" </dev/null >"$SCRATCH/out" 2>&1
	judge "$* by $strategy: status $expected" [ $? -eq "$expected" ]
}

# as_many STATUS WORD...
as_many() {
	search dfs "$@"
	all=$(field classes)
	search optimal "$@"
	judge "${*:2}: $all different executions, as many as there are" [ "$(field executions)" = "$all" ]
}

replays() {
	timeout -k 5 60 "$fmc" replay "$SCRATCH/$1.sched" </dev/null >"$SCRATCH/out" 2>&1
	judge "$1: replayed" [ $? -eq 0 ]
}

for case in meet both ordered early ended; do
	as_many 0 any $case
	says $case '^Search complete'
done
# Of signals that come between operations it is told.
for case in restarted interrupted; do
	search dfs 2 any $case
	all=$(field classes)
	search optimal 2 any $case
	judge "$case: $all different executions by both" [ "$(field classes)" = "$all" ]
done
for case in meet gone both ordered; do
	as_many 0 process $case
done
for case in early ended interrupted; do
	search optimal 1 $case
	says $case '^abort: T'
	replays $case
done
for word in '' process; do
	search optimal 1 $word crossed
	[ -n "$word" ] && one=T1.1 other=T2.1 || one=T2 other=T3
	says crossed "^deadlock: .*($one waits for fifo of [ab], $other waits for fifo of [ab]|$other waits for fifo of [ab], $one waits for fifo of [ab])"
	replays crossed
	search optimal 1 $word locked
	says locked '^deadlock: ' 'waits for fifo of a' 'waits for .* held by T'
	replays locked
done
if command -v gdb >/dev/null; then
	search optimal 1 crossed
	timeout -k 5 100 "$fmc" gdb "$SCRATCH/crossed.sched" -batch -ex 'fmc-goto end' -ex fmc-prev -ex fmc-prev -ex fmc-next -ex fmc-threads \
	    -ex 'fmc-goto end' -ex fmc-threads </dev/null >"$SCRATCH/out" 2>&1
	says "crossed: in GDB" 'fifo_open'
fi
judge "the folder is as it was" [ -z "$(ls "$TMPDIR")" ]
# What was there before others may open, too.
mkfifo "$TMPDIR/a" "$TMPDIR/b"
search optimal 2 given meet
says "given meet" '^No failure found' "FIFOs that others may open, too"
search optimal 2 given crossed
says "given crossed" '^No failure found' "FIFOs that others may open, too"
finish
