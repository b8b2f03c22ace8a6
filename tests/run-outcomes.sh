#!/bin/bash
# Outcomes (--outcomes, --outcome, --same-output): programs made at random have just those that running every order of their steps has, with
# every strategy that is complete, and each replays. OUTCOMES: how many programs.
. tests/lib.sh
OUTCOMES=${OUTCOMES:-4}
[ -z "${FMC_TEST_LONG:-}" ] || OUTCOMES=$((40 * OUTCOMES))
HERE=$PWD
STRATEGIES=(auto dfs source cb)
case $FMC in /*) ;; *) FMC=$HERE/$FMC ;; esac

# list OPTION... PROGRAM: its outcomes, in $SCRATCH/out and $SCRATCH/o.json, schedules as $SCRATCH/o.N.sched.
list() {
	rm -f "$SCRATCH"/o.*
	timeout -k 10 150 "$FMC" check --expect-exit 1,2 --no-minimize -o "$SCRATCH/o.sched" --json "$SCRATCH/o.json" "$@" </dev/null >"$SCRATCH/out" 2>&1
}

replays() {
	local schedule
	for schedule in "$SCRATCH"/o.[0-9]*.sched; do
		timeout -k 10 60 "$FMC" replay "$schedule" </dev/null >"$SCRATCH/replayed" 2>&1 || { show "$SCRATCH/replayed" && return 1; }
	done
}

for seed in $(seq 1 "$OUTCOMES"); do
	tests/outcomes.py "$seed" "$SCRATCH" >"$SCRATCH/expected"
	"${CC:-cc}" -std=gnu11 -O1 -pthread "$SCRATCH/$seed.c" -o "$SCRATCH/$seed" || exit 1
	for strategy in optimal "${STRATEGIES[seed % ${#STRATEGIES[@]}]}"; do
		list --strategy "$strategy" --outcomes "$SCRATCH/$seed"
		judge "program $seed, $strategy: $(wc -l <"$SCRATCH/expected") outcomes" tests/outcomes.py compare "$SCRATCH/o.json" "$SCRATCH/expected" ||
		    show "$SCRATCH/out"
	done
	judge "program $seed: each replays" replays
done

# The same with workers, and by functions of C++.
list --strategy optimal --jobs 2 --outcomes "$BUILD/samples/turns"
says "with workers" '^6 different outcomes:' '^[1-6]  *1  exit status 0 .*"ab12"$' '^Two of them part at transition [0-9]+: T[23] output at turns.c:[0-9]+ leads to outcome' \
    '^After transition [0-9]+ each thread has made the same progress in both \(T1 [0-9]+, T2 [0-9]+, T3 [0-9]+\), and the states differ: a race\.' '^No failure found in 6 executions'
cat >"$SCRATCH/stream.cc" <<'EOF'
#include <iostream>
#include <thread>
static void say(const char *text)
{
	std::cout << text << std::endl;
}
int main()
{
	std::thread a(say, "x"), b(say, "y");
	a.join();
	b.join();
}
EOF
"${CXX:-c++}" -pthread "$SCRATCH/stream.cc" -o "$SCRATCH/stream" || exit 1
list --strategy optimal --outcomes "$SCRATCH/stream"
says "streams of C++" '^4 different outcomes:'

# A stream's lock that the program holds over several prints.
cat >"$SCRATCH/held.c" <<'EOF'
#include <pthread.h>
#include <stdio.h>
static void *say(void *text)
{
	flockfile(stdout);
	printf("%s", (char *)text);
	printf("%s ", (char *)text);
	funlockfile(stdout);
	return NULL;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, say, "a");
	pthread_create(&b, NULL, say, "b");
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
EOF
"${CC:-cc}" -pthread "$SCRATCH/held.c" -o "$SCRATCH/held" || exit 1
list --strategy dfs --outcomes "$SCRATCH/held"
says "flockfile" '^2 different outcomes:' '"(aa bb|bb aa) "$' '"(aa bb|bb aa) "$' '^No failure found'

# Part of the output; two of a kind are one.
cat >"$SCRATCH/sum.c" <<'EOF'
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;
static void *add(void *name)
{
	printf("thread %s\n", (char *)name);
	pthread_mutex_lock(&lock);
	int copy = sum;
	if (BROKEN) {
		pthread_mutex_unlock(&lock);
		pthread_mutex_lock(&lock);
	}
	sum = copy + 1;
	pthread_mutex_unlock(&lock);
	return NULL;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, add, "a");
	pthread_create(&b, NULL, add, "b");
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("sum: %d\n", sum);
	return 0;
}
EOF
for broken in 0 1; do
	"${CC:-cc}" -g -pthread -DBROKEN=$broken "$SCRATCH/sum.c" -o "$SCRATCH/sum$broken" || exit 1
done
list --strategy optimal --outcome 'sum: (.*)' "$SCRATCH/sum1"
says "a part" '^2 different outcomes:' '"[12]"$' '"[12]"$'
list --strategy optimal --outcome 'product: (.*)' "$SCRATCH/sum1"
says "no such part" '^All executions had the same outcome:' '\(no such part\)$'
list --strategy optimal --same-output --outcome '^sum: .*$' "$SCRATCH/sum0"
judge "the same under every schedule" [ $? -eq 0 ]
list --strategy optimal --same-output "$SCRATCH/sum0"
judge "all of the output isn't" [ $? -eq 1 ]
list --strategy optimal --same-output --outcome 'sum: (.*)' "$SCRATCH/sum1"
judge "another one is a failure" [ $? -eq 1 ]
says "of its own kind" '^outcome: "1" and exit status 0; under the first schedule "2" and exit status 0$' '^Two outcomes part at transition [0-9]+: T[23] mutex_lock lock at sum.c:[0-9]+ leads to "2"' \
    'the states differ: a race\.$'
judge "it is recorded" grep -q '^outcome-first [0-9a-f]\{16\} "2" and exit status 0$' "$SCRATCH/o.sched"
timeout -k 10 60 "$FMC" replay "$SCRATCH/o.sched" </dev/null >"$SCRATCH/out" 2>&1
says "and replays" '^Replayed [0-9]+ transitions: outcome as recorded\.$'
timeout -k 10 100 "$FMC" minimize --time 10 -o "$SCRATCH/less.sched" "$SCRATCH/o.sched" </dev/null >"$SCRATCH/out" 2>&1
says "and is minimised" '^outcome: "1"|^Minimising|^Minimised'
sed 's/^outcome [0-9a-f]*$/outcome 0123456789abcdef/' "$SCRATCH/o.sched" >"$SCRATCH/other.sched"
timeout -k 10 60 "$FMC" replay "$SCRATCH/other.sched" </dev/null >"$SCRATCH/out" 2>&1
judge "another output is told" [ $? -eq 1 ]
says "by its text" "other.sched: the output isn't what was recorded: it is \"1\"\$"
# GDB walks through what is printed, and follows it alone: functions that print are run to their end, whatever they call, and what is
# written elsewhere is no operation.
cat >"$SCRATCH/both.c" <<'EOF'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static void *say(void *name)
{
	printf("%s\n", (char *)name);
	fflush(stdout);
	fprintf(stderr, "error of %s\n", (char *)name);
	if (write(1, name, 1) == 1)
		puts("written");
	fflush(stdout);
	return NULL;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, say, "a");
	pthread_create(&b, NULL, say, "b");
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
EOF
"${CC:-cc}" -g -O1 -pthread "$SCRATCH/both.c" -o "$SCRATCH/both" || exit 1
list --strategy random --executions 30 --seed 3 --outcomes "$SCRATCH/both"
timeout -k 10 100 "$FMC" gdb -q --batch -ex 'fmc-goto 8' -ex reverse-continue -ex continue "$SCRATCH/o.2.sched" </dev/null >"$SCRATCH/out" 2>&1
says "GDB walks there and back" '^before transition 8 of [0-9]+:' '^No more reverse-execution history\.$' '^fmc: the end: exit 0 T1$'
for schedule in "$SCRATCH"/o.[1-3].sched; do
	timeout -k 10 60 "$FMC" export --gdb -o "$SCRATCH/both.gdb" "$schedule" </dev/null >"$SCRATCH/out" 2>&1
	timeout -k 10 100 gdb -q -batch -x "$SCRATCH/both.gdb" "$SCRATCH/both" </dev/null >"$SCRATCH/out" 2>&1
	says "$(basename "$schedule"): GDB follows it alone" 'error of [ab]$' 'error of [ab]$' '^fmc: none: exit$'
done

cd "$SCRATCH" || exit 1
timeout -k 10 100 "$FMC" check --strategy optimal --same-output --junit j.xml --sarif s.json -- ./sum1 </dev/null >out 2>&1
judge "for other tools" grep -q '<failure type="outcome"' j.xml
judge "and for editors" grep -q '"ruleId": *"outcome"' s.json
timeout -k 10 60 "$FMC" check --outcome '(' -- ./sum1 </dev/null >out 2>&1
judge "a bad expression is told" [ "$? $(cat out)" = "64 fmc: --outcome '(': Unmatched ( or \\(" ]
timeout -k 10 60 "$FMC" check --outcomes --resume state -- ./sum1 </dev/null >out 2>&1
judge "no outcomes of several runs" [ "$? $(cat out)" = "64 fmc: --outcomes and --resume can't be had together: what earlier runs have met isn't kept" ]
rm -f certificate
timeout -k 10 60 "$FMC" check --strategy optimal --outcomes --certificate certificate -o c.sched -- ./sum0 </dev/null >out 2>&1
judge "no certificate of it" [ ! -e certificate ]
says "and why" "certificate: no certificate is written: what the program prints was operations"
cd "$HERE" || exit 1
finish
