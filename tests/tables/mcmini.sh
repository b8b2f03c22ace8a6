# shellcheck shell=bash disable=SC2154 # what search() sets
# The tables of [MCMINI]; for run.sh.
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
	[[ $left != *of* ]] || note="${left#+ } traces $note"
	# shellcheck disable=SC2059
	printf "$ROW" "${published[@]}" "$transitions" "$traces${left:0:1}" "$seconds" "$note"
}

# only NAME THREADS TRANSITIONS TRACES SECONDS [NOTE]: published, and fmc has nothing of the kind.
only() {
	# shellcheck disable=SC2059
	printf "$ROW" "${@:1:5}" - - - "${6:-}"
}

table_2() {
	heading "[MCMINI] Table 2: no deadlock. Left as published, right ours ($S)"
	row philosophers_mut 6 37968 2507 11.16 20 "$S" philosophers_mut 6
	row philosophers_sem 5 136931 10017 37.49 90 "$S" philosophers_sem 5
	row reader_writer_fifo 3 935 83 0.37 8 "$S" reader_writer fifo 2 1
	row reader_writer_mut_reader_preferred 3 9023 831 2.76 8 "$S" reader_writer_mut 2 1
	row producer_consumer_mut_sem 2 1156 65 0.45 8 "$S" producer_consumer 1 1 3 2
	row simple_barrier_with_threads 10 53 1 0.04 8 "$S" simple_barrier 10
}

table_3() {
	heading "[MCMINI] Table 3: to the first deadlock"
	row simple_cond_broadcast 10 46 1 0.04 8 "$S" cond_broadcast 10 deadlock
	row simple_barrier_with_threads 5 25 1 0.02 8 "$S" simple_barrier 5 deadlock
	row philosophers_mut 10 37627 2585 14.38 20 "$S" philosophers_mut 10 unguarded
	row philosophers_sem 5 7579 513 2.25 90 "$S" philosophers_sem 5 deadlock
	row producer_consumer_mut_sem 10 53 1 0.04 8 "$S" producer_consumer 5 5 1 1 deadlock
}

table_4() {
	heading "[MCMINI] Table 4: all deadlocks (published: 16680, 120, 3154 of them)"
	row simple_cond_broadcast 5 298010 67680 154.70 85 "$S --all" cond_broadcast 5 deadlock
	row philosophers_sem 5 157439 11208 42.97 90 "$S --all" philosophers_sem 5 deadlock
	row producer_consumer_mut_sem 3 29753 3619 12.39 10 "$S --all" producer_consumer 2 1 1 1 deadlock
}

table_5() {
	local n sleep=("834 45 0.26" "5188 311 1.38" "37968 2507 11.16" "321202 23016 108.77" "3097702 236981 1226.98")
	local plain=("9779 362 2.35" "291932 9757 65.34" "9772424 303575 19285.38")
	heading "[MCMINI] Tables 5 and 6: philosophers with a guard; N! traces are expected"
	for n in 4 5 6 7 8; do
		# shellcheck disable=SC2086 # three figures
		row philosophers_mut $n ${sleep[$((n - 4))]} $((n == 8 ? 120 : 40)) "$S" philosophers_mut $n
	done
	for n in 4 5 6; do
		# shellcheck disable=SC2086
		only "published without sleep sets" $n ${plain[$((n - 4))]}
	done
	echo "fmc has no search that reduces without sleep sets: nothing to compare"
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
	row "reader_writer_rwwlock (primitive)" 3 919 109 0.34 8 "$S --ops $SAMPLES/rw2.so" reader_two_writers 1
}

table_9() {
	heading "[MCMINI] Table 9: spurious wakeups; \"while\" to the end, \"if\" to the failed assertion (each thread once)"
	row "while (1+1)" 2 84 21 0.09 8 "$S --spurious 1" spurious_if while 1
	row "while (2+1)" 3 2301 907 1.41 8 "$S --spurious 1" spurious_if while 2
	row "while (3+1)" 4 101509 48636 83.42 20 "$S --spurious 1" spurious_if while 3
	row "if (1+1)" 2 - 28 0.04 8 "$S --spurious 1" spurious_if if 1
	row "if (2+1)" 3 - 1046 0.47 8 "$S --spurious 1" spurious_if if 2
	row "if (3+1)" 4 - 45040 17.58 8 "$S --spurious 1" spurious_if if 3
}

table_10() {
	heading "[MCMINI] Table 10: wakeup policies of semaphores, philosophers_sem"
	row LIFO 3 81282 4519 - 20 "$S --wakeup sem=lifo" philosophers_sem 3
	row FIFO 3 104216 5801 - 20 "$S --wakeup sem=fifo" philosophers_sem 3
	only "arbitrary (independent enqueue)" 3 69924 3918 - "(1)"
	only "arbitrary (dependent enqueue)" 3 11344 203003 - "(1, 2)"
	row "arbitrary (without enqueue)" 3 10840 601 - 20 "$S --wakeup sem=any" philosophers_sem 3
	echo "(1) in fmc threads queue up, by a transition of their own, only where the order of waiting counts"
	echo "(2) as printed: the two figures seem to be exchanged"
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
