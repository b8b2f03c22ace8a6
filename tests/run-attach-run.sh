#!/bin/bash
# fmc attach --run: processes run under fmc's scheduling and are released, whatever becomes of fmc. KILLS: how often it is
# killed.
. tests/lib.sh
KILLS=${KILLS:-$(long && echo 100 || echo 25)}
RANDOM=${SEED:-1}
pid= fmc= touched=0

# Whatever is left is killed, one by one.
cleanup() {
	local process
	for process in $pid $fmc; do kill -KILL "$process" 2>/dev/null; done
	rm -rf "$SCRATCH"
}
trap cleanup EXIT

state() {
	tests/process_state.py "$pid" "$@"
}

# begin PROGRAM ARGUMENT...: its standard input is descriptor 8, its output is in "out"; sets pid.
begin() {
	rm -f "$SCRATCH/orders" "$SCRATCH/out"
	mkfifo "$SCRATCH/orders"
	"$@" <"$SCRATCH/orders" >"$SCRATCH/out" &
	pid=$!
	exec 8>"$SCRATCH/orders"
	until grep -qs ready "$SCRATCH/out"; do
		kill -0 "$pid" 2>/dev/null || {
			fail "$1 ends before it is ready"
			finish
			exit 1
		}
		sleep 0.01
	done
	state >"$SCRATCH/before"
}

# start TARGET ARGUMENT...
start() {
	begin "$BUILD/targets/$1" "${@:2}"
}

# Is everything in it as it was before? A handler that runs just now changes the mask of signals.
unchanged() {
	local tries
	for tries in {1..200}; do
		state >"$SCRATCH/after" && cmp -s "$SCRATCH/before" "$SCRATCH/after" && return 0
	done
	return 1
}

# Has fmc changed its code?
planted() {
	state >"$SCRATCH/after"
	! cmp -s <(grep -E ' [0-9a-f]{64}$' "$SCRATCH/before") <(grep -E ' [0-9a-f]{64}$' "$SCRATCH/after")
}

# until_planted: until it has. False if $fmc ends without.
until_planted() {
	until planted; do kill -0 $fmc 2>/dev/null || return 1; done
}

# It ends as it should, and says that all was right.
ends_right() {
	echo q >&8
	exec 8>&-
	wait "$pid"
	local status=$?
	pid=
	[ $status -eq 0 ] && grep -q '^right' "$SCRATCH/out"
}

end() {
	exec 8>&-
	kill -KILL "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
	pid=
}

# go ARGUMENT...: fmc attach --run in the background; sets fmc.
go() {
	"$FMC" attach --run "$@" "$pid" </dev/null >"$SCRATCH/said" 2>"$SCRATCH/err" &
	fmc=$!
}

# over: until that has ended; sets status.
over() {
	wait $fmc
	status=$?
	fmc=
}

# run ARGUMENT...: fmc attach --run to its end; sets status.
run() {
	timeout -k 10 300 "$FMC" attach --run "$@" "$pid" </dev/null >"$SCRATCH/said" 2>"$SCRATCH/err"
	status=$?
}

# Those who run for process $1: its tracer and guardians. Without any command, as it is asked often.
helpers() {
	local process name line words
	for process in /proc/[0-9]*; do
		{ read -r name <"$process/comm"; } 2>/dev/null || continue
		[ "$name" = fmc-tracer ] || [ "$name" = fmc-guardian ] || continue
		{ read -r line <"$process/stat"; } 2>/dev/null || continue
		[[ ${line##*)} != " Z"* ]] || continue
		{ mapfile -d '' words <"$process/cmdline"; } 2>/dev/null
		[ "${words[*]: -1}" = "$1" ] && echo "${process#/proc/}"
	done
	return 0
}

# Some moment in the life of $fmc: each second time of the part when it has hold of the process.
random_moment() {
	if [ $(($1 % 2)) -eq 1 ]; then
		while kill -0 $fmc 2>/dev/null && [ -z "$(helpers "$pid")" ]; do :; done
	fi
	sleep 0.$(printf %03d $((RANDOM % 200)))
	[ -z "$(helpers "$pid")" ] || touched=$((touched + 1))
}

no_helpers() {
	local tries
	for tries in {1..3000}; do
		[ -z "$(helpers "$1")" ] && return 0
		sleep 0.02
	done
	return 1
}

#
# Programs that check themselves.
#
for target in lively lively.static; do
	for strategy in random pct:3 pos; do
		start $target
		run --strategy $strategy --seed 5 --time 0.7 -o "$SCRATCH/$target.sched"
		judge "$target, $strategy: exit status 0" [ $status -eq 0 ]
		judge "$target, $strategy: everything is as before" unchanged
		judge "$target, $strategy: it was right" ends_right
		judge "$target, $strategy: its operations can be shown" "$FMC" show "$SCRATCH/$target.sched" >/dev/null
	done
done
timeout 60 "$FMC" replay "$SCRATCH/lively.sched" >/dev/null 2>"$SCRATCH/err"
status=$?
judge "replay refuses it" [ $status -eq 69 ]
judge "and says why" grep -q 'ran already (fmc attach --run)' "$SCRATCH/err"

#
# Ctrl-C.
#
start lively
go -o "$SCRATCH/int.sched"
until_planted
# A shell's jobs in the background ignore SIGINT.
kill -TERM $fmc
over
judge "interrupted: exit status 130" [ $status -eq 130 ]
judge "interrupted: everything is as before" unchanged
# It may have come before the first operation: nothing is to be saved then.
saved() {
	[ -s "$SCRATCH/int.sched" ] || grep -q '^0 operations of ' "$SCRATCH/said"
}
judge "interrupted: what was done is saved" saved
judge "interrupted: nobody is left behind" no_helpers "$pid"
judge "interrupted: it was right" ends_right

#
# A deadlock that hardly ever comes by itself.
#
start dining
run --seed 1 --time 60 -o "$SCRATCH/dining.sched"
judge "philosophers: exit status 1" [ $status -eq 1 ]
judge "philosophers: it is told" grep -q '^deadlock: T2 waits for forks\[1\] held by T3' "$SCRATCH/said"
judge "philosophers: the schedule says so" grep -q '^verdict deadlock' "$SCRATCH/dining.sched"
judge "philosophers: everything is as before" unchanged
end
start dining ordered
run --seed 1 --time 2 -o "$SCRATCH/ordered.sched"
judge "with an order: nothing is found" [ $status -eq 0 ]
end

#
# The process ends in the middle, in several ways.
#
start dining ordered
go --time 200 -o "$SCRATCH/crash.sched"
until_planted
echo c >&8
over
judge "crash: exit status 1" [ $status -eq 1 ]
judge "crash: it is told where" grep -q 'wait_for_end' "$SCRATCH/said"
judge "crash: the schedule says so" grep -q '^verdict crash' "$SCRATCH/crash.sched"
wait "$pid"
judge "crash: its parent hears of it" [ $? -eq 139 ]
pid=
exec 8>&-

#
# Children, the end of the guardian; libraries that come and go.
#
start lively
go --time 200 -o "$SCRATCH/disturbed.sched"
until_planted
for process in $(helpers "$pid"); do
	grep -qs fmc-guardian "/proc/$process/comm" && kill -KILL "$process"
done
echo -n ff >&8
until [ "$(grep -c '^child' "$SCRATCH/out")" -eq 2 ] || ! kill -0 $fmc 2>/dev/null; do sleep 0.01; done
judge "disturbed: its children were right" [ "$(grep -c '^child 0$' "$SCRATCH/out")" -eq 2 ]
kill -TERM $fmc
over
judge "disturbed: exit status 130" [ $status -eq 130 ]
judge "disturbed: everything is as before" unchanged
judge "disturbed: it was right" ends_right
begin python3 tests/python/opener.py
run --time 2 -o "$SCRATCH/python.sched"
judge "python: exit status 0" [ $status -eq 0 ]
judge "python: it was right" ends_right

#
# The command is killed: its tracer releases the process.
#
start lively
harmed=0
for ((i = 0; i < KILLS; i++)); do
	"$FMC" attach --run --seed $i -o "$SCRATCH/killed.sched" "$pid" </dev/null >/dev/null 2>&1 &
	fmc=$!
	random_moment $i
	kill -KILL $fmc
	wait $fmc 2>/dev/null
	no_helpers "$pid" && unchanged || {
		harmed=$((harmed + 1))
		diff "$SCRATCH/before" "$SCRATCH/after" | show /dev/stdin
	}
done
fmc=
judge "killed $KILLS times: everything is as before each time ($harmed weren't)" [ $harmed -eq 0 ]
judge "and often in the middle ($touched)" [ $touched -ge $((KILLS / 5)) ]
judge "and it was right" ends_right

#
# The tracer is killed, too: the guardian takes out what is planted.
#
start lively patient
harmed=0
for ((i = 0; i < (KILLS + 2) / 3; i++)); do
	"$FMC" attach --run --seed $i -o "$SCRATCH/killed.sched" "$pid" </dev/null >/dev/null 2>&1 &
	fmc=$!
	random_moment $i
	tracer=
	for process in $(helpers "$pid"); do
		{ read -r name <"/proc/$process/comm"; } 2>/dev/null && [ "$name" = fmc-tracer ] && tracer=$process
	done
	kill -KILL $fmc $tracer
	wait $fmc 2>/dev/null
	no_helpers "$pid" && unchanged || {
		harmed=$((harmed + 1))
		diff "$SCRATCH/before" "$SCRATCH/after" | show /dev/stdin
	}
done
fmc=
judge "with its tracer: everything is as before each time ($harmed weren't)" [ $harmed -eq 0 ]
judge "with its tracer: it was right" ends_right

#
# All of them are killed: then the process goes on rightly with what is planted, and fmc leaves it alone.
#
for target in lively lively.static; do
	start $target patient
	go -o "$SCRATCH/killed.sched"
	until_planted
	guardian= tracer=
	for process in $(helpers "$pid"); do
		{ read -r name <"/proc/$process/comm"; } 2>/dev/null
		if [ "$name" = fmc-guardian ]; then guardian=$process; else tracer=$process; fi
	done
	# In this order, so that none of them has the time for what it is there for.
	kill -KILL $guardian $tracer $fmc
	wait $fmc 2>/dev/null
	fmc=
	judge "$target, all killed: nobody is left" no_helpers "$pid"
	judge "$target, all killed: it is still there" kill -0 "$pid"
	echo f >&8
	until grep -q '^child' "$SCRATCH/out"; do sleep 0.01; done
	judge "$target, all killed: its child was right" grep -q '^child 0$' "$SCRATCH/out"
	run --time 1
	judge "$target, all killed: it isn't run again" [ $status -eq 69 ]
	judge "$target, all killed: and that is said" grep -q 'its code has been changed' "$SCRATCH/err"
	judge "$target, all killed: it was right" ends_right
done

#
# Command lines that are wrong.
#
refused() {
	timeout 60 "$FMC" attach "${@:2}" </dev/null >"$SCRATCH/said" 2>"$SCRATCH/err"
	[ $? -eq "$1" ] && [ "$(wc -l <"$SCRATCH/err")" -eq 1 ]
}
judge "surw is refused" refused 64 --run --strategy surw $$
judge "dfs is refused" refused 64 --run --strategy dfs $$
judge "--seed alone is refused" refused 64 --seed 3 $$
judge "--watch with --run is refused" refused 64 --run --watch 1 $$
judge "no such process" refused 69 --run 4194304
finish
