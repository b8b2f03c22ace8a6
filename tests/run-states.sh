#!/bin/bash
# Distinct states of real programs (--states): as many by each search that runs all there is, and pruning by them (--prune-states) loses none
# and no failure. The counts themselves are held against brute force in tests/unit/supervisor/test_states.c.
. tests/lib.sh

# check OPTION...: its text in $SCRATCH/out, its result in $SCRATCH/r.json.
check() {
	rm -f "$SCRATCH"/*.sched "$SCRATCH/r.json"
	timeout -k 10 150 "$FMC" check --no-minimize -o "$SCRATCH/x.sched" --json "$SCRATCH/r.json" "$@" </dev/null >"$SCRATCH/out" 2>&1
}

field() {
	"$BUILD/tests/json" "$SCRATCH/r.json" "$1"
}

PHILOSOPHERS=("$BUILD/samples/fair_philosophers" 2)
check --strategy dfs --states -- "${PHILOSOPHERS[@]}"
says "counted" '^[0-9]+ states in [0-9]+ executions, [0-9.e+]+ new ones each; the last [0-9]+ found no new state\.$'
all=$(field states.states)
searches=('--strategy cb' '--strategy dfs --prune-states' '--strategy dfs --prune-states --no-fair')
! long || searches+=('--strategy dfs --origin exec')
for search in "${searches[@]}"; do
	# shellcheck disable=SC2086 # a list of words
	check $search --states -- "${PHILOSOPHERS[@]}"
	judge "$search: as many states" [ "$(field states.states)" = "$all" ] || show "$SCRATCH/out"
done
check --strategy dfs --prune-states -- "${PHILOSOPHERS[@]}"
says "what was left out is said" '^[0-9]+ executions? (was|were) cut at one of [0-9]+ states that had been explored\.$' 'leaving out what follows a state that had been explored,$'
judge "and saves executions" [ "$(field executions)" -lt 300 ]

# Where a failure is, it is found.
check --strategy dfs --prune-states -- "$BUILD/samples/philosophers" 3
judge "the deadlock is found" [ $? -eq 1 ]
check --strategy dfs --prune-states --granularity race -- "$BUILD/samples/counter"
judge "and the lost update" [ $? -eq 1 ]
# What is printed tells states apart, if it counts.
check --strategy dfs --prune-states --outcomes -- "$BUILD/samples/turns"
says "outcomes" '^6 different outcomes:'

# Two threads of N statements come to (N + 1)^2 pairs of counters, in whatever order.
cat >"$SCRATCH/statements.c" <<'EOF'
#include <pthread.h>
#include <stdlib.h>
__attribute__((weak, noinline)) void fmc_point(const volatile void *address, unsigned long length, int write)
{
	__asm__ volatile("" : : "r"(address), "r"(length), "r"(write));
}
static int counts[2];
char room[3 * 4096];
long lock_a, lock_b;
struct {
	int eating, eaten, hungry;
} phil[2];
static long statements;
static void *run(void *count)
{
	for (long i = 0; i < statements; i++) {
		fmc_point(count, sizeof counts[0], 1);
		room[count == counts ? 10 : 8000] = (char)++*(int *)count;
		if (count == counts)
			lock_a++, phil[0].eating++;
		else
			lock_b++, phil[1].eaten++;
	}
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t threads[2];
	statements = strtol(argv[argc - 1], NULL, 10);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run, &counts[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
EOF
"${CC:-cc}" -g -O1 -pthread "$SCRATCH/statements.c" -o "$SCRATCH/statements" || exit 1
for n in 3 $(long && echo 5 || echo 4); do
	check --strategy dfs --states --prune-states -- "$SCRATCH/statements" $n
	pruned=$(field states.states)
	check --strategy dfs --prune-states --no-fair -- "$SCRATCH/statements" $n
	judge "$n statements: a square number of executions, not an exponential one" [ "$(field executions)" -le $(((n + 3) * (n + 3))) ]
	check --strategy dfs --states -- "$SCRATCH/statements" $n
	judge "$n statements: the states of all executions" [ "$(field states.states)" = "$pruned" ]
done

# Clocks are told apart with fairness; without it a program that reads them isn't all run, and how far off time-outs are counts still.
cat >"$SCRATCH/clocks.c" <<'EOF'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;
static int is_done(void)
{
	pthread_mutex_lock(&lock);
	const int now = done;
	pthread_mutex_unlock(&lock);
	return now;
}
static void *wait_for_it(void *unused)
{
	while (!is_done())
		usleep(1000);
	return unused;
}
int main(int argc, char **argv)
{
	pthread_t thread;
	struct timespec time;
	(void)argc;
	pthread_create(&thread, NULL, wait_for_it, NULL);
	if (strcmp(argv[1], "late") == 0) {
		usleep(3500);
		abort();
	}
	pthread_mutex_lock(&lock);
	if (strcmp(argv[1], "reads") == 0)
		clock_gettime(CLOCK_MONOTONIC, &time);
	done = 1;
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	return 0;
}
EOF
"${CC:-cc}" -g -O1 -pthread "$SCRATCH/clocks.c" -o "$SCRATCH/clocks" || exit 1
check --strategy dfs --prune-states --no-fair -- "$SCRATCH/clocks" sleeps
judge "who reads no clock depends on none: complete" [ "$(field complete)" = true ] || show "$SCRATCH/out"
check --strategy dfs --prune-states --no-fair -- "$SCRATCH/clocks" reads
says "who reads one may" '^  - [0-9]+ executions were cut at states that had been explored with other clocks, and the program reads these:'
check --strategy dfs --prune-states --no-fair -- "$SCRATCH/clocks" late
judge "a time-out that is further off than others comes about" [ $? -eq 1 ] || show "$SCRATCH/out"

# What is in a queue is no part of a state: nothing that follows one is left out.
cat >"$SCRATCH/queued.c" <<'EOF'
#include <assert.h>
#include <pthread.h>
#include <sys/ipc.h>
#include <sys/msg.h>
struct message {
	long kind;
	char text;
};
static int queue;
static void *put(void *message)
{
	return msgsnd(queue, message, 1, 0) == 0 ? NULL : message;
}
int main(void)
{
	struct message messages[2] = {{1, 'a'}, {1, 'b'}}, first = {0, 0};
	pthread_t threads[2];
	queue = msgget(IPC_PRIVATE, 0600);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, put, &messages[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(msgrcv(queue, &first, 1, 0, 0) == 1 && first.text == 'a');
	return 0;
}
EOF
"${CC:-cc}" -g -O1 -pthread "$SCRATCH/queued.c" -o "$SCRATCH/queued" || exit 1
check --strategy dfs --prune-states -- "$SCRATCH/queued"
judge "messages in another order are another state" [ $? -eq 1 ] || show "$SCRATCH/out"

# A variable as large as this is told by its pages, which are read when they have been written, a small one by its bytes.
check --strategy cb:2 --state counts -- "$SCRATCH/statements" 3
small=$(field states.states)
for large in room 'room,counts' 'room[*]'; do
	check --strategy cb:2 --state "$large" -- "$SCRATCH/statements" 3
	judge "--state $large: as many states" [ "$(field states.states)" = "$small" ] || show "$SCRATCH/out"
done

# by LIST: how many states these variables tell apart.
by() {
	check --strategy cb:2 --state "$1" -- "$SCRATCH/statements" 3
	field states.states
}
both=$(by 'lock_a, lock_b')
judge "one of two variables tells fewer apart" [ "$(by lock_a)" -lt "$both" ]
for pattern in 'lock_*' 'lock_?' 'statements.c::lo*_?' 'lock_a,*_b' 'phil[*].eat*' 'ph?l[*].*' 'phil[0].eating,phil[1].e*'; do
	judge "--state $pattern: as many as both" [ "$(by "$pattern")" = "$both" ] || show "$SCRATCH/out"
done
judge "--state phil[*].*g: as many as one" [ "$(by 'phil[*].*g')" = "$(by lock_a)" ]
strip -g -o "$SCRATCH/stripped" "$SCRATCH/statements"
check --strategy cb:2 --state 'lock_*' -- "$SCRATCH/stripped" 3
judge "by symbols alone: as many" [ "$(field states.states)" = "$both" ] || show "$SCRATCH/out"

# Chosen variables: what a function has left behind makes no difference then.
check --strategy cb --state forks,holders -- "${PHILOSOPHERS[@]}"
some=$(field states.states)
judge "chosen variables tell fewer states apart" [ "$some" -gt 1 -a "$some" -le "$all" ] || show "$SCRATCH/out"
check --strategy dfs --state 'forks[*], holders[0],holders[1]' -- "${PHILOSOPHERS[@]}"
judge "elements are as good as all" [ "$(field states.states)" = "$some" ] || show "$SCRATCH/out"
for wrong in 'forks,nothing:7' 'forks, lock_*:8' 'holders[*].*:12' 'holders[9]:9' 'forks[*].spoon:10' 'holders[x]:9' 'forks,:7'; do
	check --strategy cb --state "${wrong%:*}" -- "${PHILOSOPHERS[@]}"
	judge "--state ${wrong%:*}: refused" [ $? -eq 65 ]
	says "--state ${wrong%:*}: and why" "^fmc: --state '.*', column ${wrong##*:}: ."
done

refused() {
	local line=$1
	shift
	timeout -k 10 60 "$FMC" check "$@" -- "${PHILOSOPHERS[@]}" </dev/null >"$SCRATCH/out" 2>&1
	judge "$*: refused" [ "$? $(cat "$SCRATCH/out")" = "64 fmc: $line" ]
}
refused "--prune-states needs --strategy dfs: others don't run all that follows a state" --prune-states
refused "--prune-states needs --strategy dfs: others don't run all that follows a state" --prune-states --strategy optimal
refused "--states and --jobs can't be had together: each process would know states of its own" --states --jobs 2
refused "--states and --resume can't be had together: states of earlier runs aren't kept" --states --resume "$SCRATCH/state"
finish
