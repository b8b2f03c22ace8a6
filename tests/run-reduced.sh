#!/bin/bash
# Reduced searches of real programs find every way to end that a search without reduction finds.
. tests/lib.sh
LEAVING=$BUILD/targets/leaving

# ends STRATEGY ARGUMENT...: the different exit statuses, then the number of executions goes to $SCRATCH/executions.
ends() {
	local strategy=$1 i message
	shift
	timeout -k 10 200 "$FMC" check --strategy "$strategy" --require-complete --expect-exit 0 --no-minimize --all \
	    -o "$SCRATCH/reduced.sched" --json "$SCRATCH/json" -- "$@" </dev/null >"$SCRATCH/out" 2>"$SCRATCH/err"
	"$BUILD/tests/json" "$SCRATCH/json" executions >"$SCRATCH/executions"
	"$BUILD/tests/json" "$SCRATCH/json" complete
	for ((i = 0; i < 100; i++)); do
		message=$("$BUILD/tests/json" "$SCRATCH/json" findings.$i.message 2>/dev/null) && [ -n "$message" ] || break
		echo "$message"
	done | sort
}

# leaving EXECUTIONS DEED...: main exits, and the last thread ends the process; so many executions of source.
leaving() {
	local expected=$1 strategy
	shift
	ends dfs "$LEAVING" "$@" >"$SCRATCH/dfs"
	for strategy in source optimal; do
		ends $strategy "$LEAVING" "$@" >"$SCRATCH/$strategy"
		judge "$strategy, main leaves '$*'" cmp -s "$SCRATCH/dfs" "$SCRATCH/$strategy"
		cmp -s "$SCRATCH/dfs" "$SCRATCH/$strategy" || show "$SCRATCH/dfs" "$SCRATCH/$strategy"
		judge "  in $expected executions" [ "$(cat "$SCRATCH/executions")" = "$expected" ]
	done
}

# The first one, before it is known that main leaves, counts for nothing.
leaving 4 l l
leaving 1 l
leaving 3 w p
leaving 7 c l
leaving 7 l c
leaving 5 t l
leaving 2 p w w
! long || leaving 23 tl lt

# The process is killed while main is on its way out, and when it has gone.
for seed in 1 2 3 4 5 6; do
	timeout -k 10 100 "$FMC" run --seed $seed -o "$SCRATCH/run.sched" -- "$LEAVING" wk l p </dev/null >"$SCRATCH/out" 2>&1
	judge "seed $seed: killed" [ $? -eq 137 ]
done
timeout -k 10 100 "$FMC" check --strategy dfs -o "$SCRATCH/check.sched" -- "$LEAVING" wk p </dev/null >"$SCRATCH/out" 2>&1
says "killed after main" 'crash: T2 got SIGKILL' 'T1 main: has exited'
finish
