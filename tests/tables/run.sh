#!/bin/bash
# `make tables`: the figures that two papers print beside what fmc does on programs written after their
# descriptions (samples/). Arguments: which tables (2 3 4 5 7 8 9 10 11 fair figures counts), all if none.
# TABLES_SECONDS=N gives each row N times its seconds.
#
# [MCMINI] Pirtle, Jovanovic, Cooperman: McMini, 2023, on a Xeon E5-2690 v3 at 2.6 GHz
# [FAIR]   Musuvathi, Qadeer: Fair Stateless Model Checking, PLDI 2008, on a Xeon at 2.8 GHz
. tests/lib.sh
SAMPLES=$BUILD/samples
RESULT=$SCRATCH/result.json
FACTOR=${TABLES_SECONDS:-1}

# accepts OPTION...: does this fmc know these options?
accepts() {
	"$FMC" check --executions 1 -o "$SCRATCH/x.sched" "$@" -- "$SAMPLES/lock_pairs" 1 1 </dev/null >/dev/null 2>&1
	[ $? -ne 64 ]
}

field() {
	"$BUILD/tests/json" "$RESULT" "$1"
}

STRATEGY=optimal
accepts --strategy optimal || STRATEGY=dfs

# search SECONDS OPTIONS PROGRAM ARGUMENT...: sets transitions, traces, failures, seconds, and the kind of the first
# failure. "+" behind traces: more are left when the time is over; "-": fmc can't do it, or didn't come to an end.
search() {
	local limit=$(($1 * FACTOR)) options=$2 program=$3
	shift 3
	rm -f "$SCRATCH"/*.sched "$RESULT"
	# shellcheck disable=SC2086 # options are a list of words
	timeout $((limit + 30)) "$FMC" check --time $limit --json "$RESULT" -o "$SCRATCH/x.sched" $options -- \
	    "$SAMPLES/$program" "$@" </dev/null >/dev/null 2>"$SCRATCH/err"
	transitions=- traces=- failures=0 seconds=- kind=
	[ -s "$RESULT" ] || return 0
	transitions=$(field transitions) traces=$(field executions)
	seconds=$(printf %.2f "$(field seconds)")
	local i=0 count
	kind=$(field findings.0.kind) || kind=
	while count=$(field findings.$i.count); do
		failures=$((failures + count)) i=$((i + 1))
	done
	if [ "$(field complete)" != true ] && { [ $failures = 0 ] || [[ $options == *--all* ]]; }; then
		traces=$traces+
	fi
	return 0
}

ROW='%-36s %7s | %11s %8s %9s | %11s %9s %8s %s\n'

heading() {
	echo
	echo "$1"
	# shellcheck disable=SC2059
	printf "$ROW" program threads transitions traces seconds transitions traces seconds ""
}

# row NAME THREADS TRANSITIONS TRACES SECONDS  LIMIT OPTIONS PROGRAM ARGUMENT...: published, then ours.
row() {
	local published=("${@:1:5}")
	shift 5
	search "$@"
	local note=$kind
	[[ $2 != *--all* || -z $kind ]] || note="$failures ${kind}s"
	# shellcheck disable=SC2059
	printf "$ROW" "${published[@]}" "$transitions" "$traces" "$seconds" "$note"
}

table_2() {
	heading "[MCMINI] Table 2: no deadlock. Left as published, right ours (--strategy $STRATEGY)"
	row philosophers_mut 6 37968 2507 11.16 10 "$S" philosophers_mut 6
	row philosophers_sem 5 136931 10017 37.49 20 "$S" philosophers_sem 5
	row reader_writer_fifo 3 935 83 0.37 8 "$S" reader_writer fifo 2 1
	row reader_writer_mut_reader_preferred 3 9023 831 2.76 8 "$S" reader_writer_mut 2 1
	row producer_consumer_mut_sem 2 1156 65 0.45 8 "$S" producer_consumer 1 1 3 2
	row simple_barrier_with_threads 10 53 1 0.04 8 "$S" simple_barrier 10
}

table_3() {
	heading "[MCMINI] Table 3: to the first deadlock"
	row simple_cond_broadcast 10 46 1 0.04 8 "$S" cond_broadcast 10 deadlock
	row simple_barrier_with_threads 5 25 1 0.02 8 "$S" simple_barrier 5 deadlock
	row philosophers_mut 10 37627 2585 14.38 8 "$S" philosophers_mut 10 unguarded
	row philosophers_sem 5 7579 513 2.25 8 "$S" philosophers_sem 5 deadlock
	row producer_consumer_mut_sem 10 53 1 0.04 8 "$S" producer_consumer 5 5 1 1 deadlock
}

table_4() {
	heading "[MCMINI] Table 4: all deadlocks (published: 16680, 120, 3154 of them)"
	row simple_cond_broadcast 5 298010 67680 154.70 15 "$S --all" cond_broadcast 5 deadlock
	row philosophers_sem 5 157439 11208 42.97 20 "$S --all" philosophers_sem 5 deadlock
	row producer_consumer_mut_sem 3 29753 3619 12.39 10 "$S --all" producer_consumer 2 1 1 1 deadlock
}

table_5() {
	local n sleep=("834 45 0.26" "5188 311 1.38" "37968 2507 11.16" "321202 23016 108.77" "3097702 236981 1226.98")
	local plain=("9779 362 2.35" "291932 9757 65.34" "9772424 303575 19285.38")
	heading "[MCMINI] Tables 5 and 6: philosophers with a guard; N! traces are expected"
	for n in 4 5 6 7 8; do
		# shellcheck disable=SC2086 # three figures
		row philosophers_mut $n ${sleep[$((n - 4))]} $((n == 8 ? 60 : 15)) "$S" philosophers_mut $n
	done
	for n in 4 5 6; do
		# shellcheck disable=SC2059,SC2086
		printf "$ROW" "published without sleep sets" $n ${plain[$((n - 4))]} "" "" "" ""
	done
}

table_7() {
	heading "[MCMINI] Table 7: reader-writer locks, 1 reader and 2 writers"
	row rw_cond_no_preference 3 739912 82540 345.99 15 "$S" reader_writer none 1 2
	row rw_cond_reader_preferred 3 604750 53527 251.32 15 "$S" reader_writer readers 1 2
	row rw_cond_writer_preferred 3 538118 59884 234.94 15 "$S" reader_writer writers 1 2
	row rw_rwlock_no_preference 3 282207 34415 75.02 8 "$S" reader_writer_rwlock 1 2
	row rw_rwlock_reader_preferred 3 284374 36080 83.25 8 "$S --wakeup rwlock=readers" reader_writer_rwlock 1 2
	row rw_rwlock_writer_preferred 3 284374 36080 83.40 8 "$S --wakeup rwlock=writers" reader_writer_rwlock 1 2
}

table_8() {
	heading "[MCMINI] Table 8: one reader and two writers with an entrance each"
	row reader_two_writers_cond 3 793912 82540 346.87 15 "$S" reader_two_writers 1
}

table_9() {
	local n
	heading "[MCMINI] Table 9: spurious wakeups; \"while\" to the end, \"if\" to the failed assertion (each thread once)"
	row "while (1+1)" 2 84 21 0.09 8 "$S --spurious 1" spurious_if while 1
	row "while (2+1)" 3 2301 907 1.41 8 "$S --spurious 1" spurious_if while 2
	row "while (3+1)" 4 101509 48636 83.42 10 "$S --spurious 1" spurious_if while 3
	row "if (1+1)" 2 - 28 0.04 8 "$S --spurious 1" spurious_if if 1
	row "if (2+1)" 3 - 1046 0.47 8 "$S --spurious 1" spurious_if if 2
	row "if (3+1)" 4 - 45040 17.58 8 "$S --spurious 1" spurious_if if 3
}

table_10() {
	heading "[MCMINI] Table 10: wakeup policies of semaphores, philosophers_sem"
	row LIFO 3 81282 4519 - 8 "$S --wakeup sem=lifo" philosophers_sem 3
	row FIFO 3 104216 5801 - 8 "$S --wakeup sem=fifo" philosophers_sem 3
	row "arbitrary (without enqueue)" 3 10840 601 - 8 "$S --wakeup sem=any" philosophers_sem 3
}

table_11() {
	heading "[MCMINI] Table 11: made of others in a library, and as primitives (only transitions are published)"
	row "simple_barrier, library" 2 114 - - 8 "$S" simple_barrier 2 library
	row "simple_barrier, primitive" 2 90 - - 8 "$S" simple_barrier 2
	row "simple_cond_broadcast, library" 2 4029 - - 8 "$S" cond_broadcast 2 library
	row "simple_cond_broadcast, primitive" 2 28 - - 8 "$S" cond_broadcast 2
	row "philosophers_semaphore, library" 2 2873 - - 8 "$S" philosophers_homemade 2
	row "philosophers_semaphore, primitive" 2 176 - - 8 "$S" philosophers_sem 2
}

table_fair() {
	local bug numbers published=("82 182 2 8" "112 432 8 24" "212 843 12 74") i=0
	local line='%-28s %8s %10s %8s %10s | %8s %10s %8s %10s\n'
	echo
	echo "[FAIR] Table 3: executions and seconds to the bug, two preemptions; without fairness cut at 250 transitions"
	# shellcheck disable=SC2059
	printf "$line" "work-stealing queue" fair without seconds without fair without seconds without
	for bug in steal pop push; do
		search 10 "--strategy cb:2" work_stealing 2 $bug
		numbers=("$traces" "$seconds")
		search 15 "--strategy cb:2 --no-fair --depth 250" work_stealing 2 $bug
		# shellcheck disable=SC2059,SC2086 # four figures
		printf "$line" "bug $((i + 1)) ($bug)" ${published[$i]} "${numbers[0]}" "$traces" "${numbers[1]}" "$seconds"
		i=$((i + 1))
	done
	echo "published: bugs of CHESS's queue, whose order needn't be that of ours"
}

# Executions that --depth cut, from the reason that the verdict gives.
cut() {
	grep -oE '[0-9]+ executions were cut' "$RESULT" | grep -oE '^[0-9]+' || echo 0
}

# figure NAME PROGRAM ARGUMENT...
figure() {
	local name=$1 strategy depth
	shift
	echo
	echo "$name: executions and seconds to the end, with fairness and without at depths 20 to 60"
	printf '%-10s %18s' strategy fair
	printf ' %18s' "depth 20" "depth 40" "depth 60"
	echo
	for strategy in cb:1 cb:2 cb:3 dfs; do
		printf '%-10s' $strategy
		for depth in fair 20 40 60; do
			if [ $depth = fair ]; then
				search 5 "--strategy $strategy" "$@"
			else
				search 5 "--strategy $strategy --no-fair --depth $depth" "$@"
			fi
			finished "$strategy"
			printf ' %18s' "$traces in $seconds"
		done
		echo
	done
}

# Of a bounded search the end is its bound, which is no complete search: "+" only for what was left by time.
finished() {
	traces=${traces%+}
	! grep -q 'seconds were used up' "$RESULT" || traces=$traces+
}

table_figures() {
	local depth
	echo
	echo "[FAIR] Figure 2: nonterminating executions of Figure 1's program grow exponentially with the depth (a curve)"
	for depth in 10 12 14 16; do
		search 8 "--strategy dfs --no-fair --depth $depth" trylock_livelock
		finished dfs
		printf 'depth %s: %s cut of %s executions, %s s\n' $depth "$(cut)" "$traces" "$seconds"
	done
	figure "[FAIR] Figure 5: philosophers (3)" fair_philosophers 3
	figure "[FAIR] Figure 6: work-stealing queue (2)" work_stealing 2
}

table_counts() {
	echo
	echo "Classic programs (POPL 2014, POPL 2005): traces by their closed forms, and ours"
	local line
	while read -r line; do
		# shellcheck disable=SC2086 # words
		set -- $line
		local expected=$1
		shift
		local options=$S
		[ "$1" != indexer ] || options="$S --atomics" # its words are marked by nothing else
		search 10 "$options" "$@"
		printf '%-24s %8s %10s   %s s\n' "$*" "$expected" "$traces" "$seconds"
	done <<-END
		256 readers 8
		1024 readers 10
		704 lastzero 8
		3328 lastzero 10
		8 indexer 12
		64 indexer 13
		512 indexer 14
		8 filesystem 16
		64 filesystem 19
		90 lock_pairs 3 2
		1680 lock_pairs 3 3
		16 producer_consumer 1 1 3 2
	END
}

S="--strategy $STRATEGY"
for table in "${@:-2 3 4 5 7 8 9 10 11 fair figures counts}"; do
	for name in $table; do
		"table_$name"
	done
done
