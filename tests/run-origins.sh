#!/bin/bash
# An execution is the same whether it starts from a fresh exec or from a copy: for each sample a random one, in `make check-long` also the
# first one, is run both ways, and the schedules written have to be equal. And a search is the same whether its executions are run by stops or
# by the agent.
. tests/lib.sh

# first_args FILE: the arguments of the sample's first case.
first_args() {
	awk '/^ \*\// { exit } /^ \* fmc-options:/ && cases++ { exit } sub(/^ \* fmc-args: ?/, "")' "$1"
}

for source in samples/*.c samples/*.cc; do
	name=$(basename "${source%.*}")
	# They wait for ever there: others might come to a socket, or send a signal. Child processes, which aren't followed there, go their own ways.
	case $name in loopback | stopped | suspended | fork_locked | full_pipe | orphaned_lock) continue ;; esac
	args=$(first_args "$source")
	for seed in $(long && echo 0) 7; do
		[ "$seed" != 0 ] || seed=
		for kind in exec copy; do
			# shellcheck disable=SC2086
			timeout -k 10 60 "$FMC" run ${seed:+--seed $seed} --depth 2000 --origin $kind -o "$SCRATCH/$kind.sched" -- \
			    "$BUILD/samples/$name" $args </dev/null >"$SCRATCH/$kind.out" 2>"$SCRATCH/$kind.err"
			echo $? >"$SCRATCH/$kind.status"
			grep -vE '^(origin|clock) ' "$SCRATCH/$kind.sched" >"$SCRATCH/$kind.body"
			# Messages name the schedule file.
			sed -i "s/$kind\.sched/FILE/g" "$SCRATCH/$kind.err"
			rm -f "$SCRATCH/$kind.sched"
		done
		same=yes
		for part in status out err body; do
			cmp -s "$SCRATCH/exec.$part" "$SCRATCH/copy.$part" || same="different $part"
		done
		[ -s "$SCRATCH/exec.body" ] || same='no schedule'
		judge "$name${seed:+, seed $seed}: exec and copy ($same)" [ "$same" = yes ]
		[ "$same" = yes ] || show <(diff "$SCRATCH/exec.body" "$SCRATCH/copy.body") "$SCRATCH/copy.err"
	done
done

# search ENGINE WORD...: what a search says of a sample, but for how long it took (and so without minimising, which has a budget), in $SCRATCH/ENGINE.out; its schedule is in ENGINE.sched.
search() {
	local engine=$1
	rm -f "$SCRATCH/$engine.sched"
	timeout -k 10 60 "$FMC" check -v --strategy optimal --time 50 --require-complete --no-minimize --engine "$engine" -o "$SCRATCH/$engine.sched" -- "$BUILD/samples/$2" "${@:3}" \
	    </dev/null >"$SCRATCH/out" 2>&1
	echo "status $?" >>"$SCRATCH/out"
	grep -oE '^fmc: [0-9]+ executions by the agent' "$SCRATCH/out" >"$SCRATCH/$engine.by"
	sed -E "s/[0-9.]+ (seconds|s|ms)\b/TIME/g; s/$engine\.sched/FILE/g; /by the agent/d" "$SCRATCH/out" >"$SCRATCH/$engine.out"
	grep -vE '^(origin|clock) ' "$SCRATCH/$engine.sched" >"$SCRATCH/$engine.body" 2>/dev/null
}

for sample in 'philosophers_mut 4' 'philosophers_mut 5 unguarded' 'fair_philosophers' 'buffer' 'lost_wakeup 2'; do
	# shellcheck disable=SC2086
	for engine in stops agent; do search $engine $sample; done
	judge "$sample: the same search by stops and by the agent" cmp -s "$SCRATCH/stops.out" "$SCRATCH/agent.out"
	cmp -s "$SCRATCH/stops.out" "$SCRATCH/agent.out" || show <(diff "$SCRATCH/stops.out" "$SCRATCH/agent.out")
	judge "$sample: and the same schedule" cmp -s "$SCRATCH/stops.body" "$SCRATCH/agent.body"
done
search agent philosophers_mut 4
judge "the agent has run most of them ($(cat "$SCRATCH/agent.by"))" grep -qE '^fmc: 2[0-9] ' "$SCRATCH/agent.by"
"$FMC" check -v --strategy optimal --engine agent --verify-engine 1 -- "$BUILD/samples/philosophers_mut" 4 </dev/null >"$SCRATCH/out" 2>&1
judge "and each is the same by stops" [ $? -eq 0 -a -n "$(grep ' 24 executions' "$SCRATCH/out")" ]
"$FMC" check -v --strategy random --executions 60 --engine auto --verify-engine 1 -- "$BUILD/samples/philosophers_mut" 3 </dev/null >"$SCRATCH/out" 2>&1
judge "auto begins with stops, and goes on with the agent" grep -q '^fmc: 28 executions by the agent' "$SCRATCH/out"
for strategy in surw recur; do
	"$FMC" check -v --strategy $strategy --executions 60 --engine auto --verify-engine 1 -- "$BUILD/samples/philosophers_mut" 3 </dev/null >"$SCRATCH/$strategy" 2>&1
done
judge "so it does with profiles" grep -q '^fmc: 28 executions by the agent' "$SCRATCH/surw"
judge "and attempts nothing where loops are looked for all the time" grep -q '^fmc: 28 not by the agent: loops ' "$SCRATCH/recur"

# A child has ended before the first thread: what it has left behind is known inside, too.
"$FMC" check -v --strategy random --executions 12 --all --no-minimize --engine agent --verify-engine 1 -- "$BUILD/targets/undone" </dev/null >"$SCRATCH/out" 2>&1
judge "an end of a child before the beginning" [ $? -eq 0 -a -n "$(grep '^fmc: 12 executions by the agent' "$SCRATCH/out")" ] || show "$SCRATCH/out"

# Instructions as operations: atomic ones, and those that race.
"$FMC" check -v --strategy random --granularity atomic --executions 60 --all --no-minimize --engine agent --verify-engine 1 \
	-o "$SCRATCH/random.sched" -- "$BUILD/samples/cpp_semaphore" </dev/null >"$SCRATCH/out" 2>&1
judge "atomic instructions are the same by both" [ $? -le 1 -a -n "$(grep -E '^fmc: [2-5][0-9] executions by the agent' "$SCRATCH/out")" ]
"$FMC" check -v --strategy random --granularity atomic --executions 60 --all --no-minimize --engine agent --verify-engine 1 \
	-o "$SCRATCH/random.sched" -- "$BUILD/samples/treiber_stack" </dev/null >"$SCRATCH/out" 2>&1
judge "a round that stops have tried out goes on with the agent from then on" [ $? -le 1 -a -n "$(grep -E '^fmc: (4[4-9]|5[0-9]) executions by the agent' "$SCRATCH/out")" ]
# It is the default, and leaves by itself what it has no part in.
"$FMC" check -v --strategy random --executions 60 -- "$BUILD/samples/philosophers_mut" 3 </dev/null >"$SCRATCH/out" 2>&1
judge "auto is the default" grep -q '^fmc: 28 executions by the agent' "$SCRATCH/out"
"$FMC" check -v --strategy random --executions 60 --engine stops -- "$BUILD/samples/philosophers_mut" 3 </dev/null >"$SCRATCH/out" 2>&1
judge "--engine stops turns it off" [ $? -eq 0 -a -z "$(grep 'by the agent' "$SCRATCH/out")" ]
left() {
	"$FMC" check -v --executions 40 --all --no-minimize -o "$SCRATCH/left.sched" "${@:2}" -- "$BUILD/samples/philosophers_mut" 3 </dev/null >"$SCRATCH/out" 2>&1
	judge "left to stops with ${*:2}" grep -qE "^fmc: [0-9]+ not by the agent: $1" "$SCRATCH/out"
}
left 'what it prints in the end' --strategy random --outcomes
left 'what has to hold' --strategy random --always 1
left 'its processes are followed' --strategy random --follow
left 'signals come to it from outside' --strategy random --signal TERM
left 'the order of waking is given' --strategy random --wakeup cond=fifo

"$FMC" check -v --strategy optimal --granularity race --time 50 --engine agent --verify-engine 1 -- "$BUILD/samples/stop_flag" </dev/null >"$SCRATCH/out" 2>&1
judge "and so are those that race" [ $? -eq 0 -a -n "$(grep -E '^fmc: [12][0-9] executions by the agent' "$SCRATCH/out")" ]
"$FMC" check -v --strategy optimal --granularity race --time 50 --engine agent --verify-engine 1 -- "$BUILD/samples/seqlock" </dev/null >"$SCRATCH/out" 2>&1
judge "also in the last of three searches" [ $? -eq 0 -a -n "$(grep -E '^fmc: [1-9][0-9]* executions by the agent' "$SCRATCH/out")" ]

# Random plans of every sample, each run both ways, and compared: transitions, and registers and memory at the end.
for program in "$BUILD"/samples/*; do
	long || break
	name=${program##*/}
	[[ -f $program && -x $program && $name != *.* && $name != counter_server ]] || continue
	arguments=()
	[ "$name" != checksum ] || arguments=(samples/texts 2)
	for granularity in sync atomic race; do
		timeout -k 10 200 "$FMC" check -v --strategy random --granularity $granularity --executions 400 --time 100 --all --no-minimize --engine agent \
			--verify-engine 1 -o "$SCRATCH/random.sched" -- "$program" "${arguments[@]}" </dev/null >"$SCRATCH/out" 2>&1
		status=$?
		judge "$name, $granularity: the same plans by both ($(grep -oE '^fmc: [0-9]+ executions by the agent' "$SCRATCH/out" | tr '\n' ' '))" [ $status -le 2 ]
		[ $status -le 2 ] || show "$SCRATCH/out"
	done
done
finish
