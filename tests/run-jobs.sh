#!/bin/bash
# fmc check --jobs N: the same result for any N, also when workers are killed; nothing is left behind.
. tests/lib.sh

# check JOBS ARGUMENT...: the result goes to $SCRATCH/JOBS.json and .sched; prints the exit status.
check() {
	local jobs=$1
	shift
	rm -f "$SCRATCH/$jobs.json" "$SCRATCH/$jobs".*sched
	timeout -k 10 120 "$FMC" check --jobs "$jobs" --no-minimize --json "$SCRATCH/$jobs.json" -o "$SCRATCH/$jobs.sched" \
	    "$@" </dev/null >"$SCRATCH/$jobs.out" 2>"$SCRATCH/$jobs.err"
	echo $?
}

# result JOBS: what has to be the same for any number of jobs: verdict, counts, and the findings in any order; where
# states are cached ($cached isn't empty) not how many executions there were.
result() {
	local fields='verdict complete classes'
	[ -n "$cached" ] || fields="$fields executions"
	# shellcheck disable=SC2086 # a list of words
	UNCOUNTED=$cached told_by "$SCRATCH/$1.json" $fields
}

# same NAME ARGUMENT...: 1 and 3 jobs find the same, in `make check-long` 2, too.
same() {
	local name=$1 status jobs good=true
	shift
	status=$(check 1 "$@")
	result 1 >"$SCRATCH/expected"
	for jobs in $(long && echo 2) 3; do
		[ "$(check $jobs "$@")" -eq "$status" ] || good=false
		result $jobs >"$SCRATCH/found"
		cmp -s "$SCRATCH/expected" "$SCRATCH/found" || good=false
		$good || break
	done
	judge "$name: the same from $jobs jobs" $good
	$good || show "$SCRATCH/expected" "$SCRATCH/found" "$SCRATCH/$jobs.out" "$SCRATCH/$jobs.err"
}

S=$BUILD/samples
cached=
for strategy in dfs source optimal cb:2 delay:2; do
	same "$strategy of philosophers" --strategy $strategy --cache off --all -- "$S/philosophers" 2
	same "$strategy of lost_update" --strategy $strategy --cache off --all -- "$S/lost_update"
	same "$strategy of lost_wakeup" --strategy $strategy --cache off --all -- "$S/lost_wakeup"
done
for strategy in cb:2 delay:2; do
	cached=yes same "$strategy of philosophers, cached" --strategy $strategy --all -- "$S/philosophers" 2
	cached=yes same "$strategy of lost_update, cached" --strategy $strategy --all -- "$S/lost_update"
	cached=yes same "$strategy of lost_wakeup, cached" --strategy $strategy --all -- "$S/lost_wakeup"
done
for strategy in source optimal; do
	same "$strategy of philosophers_ordered" --strategy $strategy --require-complete -- "$S/philosophers_ordered" 3
	same "$strategy of semaphores" --strategy $strategy --all -- "$S/semaphores"
done

# So many that workers get parts of the search.
same "optimal by the agent" --strategy optimal --engine agent --granularity sync -- "$S/philosophers_mut" 6
same "dfs by the agent" --strategy dfs --engine agent --granularity sync --all -- "$S/rwlock"

"$FMC" check -v --jobs 2 --strategy optimal --engine agent -- "$S/philosophers_mut" 5 </dev/null >"$SCRATCH/out" 2>&1
says "each worker tells of its agent" '^fmc: [0-9]+ executions by the agent' '^fmc: [0-9]+ executions by the agent'
judge "and together they have run all" [ "$(sed -nE 's/^fmc: ([0-9]+) executions by the agent, .* and ([0-9]+) by stops.*/\1 + \2/p' "$SCRATCH/out" | awk '{ sum += $1 + $3 } END { print sum }')" = 120 ]

# Random strategies: the same first failure, from the same seed.
executions=$(long && echo 300 || echo 60)
for strategy in random pct pos surw recur; do
	same "$strategy, $executions executions" --strategy $strategy --seed 5 --executions $executions --all -- "$S/philosophers_ordered" 3
	same "$strategy, the first failure" --strategy $strategy --seed 5 --time 0 -- "$S/philosophers" 4
	judge "$strategy: the same schedule" cmp -s <(grep -v '^clock' "$SCRATCH/1.sched") <(grep -v '^clock' "$SCRATCH/3.sched")
done

# Processes of a command of fmc that run plans.
workers_of() {
	local child
	for child in $(cat "/proc/$1/task/$1/children" 2>/dev/null); do
		[ "/proc/$child/exe" -ef "$FMC" ] && echo "$child"
	done
	return 0
}

# first_workers PID JOBS: waits until so many are there.
first_workers() {
	local workers
	while kill -0 "$1" 2>/dev/null; do
		workers=$(workers_of "$1")
		[ "$(wc -w <<<"$workers")" -lt "$2" ] || break
		sleep 0.01
	done
	echo "$workers"
}

# many_runs PID: waits until one worker has begun six executions. A worker is given at most four plans
# before the result of one has been taken, so the command has one then.
many_runs() {
	local worker seen=" " child
	worker=$(first_workers "$1" 2 | head -n 1)
	while kill -0 "$1" 2>/dev/null && [ "$(wc -w <<<"$seen")" -lt 6 ]; do
		for child in $(cat "/proc/$worker/task/$worker/children" 2>/dev/null); do
			[[ $seen == *" $child "* ]] || seen="$seen$child "
		done
	done
}

# Each of the first workers is killed; others go on with what they had.
cp "$S/philosophers_ordered" "$SCRATCH/target"
T=$SCRATCH/target
check 1 --strategy dfs -- "$S/barrier" >/dev/null
result 1 >"$SCRATCH/expected"
"$FMC" check --jobs 2 --strategy dfs --json "$SCRATCH/2.json" -- "$S/barrier" </dev/null >/dev/null 2>"$SCRATCH/err" &
fmc=$!
killed=0
for worker in $(first_workers $fmc 2); do
	kill -KILL "$worker" 2>/dev/null && killed=$((killed + 1))
done
wait $fmc
judge "workers are killed: status 0" [ $? -eq 0 ]
show "$SCRATCH/err"
judge "workers are killed: $killed of 2" [ $killed -eq 2 ]
result 2 >"$SCRATCH/found"
judge "workers are killed: the same result" cmp -s "$SCRATCH/expected" "$SCRATCH/found"

# All of them, again and again.
"$FMC" check --jobs 2 --strategy random --time 60 -- "$T" 4 </dev/null >"$SCRATCH/out" 2>"$SCRATCH/err" &
fmc=$!
until [ -n "$(users_of "$T")" ] || ! kill -0 $fmc 2>/dev/null; do :; done
while kill -0 $fmc 2>/dev/null; do
	for worker in $(workers_of $fmc); do kill -KILL "$worker" 2>/dev/null; done
done
wait $fmc
judge "workers always die: status 70" [ $? -eq 70 ]
judge "workers always die: one line" [ "$(wc -l <"$SCRATCH/err")" -eq 1 -a ! -s "$SCRATCH/out" ]
show "$SCRATCH/err"
judge "workers always die: no target is left" gone "$T"

# Ctrl-C, and the end of the time: a summary, and nothing left.
for signal in INT TERM; do
	"$FMC" check --jobs 2 --origin exec --strategy random --time 100 -- "$T" 5 </dev/null >"$SCRATCH/out" 2>"$SCRATCH/err" &
	fmc=$!
	many_runs $fmc
	# A shell starts background commands with SIGINT ignored, and fmc catches it all the same.
	kill -$signal $fmc
	wait $fmc
	judge "SIG$signal: status 130 and a summary" [ $? -eq 130 -a -s "$SCRATCH/out" ]
	judge "SIG$signal: no process left" gone "$T"
done
timeout -k 10 60 "$FMC" check --jobs 2 --strategy dfs --time 1 -- "$T" 6 </dev/null >"$SCRATCH/out" 2>&1
judge "--time ends it" grep -q 'seconds were used up' "$SCRATCH/out"
judge "--time: no process left" gone "$T"

# Each worker reads the input from its beginning.
yes line | head -n 1000 >"$SCRATCH/input"
check 3 --strategy random --executions 300 --stdin "$SCRATCH/input" -- "$BUILD/targets/input" >"$SCRATCH/status"
judge "each worker reads the input by itself" [ "$(cat "$SCRATCH/status")" = 0 ]
judge "each worker reads it from its beginning" [ -z "$(grep "didn't" "$SCRATCH/3.out")" ]
show "$SCRATCH/3.err"
finish
