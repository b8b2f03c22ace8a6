#!/bin/bash
# fmc check --certificate and fmc certificate on real programs: what a complete search leaves holds, what was taken from it doesn't.
. tests/lib.sh
ROOT=$PWD
[[ $BUILD = /* ]] || BUILD=$ROOT/$BUILD
[[ $FMC = /* ]] || FMC=$ROOT/$FMC
cd "$SCRATCH" || exit 1

# certify NAME STRATEGY PROGRAM ARGUMENT...: the search is complete within its bound, and its certificate holds; in it.cert.
certify() {
	local name="$1, $2" strategy=$2 wrong=
	shift 2
	rm -f it.cert result.json
	# shellcheck disable=SC2086 # with other options after it
	timeout -k 10 100 "$FMC" check --strategy $strategy --all --no-minimize --certificate it.cert -o it.sched -- "$@" \
	    </dev/null >out 2>err
	[ -s it.cert ] || wrong="; there is none: $(cat err)"
	timeout -k 10 100 "$FMC" certificate --sample 3 --json result.json it.cert </dev/null >>out 2>err || wrong="$wrong; status $?"
	[ "$("$BUILD/tests/json" result.json holds)" = true ] || wrong="$wrong; it doesn't hold"
	[ "$("$BUILD/tests/json" result.json sampled)" -gt 0 ] || wrong="$wrong; nothing was run again"
	if [ -z "$wrong" ]; then
		pass "$name"
	else
		fail "$name${wrong/;/:}"
		show out err
	fi
}

for strategy in optimal source cb:1; do
	certify philosophers $strategy "$BUILD/samples/philosophers" 3
	certify "lost wakeup" $strategy "$BUILD/samples/lost_wakeup"
	certify barrier $strategy "$BUILD/samples/barrier"
	certify "read-write lock" $strategy "$BUILD/samples/rwlock"
	certify "time-outs" $strategy "$BUILD/samples/timedwait"
	certify semaphores $strategy "$BUILD/samples/semaphores"
	certify once $strategy "$BUILD/samples/once"
done
certify philosophers "optimal --jobs 3" "$BUILD/samples/philosophers" 4
certify philosophers "cb:2 --jobs 3" "$BUILD/samples/philosophers" 3
certify "spurious wakeups" "optimal --spurious 1" "$BUILD/samples/spurious"
certify "accesses that no operation orders" "optimal --granularity race" "$BUILD/samples/counter"
certify "an order of waking" "optimal --wakeup sem=fifo" "$BUILD/samples/philosophers_sem" 3
for strategy in delay:1 bpor:1; do
	certify philosophers $strategy "$BUILD/samples/philosophers" 3
	certify "read-write lock" $strategy "$BUILD/samples/rwlock"
	certify "time-outs" $strategy "$BUILD/samples/timedwait"
	certify "locks made of futexes" $strategy "$BUILD/samples/futex_mutex"
done
certify "delays and a cache" "delay:2 --jobs 3" "$BUILD/samples/philosophers" 3
certify "states" "dfs --prune-states" "$BUILD/samples/philosophers" 3
certify "states without fairness" "dfs --prune-states --no-fair" "$BUILD/samples/fair_philosophers" 2
cp it.cert states.cert
certify buffer dfs "$BUILD/samples/buffer"
certify "C11 threads" dfs "$BUILD/samples/c11_threads"
certify "locks made of futexes" optimal "$BUILD/samples/futex_mutex"
certify "a main thread that exits" optimal "$BUILD/samples/main_exits"
certify "no threads" optimal "$BUILD/samples/no_threads"

# refused NAME STATUS PATTERN FILE [OPTION...]: it doesn't hold, or isn't read, with one line about it.
refused() {
	local name=$1 expected=$2 pattern=$3 file=$4
	shift 4
	"$FMC" certificate "$@" "$file" </dev/null >out 2>err
	local status=$?
	grep -Eq -- "$pattern" err
	judge "$name" [ $? -eq 0 -a $status -eq "$expected" -a "$(wc -l <err)" -eq 1 -a ! -s out ]
	[ $status -eq "$expected" ] || show out err
}

certify "the one that is damaged" optimal "$BUILD/samples/philosophers" 3
cp it.cert whole.cert
sed 's/^executions 7/executions 6/' whole.cert >edited.cert
refused "an edited number" 65 '^fmc: edited.cert:[0-9]+: it has been changed: its content has another digest' edited.cert
head -n -1 whole.cert >cut.cert
refused "a file without its end" 65 'cut.cert:[0-9]+: truncated' cut.cert
refused "a file that isn't one" 65 'philosophers.c:1: not a certificate' "$ROOT/samples/philosophers.c"
refused "a file that isn't there" 65 'nowhere.cert: No such file' nowhere.cert

# forge FILE: as it is, with a digest that fits.
forge() {
	local digest
	digest=$("$FMC" certificate "$1" 2>&1 >/dev/null | sed -n 's/.*another digest, //p')
	sed -i "\$s/.*/digest $digest/" "$1"
}
lines=$(grep -c '^run ' whole.cert)
for n in $(seq "$lines"); do
	# The last ones begin with nothing of those before them, or with what is left.
	awk -v n="$n" '/^executions/ { $2-- } !(/^run / && ++k == n)' whole.cert >forged.cert
	forge forged.cert
	"$FMC" certificate forged.cert </dev/null >out 2>err
	judge "without execution $n of $lines it doesn't hold" [ $? -ne 0 -a "$(wc -l <err)" -eq 1 ]
done
sed 's/^run \(.*\) = deadlock/run \1 = livelock/' whole.cert >forged.cert
forge forged.cert
"$FMC" certificate forged.cert </dev/null >out 2>err
judge "a deadlock that is called something else is checked against nothing else" [ $? -le 1 ]
sed 's/^run \(.*\) = exit 0/run \1 = exit 3/' whole.cert >forged.cert
forge forged.cert
refused "a status that the program doesn't have" 1 'forged.cert:[0-9]+: run again, this execution ends in another way' forged.cert --sample 7
"$FMC" certificate --json result.json forged.cert </dev/null >out 2>err
judge "which nobody sees who doesn't run it" [ $? -eq 0 ]
sed "s/^module [0-9a-f]*/module 00/" whole.cert >other.cert
forge other.cert
refused "another build of the program" 65 'other.cert: .*philosophers has build-id [0-9a-f]+, the certificate was made with 00$' other.cert --sample 1
"$FMC" certificate other.cert </dev/null >out 2>err
judge "is nothing to who doesn't run it" [ $? -eq 0 ]

# Where an execution was cut another one goes on from the same state, and no other state is that one.
cut=$(grep -m1 -n '^run .* = redundant' states.cert | cut -d: -f1)
sed "${cut}s/s[0-9]* = redundant/ = redundant/" states.cert >forged.cert
forge forged.cert
refused "a cut that names no state" 1 'forged.cert:[0-9]+: an execution is cut short for no stated reason' forged.cert
sed -E '/^run /s/s0( [0-9])/\1/g' states.cert >forged.cert
forge forged.cert
refused "states that nobody goes on from" 1 'forged.cert:[0-9]+: it is cut at state [0-9]+, from which no execution goes on' forged.cert

tree() {
	sed -n '/^executions/,/^digest/p' "$1" | grep -v ^digest
}

# in_parts NAME STRATEGY PARTS PROGRAM ARGUMENT...: the same tree from a search in parts of so many executions as from one run.
in_parts() {
	local name=$1 strategy=$2 most=$3 parts=0
	shift 3
	rm -f whole.cert part.cert search.state
	# shellcheck disable=SC2086 # with other options after it
	"$FMC" check --strategy $strategy --all --no-minimize --certificate whole.cert -o it.sched -- "$@" </dev/null >out 2>err
	while [ ! -e part.cert ] && [ $((parts++)) -lt 20 ]; do
		# shellcheck disable=SC2086
		"$FMC" check --strategy $strategy --all --no-minimize --resume search.state --executions "$most" --certificate part.cert \
		    -o it.sched -- "$@" </dev/null >out 2>err
	done
	"$FMC" certificate --sample 3 part.cert </dev/null >>out 2>err
	judge "$name, $strategy: in $parts parts, and it holds" [ $? -eq 0 -a $parts -gt 1 ]
	cmp -s <(tree whole.cert) <(tree part.cert)
	judge "$name, $strategy: the certificate is that of one run" [ $? -eq 0 ]
}
in_parts philosophers optimal 3 "$BUILD/samples/philosophers" 3
in_parts philosophers cb:2 9 "$BUILD/samples/philosophers" 3
in_parts philosophers delay:2 9 "$BUILD/samples/philosophers" 3
rm -f search.state it.cert
"$FMC" check --strategy optimal --all --no-minimize --resume search.state --executions 3 -o it.sched -- "$BUILD/samples/philosophers" 3 \
    </dev/null >out 2>err
"$FMC" check --strategy optimal --all --no-minimize --resume search.state --certificate it.cert -o it.sched -- "$BUILD/samples/philosophers" 3 \
    </dev/null >out 2>err
grep -q '^fmc: it.cert: no certificate is written: the search went on from a saved one that was run without --certificate$' err
judge "none where the first part was run without" [ $? -eq 0 -a ! -e it.cert ]

# Searches of which there is none.
none() {
	local name=$1 pattern=$2
	shift 2
	rm -f none.cert
	"$FMC" check --no-minimize --certificate none.cert -o none.sched "$@" </dev/null >out 2>err
	grep -q "^fmc: none.cert: no certificate is written: $pattern" err
	judge "none of $name" [ $? -eq 0 -a ! -e none.cert ]
}
none "a search that ends at the first failure" "the search isn't complete" --strategy cb:2 -- "$BUILD/samples/philosophers" 3
none "a search at random" "a random search shows what it has run, and not that there is nothing else" --strategy random --executions 5 --all -- "$BUILD/samples/philosophers" 2
"$FMC" check --certificate /nowhere/it.cert -- "$BUILD/samples/buffer" </dev/null >out 2>err
judge "a folder that isn't there is found before the search" [ $? -eq 64 ]
finish
