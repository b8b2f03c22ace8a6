# shellcheck shell=bash disable=SC2154 # what search() sets
# Figures that papers print beside their tables, and those with which nothing of fmc's can be compared; for run.sh.
#
# [STHREAD] Cooperman, Quinson: Sthread, in-vivo model checking of multithreaded programs

# lines PRIMITIVE OPERATIONS LINES PERCENT  FILE: lines of code for a primitive, and those of fmc's model of it.
lines() {
	printf '%-20s %10s %6s %13s | %6s  %s\n' "$1" "$2" "$3" "$4" "$(grep -cvE '^[[:space:]]*(/?\*.*|//.*)?$' "supervisor/$5")" "${5##*/}"
}

table_1() {
	echo
	echo "[MCMINI] Table 1: lines of code for a primitive, and those of fmc's model of it (without comments and empty lines)"
	printf '%-20s %10s %6s %13s | %6s\n' primitive operations lines "per operation" lines
	lines pthread_t 5 400 80 threads/thread.c
	lines pthread_mutex_t 3 267 89 objects/mutex.c
	lines pthread_cond_t 6 458 76 objects/cond.c
	lines pthread_barrier_t 3 243 81 objects/barrier.c
	lines sem_t 4 329 82 objects/sem.c
	echo "fmc's have more operations each (time-outs, robust mutexes, wakeup policies); what each touches and how it is misused isn't counted"
}

# shortest NAME DEPTH TRANSITIONS  OPTIONS PROGRAM ARGUMENT...: the least depth of a failure and the transitions that were executed for it,
# published and ours.
shortest() {
	local name=$1 published=("${@:2:2}") depth=- certified='' executed
	shift 3
	search 20 "$@"
	executed=$transitions
	if [ -s "$SCRATCH/x.sched" ]; then
		timeout 60 "$FMC" minimize --depth --time $((20 * FACTOR)) --json "$RESULT" -o "$SCRATCH/shortest.sched" "$SCRATCH/x.sched" \
		    </dev/null >/dev/null 2>"$SCRATCH/err"
		depth=$(field findings.0.minimized.after.transitions) || depth=-
		[ "$(field findings.0.minimized.depth.certified)" = true ] || certified=' at most'
	fi
	rm -f "$SCRATCH"/*.sched
	printf '%-34s %8s %12s | %8s %12s%s\n' "$name" "${published[@]}" "$depth" "$executed" "$certified"
}

table_sthread() {
	echo
	echo "[STHREAD] Section 5: the least depth of a failure, and transitions executed until it is found"
	printf '%-34s %8s %12s | %8s %12s\n' program depth transitions depth transitions
	shortest "5.1 shared variable" 3 6 "--granularity race" counter
	shortest "5.2 deadly embrace" 2 4 "" lock_order
	shortest "5.5 ABA" 8 89703 "" treiber_stack
	echo "ours: births, creations and joins of threads are transitions, too, and so are the accesses to memory at which threads are switched;"
	echo "published: only what was locked or marked in the source. Transitions of fmc are those of all executions, of which each is run"
	echo "from its beginning; \"at most\": its time was up before all shorter ones were run"
	echo "5.1, 5.2 and 5.5 also count states (expanded 5, 4 and 14155, visited 7, 6 and 90784), of a search that stores them: ours stores none"
}

# Which figures there are, and why nothing is beside them.
table_others() {
	echo
	echo "What is published and has nothing of fmc's beside it"
	local where why text
	while read -r where why; do
		text=${where#*:}
		printf '%-12s %-28s %s\n' "${where%%:*}" "${text//_/ }" "$why"
	done <<-END
		[FAIR]:Table_1,_five_programs Promise, APE, Dryad (2), Singularity: for Windows, their sources aren't published
		[FAIR]:Table_3,_Dryad_1_to_4 the same sources
		[FAIR]:Figures_1,_3,_4,_7,_8 programs and a diagram: they have no figures
		[FAIR]:Figures_5,_6 curves without numbers: only ours are printed
		[MCMINI]:Figure_1 a diagram
		[MCMINI]:Figure_2 curves: McMini's are Tables 5 and 6, VeriSoft's have no numbers in the text
		[STHREAD]:Figures_1,_2 diagrams
		[STHREAD]:Section_5.3 a formula that is violated, without numbers
		[PATENT]:all_figures flow charts: they have no figures
	END
}
