# shellcheck shell=bash disable=SC2154 # what search() sets
# The tables and figures of [FAIR]; for run.sh. Its Table 2 counts states, which fmc doesn't tell apart.

# characteristics NAME SOURCE LINES THREADS OPERATIONS  PROGRAM ARGUMENT...: the published ones, and ours in one
# execution with few preemptions, on an average.
characteristics() {
	local name=$1 published=("${@:2:3}")
	shift 4
	search 10 "--strategy cb:1" "$@"
	printf '%-24s | %6s %8s %11s | %6s %8s %11s\n' "$name" "${published[@]}" "$(wc -l <"samples/$1.c")" 3 \
	    "$(awk "BEGIN { printf \"%.0f\", $transitions / $traces }")"
}

# Executions up to the bug, or that there is none within the bounds.
to_bug() {
	[ -n "$kind" ] || [ -n "$left" ] || echo -n "none in "
	echo "$traces$left"
}

table_fair() {
	local bug numbers published=("82 182 2 8" "112 432 8 24" "212 843 12 74") i=0
	local line='%-22s %8s %10s %8s %10s | %8s %14s %8s %10s\n'
	echo
	echo "[FAIR] Table 1: programs; lines, threads, operations an execution as published, and ours"
	characteristics "dining philosophers" 54 3 48 fair_philosophers 3
	characteristics "work-stealing queue" 1266 3 99 work_stealing 2
	echo
	echo "[FAIR] Table 3: executions and seconds to the bug, two preemptions; without fairness cut at 250 transitions"
	# shellcheck disable=SC2059
	printf "$line" "work-stealing queue" fair without seconds without fair without seconds without
	for bug in steal pop push; do
		search 20 "--strategy cb:2" work_stealing 2 $bug
		numbers=("$(to_bug)" "$seconds")
		search 40 "--strategy cb:2 --no-fair --depth 250" work_stealing 2 $bug
		# shellcheck disable=SC2059,SC2086 # four figures
		printf "$line" "bug $((i + 1)) ($bug)" ${published[$i]} "${numbers[0]}" "$(to_bug)" "${numbers[1]}" "$seconds"
		i=$((i + 1))
	done
	echo "published: bugs of CHESS's queue, whose order needn't be that of ours"
}

# Executions that --depth cut, from the reason that the verdict gives.
cut() {
	grep -oE '[0-9]+ executions were cut' "$RESULT" | grep -oE '^[0-9]+' || echo 0
}

DEPTHS=(20 30 40 50 60)

# figure NAME PROGRAM ARGUMENT...
figure() {
	local name=$1 strategy depth limit
	shift
	echo
	echo "$name: executions and seconds to the end, with fairness and without, cut at so many transitions"
	printf '%-8s' strategy
	printf ' %17s' fair "${DEPTHS[@]}"
	echo
	for strategy in cb:1 cb:2 cb:3 dfs; do
		limit=$([ $strategy = dfs ] && echo 5 || echo 15)
		printf '%-8s' $strategy
		for depth in fair "${DEPTHS[@]}"; do
			if [ "$depth" = fair ]; then
				search "$limit" "--strategy $strategy" "$@"
			else
				search "$limit" "--strategy $strategy --no-fair --depth $depth" "$@"
			fi
			printf ' %17s' "$traces${left:0:1} in $seconds"
		done
		echo
	done
}

table_figures() {
	local depth
	echo
	echo "[FAIR] Figure 2: nonterminating executions of Figure 1's program grow exponentially with the depth (a curve)"
	for depth in 10 12 14 16 18 20; do
		search 40 "--strategy dfs --no-fair --depth $depth" trylock_livelock
		printf 'depth %s: %s cut of %s executions, %s s\n' $depth "$(cut)" "$traces$left" "$seconds"
	done
	figure "[FAIR] Figure 5: philosophers (3)" fair_philosophers 3
	figure "[FAIR] Figure 6: work-stealing queue (2)" work_stealing 2
}
