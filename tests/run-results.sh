#!/bin/bash
# Results for the tools of others: JUnit and SARIF, of every kind of end that a search has.
. tests/lib.sh
if ! command -v python3 >/dev/null; then
	skip "python3 isn't installed"
	finish
	exit
fi
HERE=$PWD
# Through a folder whose name a URI and XML have to write in another way.
ODD="$SCRATCH/a & <b> %ü"
mkdir "$ODD"

# check STATUS OPTION...: both results of it, read, are in $SCRATCH/junit and $SCRATCH/sarif.
check() {
	local status=$1 found kind
	shift
	rm -f "$ODD/j.xml" "$ODD/s.sarif"
	timeout -k 10 150 "$FMC" check --junit "$ODD/j.xml" --sarif "$ODD/s.sarif" "$@" </dev/null >"$SCRATCH/text" 2>"$SCRATCH/err"
	found=$?
	judge "fmc check $*: status $status" [ $found -eq "$status" ]
	for kind in junit sarif; do
		python3 tests/results.py $kind "$ODD"/"${kind:0:1}".* >"$SCRATCH/$kind" 2>&1
		judge "fmc check $*: $kind is well formed" [ $? -eq 0 ] || show "$SCRATCH/$kind"
	done
	judge "fmc check $*: nothing else is left" [ -z "$(find "$ODD" -name '*.*.??????')" ]
}

# told FILE NAME REGEX...: such lines are in $SCRATCH/FILE.
told() {
	cp "$SCRATCH/$1" "$SCRATCH/out"
	says "$1: $2" "${@:3}"
}

check 1 -o "$ODD/p.sched" -- "$BUILD/samples/philosophers" 3
told junit "a deadlock" '^suite .*philosophers 3$' '^property verdict = failure' "^case deadlock at philosophers.c:3[45] in $HERE/samples/philosophers.c line 3[45]\$" \
    '^failure deadlock \| deadlock: T2 waits for forks\[1\] held by T3' "^text \['deadlock: " '^output Schedule: .*a & <b> %ü/p\.sched$' \
    "^output .*1 different failure found"
told sarif "a deadlock" '^successful True exit 1 of .*philosophers 3$' '^note 1 different failure' '^property verdict = failure' \
    '^error deadlock \| deadlock: T2 waits' "^at $HERE/samples/philosophers.c:3[45]\$" "^stack T1 main: waits for T2 .*philosophers.c:56" \
    "^flow T2 .*mutex_lock" '^schedule .*/a & <b> %ü/p\.sched:None$' '^counted 1 schedule .*p\.sched$'

check 0 --strategy dfs -- "$BUILD/samples/buffer"
told junit "nothing is found" '^property verdict = none' '^property complete = true' '^case no failure in None' "^output \['No failure found in 16 executions"
told sarif "nothing is found" '^successful True exit 0' '^note No failure found in 16 executions' '^property complete = True'
judge "sarif: no result where nothing is found" [ "$(grep -cE '^(error|warning)' "$SCRATCH/sarif")" -eq 0 ]

check 2 --strategy dfs --executions 3 --require-complete -- "$BUILD/samples/buffer"
told junit "incomplete" '^property incomplete because = ' '^case no failure' '^failure incomplete \| '
told sarif "incomplete" '^successful True exit 2'

check 1 --all --strategy dfs -o "$ODD/m.sched" -- "$BUILD/samples/misuse" unlock
told junit "a misuse" '^failure misuse \| misuse: '
check 1 -o "$ODD/e.sched" -- "$BUILD/samples/lost_update"
told junit "an exit, whose place is that of the last transition" '^case exit at lost_update\.c:[0-9]+ in .*/samples/lost_update.c line' '^failure exit '
told sarif "the same" '^at .*/samples/lost_update\.c:[0-9]+$'

check 0 --strategy cb:0 -- "$BUILD/samples/lock_order"
told sarif "a warning" '^warning lock-order \| locks are taken in both orders' "^at .*/samples/lock_order.c:[0-9]+" '^stack T2 '
told junit "a warning leaves the verdict alone" '^case no failure'

check 69 -- "$SCRATCH/missing"
told junit "no program" '^suite .*missing$' '^case no failure' '^error fmc \| .*missing: no such file'
told sarif "no program" '^successful False exit 69' '^note .*missing: no such file'
check 69 -- "$BUILD/samples/no_threads.missing" 'a "b" & <c>'
told junit "arguments as they are" '^suite .*no_threads\.missing a "b" & <c>$'

# What the program prints and is called is its own affair: control characters, bytes that are no UTF-8.
cat >"$SCRATCH/odd.c" <<'EOT'
#include <stdio.h>
int main(void)
{
	fputs("bell \a, escape \033[31m, byte \xff, tab \t, ]]> &amp; <tag> \"quoted\" 'so' \xc3\xbc\n", stderr);
	return 3;
}
EOT
"${CC:-cc}" -g "$SCRATCH/odd.c" -o "$ODD/odd"
check 1 --expect-exit 0 --color always -o "$ODD/o.sched" -- "$ODD/odd" $'\xff\001'
told junit "odd bytes" '^suite .*\\xff\\x01$'
judge "junit: odd output is told" grep -q 'bell \\x07, escape \\x1b\[31m, byte \\xff' "$ODD/j.xml"
judge "junit: no control characters" [ -z "$(tr -d '\n\t -~\200-\377' <"$ODD/j.xml")" ]

# Where they can't be written is told in a line, before anything is run.
refused() {
	local option=$1 path=$2 pattern=$3
	"$FMC" check "$option" "$path" -- "$BUILD/samples/once" </dev/null >"$SCRATCH/out" 2>"$SCRATCH/err"
	judge "$option $path" [ $? -eq 64 -a ! -s "$SCRATCH/out" -a "$(wc -l <"$SCRATCH/err")" -eq 1 ]
	judge "$option $path: why" grep -q "$pattern" "$SCRATCH/err"
}
for option in --junit --sarif; do
	refused $option "$SCRATCH/missing/x" "missing/x: can't write there: No such file"
	refused $option "$SCRATCH" "can't write there: Is a directory"
	refused $option /proc/x "can't write there"
done
refused --junit --sarif 'looks like an option'

# The old file stays whole until the new one is.
printf old >"$SCRATCH/kept.xml"
ln "$SCRATCH/kept.xml" "$SCRATCH/other"
"$FMC" check --strategy dfs --junit "$SCRATCH/kept.xml" -- "$BUILD/samples/once" </dev/null >/dev/null 2>&1
judge "a file is replaced, not written over" [ "$(cat "$SCRATCH/other")" = old -a "$(head -c 5 "$SCRATCH/kept.xml")" = '<?xml' ]
judge "it has the usual mode" [ "$(stat -c %a "$SCRATCH/kept.xml")" = "$(printf '%o' $((0666 & ~0$(umask))))" ]
(ulimit -f 0 && "$FMC" check --strategy dfs --junit "$SCRATCH/kept.xml" -- "$BUILD/samples/once" </dev/null) 2>&1 | cat >"$SCRATCH/out"
judge "no room for it: status 70" [ ${PIPESTATUS[0]} -eq 70 ]
says "no room for it" "kept.xml: can't write there: File too large"
judge "no room for it: the old one stays" [ "$(head -c 5 "$SCRATCH/kept.xml")" = '<?xml' ]
"$FMC" check --strategy dfs --sarif - -- "$BUILD/samples/once" </dev/null >"$SCRATCH/s.json" 2>"$SCRATCH/err"
judge "-: standard output, text elsewhere" python3 tests/results.py sarif "$SCRATCH/s.json" >/dev/null
judge "-: text" grep -q '^No failure found' "$SCRATCH/err"
"$FMC" check --strategy dfs --junit /dev/full -- "$BUILD/samples/once" </dev/null >/dev/null 2>"$SCRATCH/out"
judge "a full device: status 70" [ $? -eq 70 ]
judge "a device isn't replaced" [ -c /dev/full ]
finish
