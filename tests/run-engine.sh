#!/bin/bash
# The engine that is the default says the same as stops: the same bounded searches of samples and of targets by both, and all that their JSON tells but for
# how long it took: verdicts, executions, transitions, classes, findings with their schedules. `make check` takes two kinds of search of a few programs, `make
# check-long` all kinds of all, and those that are named are searched in all kinds: run-engine.sh [PROGRAM...]
. tests/lib.sh

# More than the first 32, which are run by stops.
EXECUTIONS=${EXECUTIONS:-96}
PART='philosophers_mut buffer_if timedwait semaphores lost_wakeup cpp_queue'

# What is the same with any clock. How many executions are watched after the search depends on what time there is left, and so does whether there was enough
# to see which variables of the environment a failure needs.
told() {
	sed -E '/^  "(seconds|watched|conditions)"/d; /^  "memory": /,/^  }/d; s/(auto|stops)\.sched/FILE/' "$1"
}

# search ENGINE FILE WORD...
search() {
	local engine=$1
	shift
	rm -f "$SCRATCH/$engine.sched" "$SCRATCH/$engine.json"
	# shellcheck disable=SC2086 # a list of words
	timeout -k 10 120 "$FMC" check -v $OPTIONS --executions "$EXECUTIONS" --time 0 --all --no-minimize --seed 3 --engine "$engine" --json "$SCRATCH/$engine.json" \
		-o "$SCRATCH/$engine.sched" -- "$@" </dev/null >"$SCRATCH/$engine.said" 2>&1
	echo "status $?" >"$SCRATCH/$engine.told"
	told "$SCRATCH/$engine.json" >>"$SCRATCH/$engine.told"
	for file in "$SCRATCH/$engine"*.sched; do
		[ ! -f "$file" ] || grep -vE '^(origin|clock|env|hidden) ' "$file"
	done >>"$SCRATCH/$engine.told"
}

# compare NAME FILE WORD...: by both engines.
compare() {
	local name=$1 engine by
	shift
	for engine in auto stops; do search $engine "$@"; done
	by=$(sed -nE 's/^fmc: ([0-9]+) executions by the agent.*/\1/p' "$SCRATCH/auto.said" | tr '\n' ' ')
	judge "$name: the same by auto (${by:-0 }by the agent) and by stops" cmp -s "$SCRATCH/stops.told" "$SCRATCH/auto.told"
	cmp -s "$SCRATCH/stops.told" "$SCRATCH/auto.told" || show <(diff "$SCRATCH/stops.told" "$SCRATCH/auto.told")
	for by in $by; do AGENTS=$((AGENTS + by)); done
}

# What can't be compared: where a client or a signal is waited for, or child processes go their own ways.
for source in samples/*.c samples/*.cc; do
	name=$(basename "${source%.*}")
	case $name in loopback | stopped | suspended | fork_locked | full_pipe | orphaned_lock | counter_server | two_processes) continue ;; esac
	PROGRAMS+=("samples/$name $(awk '/^ \*\// { exit } /^ \* fmc-options:/ && cases++ { exit } sub(/^ \* fmc-args: ?/, "")' "$source")")
done
for name in accounts ahead asks clocks counted crowd debugged dining element ends frames gate hangs idle_workers kinds leaky maps names narrow numbers raises rounds scribbles \
	shared sleepers spins spots spots_cxx stages statics storm swept tail threads thrown transfers unordered unordered_cxx world wrapped; do
	PROGRAMS+=("targets/$name ")
done

KINDS=('--strategy optimal' '--strategy random' '--strategy dfs' '--strategy surw' '--strategy random --granularity atomic' '--strategy recur')
AGENTS=0
for program in "${PROGRAMS[@]}"; do
	read -ra words <<<"$program"
	name=${words[0]##*/}
	if [ $# -gt 0 ]; then
		[[ " $* " == *" $name "* ]] || continue
	elif ! long; then
		[[ " $PART " == *" $name "* ]] || continue
	fi
	for OPTIONS in "${KINDS[@]}"; do
		long || [ $# -gt 0 ] || [ "$OPTIONS" = '--strategy random' ] || [ "$OPTIONS" = '--strategy surw' ] || continue
		compare "${words[*]}, $OPTIONS" "$BUILD/${words[0]}" "${words[@]:1}"
	done
done

LEAVES=() # by whom fmc is started
# by_agent NAME OPTION... -- PROGRAM ARG...: no failure, which might be the agent's own, in executions most of which it has run.
by_agent() {
	local name=$1 ran
	shift
	timeout -k 10 120 "${LEAVES[@]}" "$FMC" check -v --strategy random --executions "$EXECUTIONS" --time 0 --engine agent --no-minimize -o "$SCRATCH/it.sched" \
	    "$@" </dev/null >"$SCRATCH/out" 2>&1
	judge "$name: nothing is found" [ $? -eq 0 ]
	judge "$name: nothing that doesn't replay" [ "$(grep -c "didn't replay" "$SCRATCH/out")" -eq 0 ]
	ran=$(sed -nE 's/^fmc: ([0-9]+) executions by the agent.*/\1/p' "$SCRATCH/out")
	judge "$name: by the agent" [ "${ran:-0}" -ge $((EXECUTIONS / 2)) ]
}
if [ $# -eq 0 ]; then
	for granularity in sync atomic; do
		by_agent "vector registers, $granularity" --granularity $granularity -- "$BUILD/targets/registers" vectors
		by_agent "rounding and flags, $granularity" --granularity $granularity -- "$BUILD/targets/registers" controls
	done
	"$BUILD/targets/registers" bases
	if [ $? -eq 2 ]; then skip "bases of segments"; else by_agent "bases of segments" -- "$BUILD/targets/registers" bases; fi
	by_agent "what a process asks about itself" -- "$BUILD/targets/itself"
	# Whoever has started fmc may have left it something open, which perf(1) does, and which the program knows nothing of.
	LEAVES=(python3 -c 'import os, sys; os.set_inheritable(os.eventfd(0), True); os.execv(sys.argv[1], sys.argv[1:])')
	by_agent "an inherited event counter" -- "$BUILD/samples/philosophers_ordered" 3
	LEAVES=()
fi
[ $# -gt 0 ] || judge "of these executions the agent has run some ($AGENTS)" [ "$AGENTS" -ge $((EXECUTIONS - 32)) ]
finish
