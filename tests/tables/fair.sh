# shellcheck shell=bash disable=SC2154 # what search() sets
# The tables and figures of [FAIR]; for run.sh.

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

# states SECONDS OPTIONS PROGRAM ARGUMENT...: how many one search comes to; "+" where its time cut it, and in $SCRATCH/cut how much of it that was.
states() {
	search "$1" "$2 --states" "${@:3}"
	printf '%s%s' "$(field states.states)" "${left:0:1}"
	[ -n "$left" ] || return 0
	printf '         %s: cut after %s%s executions of %s transitions, in %s seconds; the last %s came to no new state\n' "$2" "$traces" \
	    "$(sed "s/^+ of/ of about/; s/^+$//" <<<"$left")" "$((transitions / (traces ? traces : 1)))" "$seconds" "$(field states.quiet)" >>"$SCRATCH/cut"
}

# both_cut PUBLISHED OURS: where our fair search was cut, how its figure compares.
both_cut() {
	case $1,$2 in
	*\*,*+) echo "         with fairness: cut by its time here, and after 5,000 seconds in the paper: neither figure is of all states" ;;
	*,*+) echo "         with fairness: cut by its time here, not in the paper" ;;
	esac
}

# coverage NAME PUBLISHED PROGRAM ARGUMENT...: a row for each strategy. PUBLISHED: "total fair db=20 ... db=60" for each of them.
coverage() {
	local name=$1 published=("${@:2:4}") strategy depth total fair row i=0
	shift 5
	echo "$name"
	for strategy in cb:1 cb:2 cb:3 dfs; do
		if [ $strategy = dfs ]; then
			# Whole, the queue has some 2e10 fair executions. States of a fair search are told apart by its priorities, too: where
			# they were come to, everything fair has followed.
			total=$(states 60 '--strategy dfs --no-fair --depth 1000 --prune-states' "$@")
			fair=$(states 60 '--strategy dfs --prune-states' "$@")
		else
			# With two preemptions and two stealers these take half a minute; with three, some 5e4 and 5e5 executions, they are cut.
			total=$(states 40 "--strategy $strategy --no-fair --depth 250" "$@")
			fair=$(states 40 "--strategy $strategy" "$@")
		fi
		row=("$total" "$fair")
		for depth in "${DEPTHS[@]}"; do
			row+=("$(states 4 "--strategy $strategy --no-fair --depth $depth" "$@")")
		done
		# shellcheck disable=SC2086 # seven figures each
		printf '  %-5s | %6s %6s %6s %6s %6s %6s %6s | %7s %7s %7s %7s %7s %7s %7s\n' $strategy ${published[$i]} "${row[@]}"
		both_cut "$(cut -d ' ' -f 2 <<<"${published[$i]}")" "$fair"
		[ ! -s "$SCRATCH/cut" ] || cat "$SCRATCH/cut"
		rm -f "$SCRATCH/cut"
		i=$((i + 1))
	done
}

table_states() {
	echo
	echo "[FAIR] Table 2: states; in all, with fairness, without it cut at so many transitions: published | ours"
	printf '  %-5s | %6s %6s %6s %6s %6s %6s %6s | %7s %7s %7s %7s %7s %7s %7s\n' "" total fair 20 30 40 50 60 total fair 20 30 40 50 60
	coverage "philosophers, 2" "27 27 27 27 27 27 27" "28 28 28 28 28 28 28" "29 29 29 29 29 29 29" "29 29 29 29 29 29 29" fair_philosophers 2
	coverage "philosophers, 3" "102 102 102 102 102 102 102" "144 144 143 144 144 144 144" "167 171 167 169 169 169 169" \
	    "177 177 174 177 177 168* 139*" fair_philosophers 3
	coverage "work-stealing queue, 1 stealer" "278 278 236 278 278 278 278" "814 814 554 765 814 814 814" \
	    "1287 1297 694 1133 1287 1287 1287" "1726 1726 871 1505 1726 1307* 683*" work_stealing 1
	coverage "work-stealing queue, 2 stealers" "350 378 238 334 350 350 350" "1838 2000 971 1630 1822 1838 1838" \
	    "3271 3311 1805 2955 3269 3271 3271" "4826 1321* 1686* 1239* 460* 245* 245*" work_stealing 2
	echo "published: states abstracted by hand, a random end beyond the depth; ours: memory in use, whole executions, cut there"
	echo "ours in all and with fairness: dfs by a search of states (--prune-states); cb in all: without fairness to 250 transitions; * and +: cut by its time"
	echo "with fairness there may be more than in all: switches that its priorities force are none of the preemptions that cb counts"
}

# The searches of [ONEPAGE] section 6: two threads of so many statements.
table_pruning() {
	local published_all=(30 112 420 1584 6006 22876) published=(18 32 50 72 98 128) n all
	echo
	echo "[ONEPAGE] section 6: two threads of 3 to 8 statements; calls of its hook without and with pruning | ours: executions, states, cut"
	for n in 3 4 5 6 7 8; do
		search 10 "--strategy dfs --no-fair" statements $n
		all=$traces${left:0:1}
		search 30 "--strategy dfs --no-fair --states --prune-states" statements $n
		printf '  %s | %6s %5s | %8s executions; with pruning %4s, %4s states, %4s cut\n' $n "${published_all[n - 3]}" "${published[n - 3]}" \
		    "$all" "$traces${left:0:1}" "$(field states.states)" "$(field states.pruned)"
	done
	echo "ours counts main's transitions, too; its threads' alone make (N + 1)^2 states, 2 N (N + 1) steps between them"
}

# Executions that --depth cut, from the reason that the verdict gives.
were_cut() {
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
		printf 'depth %s: %s cut of %s executions, %s s\n' $depth "$(were_cut)" "$traces$left" "$seconds"
	done
	figure "[FAIR] Figure 5: philosophers (3)" fair_philosophers 3
	figure "[FAIR] Figure 6: work-stealing queue (2)" work_stealing 2
}
