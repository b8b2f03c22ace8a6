#!/bin/bash
# fmc show draws: each format of schedules of samples, with a replay and without, and what is wrong with a command line.
. tests/lib.sh
cp "$BUILD/samples/philosophers" "$SCRATCH/target"
T=$SCRATCH/target S=$SCRATCH/a.sched

# draw ARGUMENT...: standard output to out, exit status and standard error kept.
draw() {
	timeout -k 10 60 "$FMC" show "$@" </dev/null >"$SCRATCH/out" 2>"$SCRATCH/err"
	status=$?
}

# said STATUS REGEX NAME: that status, and one line on standard error that matches.
said() {
	[ $status -eq "$1" ] && [ "$(wc -l <"$SCRATCH/err")" -eq 1 ] && grep -Eq "$2" "$SCRATCH/err"
	judge "$3" [ $? -eq 0 ] || show "$SCRATCH/err"
}

"$FMC" check -o "$S" -- "$T" 3 </dev/null >/dev/null 2>&1
judge "a schedule to draw" [ -s "$S" ]

# Every format of every kind of sample: nothing is said, and JSON is JSON.
while read -r name arguments; do
	read -ra words <<<"$arguments"
	"$FMC" run --seed 5 -o "$SCRATCH/$name.sched" -- "$BUILD/samples/$name" "${words[@]}" </dev/null >/dev/null 2>&1
	for format in html perfetto dot; do
		draw --format $format "$SCRATCH/$name.sched"
		judge "$format of $name" [ $status -eq 0 -a -s "$SCRATCH/out" -a ! -s "$SCRATCH/err" ]
		cp "$SCRATCH/out" "$SCRATCH/$name.$format"
	done
	judge "JSON of $name" "$BUILD/tests/json" "$SCRATCH/$name.perfetto" traceEvents.0.name >/dev/null
	sed -n '/id="data">/,/<\/script>/p' "$SCRATCH/$name.html" | sed 's/.*id="data">//; s/<\/script>.*//' >"$SCRATCH/data"
	judge "page of $name" "$BUILD/tests/json" "$SCRATCH/data" runs.0.ending >/dev/null
	if command -v dot >/dev/null; then
		dot -T svg "$SCRATCH/$name.dot" >/dev/null 2>"$SCRATCH/err"
		judge "Graphviz takes that of $name" [ $? -eq 0 -a ! -s "$SCRATCH/err" ]
	fi
done <<'END'
philosophers 3
cond_broadcast 2
rwlock
barrier
semaphores
spinlock
once
timedwait
lost_wakeup
trylock_livelock
cancel
futex_mutex
END
command -v dot >/dev/null || skip "graphs in Graphviz: there is no dot (Debian: apt-get install graphviz)"

# The deadlock itself.
draw --format dot "$S"
judge "the graph of a deadlock" [ "$(grep -c 'c00000' "$SCRATCH/out")" -eq 12 ]
judge "is all of the cycle" [ "$(grep -c -- '-> .*c00000' "$SCRATCH/out")" -eq 6 ]

# What ends well stands beside it, by itself or as it is told.
draw --format html "$S"
judge "a passing execution is found" grep -q '"part":[0-9]' "$SCRATCH/out"
"$FMC" run -o "$SCRATCH/b.sched" -- "$T" 3 </dev/null >/dev/null 2>&1
draw --format html --beside "$SCRATCH/b.sched" "$S"
judge "another schedule beside it" grep -q '"part":5,"about":".*b.sched"' "$SCRATCH/out"
draw --format html --no-replay "$S"
judge "none without a replay" grep -q '"part":-1' "$SCRATCH/out"
judge "nor spans" grep -q '"spans":\[\]' "$SCRATCH/out"
judge "and nothing is said" [ $status -eq 0 -a ! -s "$SCRATCH/err" ]

# Files.
draw --format html -o "$SCRATCH/page.html" "$S"
judge "-o" [ $status -eq 0 -a ! -s "$SCRATCH/out" -a -s "$SCRATCH/page.html" ]
draw -o "$SCRATCH/page.txt" "$S"
judge "-o of a text" grep -q 'mutex_lock' "$SCRATCH/page.txt"
draw --format html -o "$SCRATCH/page.html" "$SCRATCH/nothing.sched"
said 65 'nothing\.sched' "a file that isn't there"
judge "what was there stays" grep -q '</html>' "$SCRATCH/page.html"
draw --format html --beside "$SCRATCH/nothing.sched" "$S"
said 65 'nothing\.sched' "one beside it that isn't"
judge "then there is no page" [ ! -s "$SCRATCH/out" ]
draw --format dot -o "$SCRATCH/missing/x.dot" "$S"
said 70 'missing/x.dot: No such' "a folder that isn't there"
draw --format htlm "$S"
said 64 "did you mean 'html'" "a format that is none"
draw --format svg "$S"
said 64 "text, html, perfetto, dot" "and one that is like none"

# Programs that aren't what they were.
cp "$BUILD/samples/philosophers_ordered" "$SCRATCH/other" && mv "$SCRATCH/other" "$T"
for format in html perfetto dot; do
	draw --format $format "$S"
	said 0 'build-id .*; drawn without' "$format of another build"
	judge "is drawn" [ -s "$SCRATCH/out" ]
done
rm "$T"
draw --format html "$S"
said 0 'target.*; drawn without' "a program that isn't there"
cp "$BUILD/samples/philosophers" "$T"
sed 's/forks\[0\]#0/forks[0]#9/' "$S" >"$SCRATCH/odd.sched"
draw --format perfetto "$SCRATCH/odd.sched"
said 0 'expected T2 .*; drawn without' "a schedule that the program doesn't follow"
sleeping=$(users_of "$T")
judge "no process is left" [ -z "$sleeping" ]
finish
