#!/bin/bash
# fmc minimize on real programs: what it writes replays, is no worse, and what it claims is what is known of the samples.
. tests/lib.sh
ROOT=$PWD
[[ $BUILD = /* ]] || BUILD=$ROOT/$BUILD
[[ $FMC = /* ]] || FMC=$ROOT/$FMC
cd "$SCRATCH" || exit 1

field() {
	"$BUILD/tests/json" result.json "findings.0.$1"
}

# minimize NAME PREEMPTIONS PROGRAM ARGUMENT...: from a random failure to so many preemptions, which are the fewest.
minimize() {
	local name=$1 fewest=$2 wrong=
	shift 2
	rm -f ./*.sched result.json
	"$FMC" check --strategy random --seed 7 --time 0 --executions 2000 --no-minimize -o found.sched -- "$@" \
	    </dev/null >check.out 2>&1
	[ $? -eq 1 ] || wrong="$wrong; nothing was found"
	"$FMC" minimize --time 0 --executions 3000 --json result.json found.sched </dev/null >out 2>err ||
	    wrong="$wrong; status $?"
	[ "$(field schedule)" = found.min.sched ] || wrong="$wrong; written to '$(field schedule)'"
	"$FMC" replay found.min.sched >replay.out 2>&1 || wrong="$wrong; doesn't replay"
	[ "$(grep '^signature' found.sched)" = "$(grep '^signature' found.min.sched)" ] || wrong="$wrong; another failure"
	[ "$(field minimized.after.preemptions)" = "$fewest" ] ||
	    wrong="$wrong; $(field minimized.after.preemptions) preemptions, not $fewest"
	[ "$(field preemptions)" = "$fewest" ] || wrong="$wrong; reports $(field preemptions) preemptions"
	[ "$(field minimized.minimal)" = true ] || wrong="$wrong; not minimal"
	[ "$(field minimized.certified)" = true ] || wrong="$wrong; not certified"
	[ "$(field minimized.critical.proven)" = true ] || wrong="$wrong; critical transition not proven"
	[ "$(field minimized.before.switches)" -ge "$(field minimized.after.switches)" ] ||
	    wrong="$wrong; more switches than before"
	grep -q '^The nearest execution that ends well' out || wrong="$wrong; no passing execution"
	if [ -z "$wrong" ]; then
		pass "minimize $name"
	else
		fail "minimize $name$wrong"
		show out err
	fi
}

minimize philosophers 1 "$BUILD/samples/philosophers" 3
minimize "four philosophers" 1 "$BUILD/samples/philosophers" 4
minimize lost_wakeup 1 "$BUILD/samples/lost_wakeup"
minimize atomicity 1 "$BUILD/samples/atomicity"
# The fewest transitions, which every longer search of fewer would have found; and those of the one with the fewest preemptions.
"$FMC" minimize --depth --time 0 --executions 5000 --json result.json -o short.sched found.sched </dev/null >out 2>err
judge "the fewest transitions" [ "$(field minimized.depth.certified)" = true -a \
    "$(field minimized.depth.least_transitions)" = "$(field transitions)" ]
judge "which aren't the fewest preemptions" [ "$(field minimized.depth.fewest_preemptions.preemptions)" -le "$(field preemptions)" ]
judge "it is said" [ "$(grep -c 'transitions: fewest possible' out)" -eq 1 ]
"$FMC" replay short.sched >replay.out 2>&1
judge "and replays" [ $? -eq 0 ]
"$FMC" minimize --depth --executions 1 --json result.json -o small.sched found.sched </dev/null >out 2>err
judge "a small budget certifies no depth" [ "$(field minimized.depth.certified)" = false ]
judge "which is said" [ "$(grep -c 'transitions isn.t known' out)" -eq 1 ]
rm -f small.sched short.sched

minimize checksum 1 "$BUILD/samples/checksum" "$ROOT/samples/texts"

# From here on found.sched is of checksum. A budget of nothing leaves the failure as it was, and says so.
"$FMC" minimize --executions 1 --json result.json -o small.sched found.sched </dev/null >out 2>err
"$FMC" replay small.sched >replay.out 2>&1
judge "a small budget leaves a schedule that replays" [ $? -eq 0 ]
judge "a small budget certifies nothing" [ "$(field minimized.certified)/$(field minimized.minimal)" = false/false ]
judge "a small budget is mentioned" grep -q 'cut by its budget' out

# check: reports the minimised schedule, unless told not to.
"$FMC" check --strategy random --seed 7 --executions 2000 --json result.json -o a.sched -- \
    "$BUILD/samples/philosophers" 3 </dev/null >out 2>err
# For so long as it takes no more than two seconds; where that is too short it says so.
minimised() {
	[ "$(field minimized.certified)/$(field preemptions)" = true/1 ] || grep -q 'cut by its budget' out
}
judge "check minimises" minimised
"$FMC" replay a.sched >replay.out 2>&1
judge "what check reports replays" [ $? -eq 0 ]
"$FMC" check --strategy random --seed 7 --executions 2000 --no-minimize --json result.json -o a.sched -- \
    "$BUILD/samples/philosophers" 3 </dev/null >out 2>err
judge "check --no-minimize doesn't" [ "$(field minimized)" = null ]

# Nothing to minimise, or not this program.
"$FMC" run -o good.sched -- "$BUILD/samples/buffer" </dev/null >out 2>err
"$FMC" minimize good.sched </dev/null >out 2>err
judge "a run that ended well is refused" [ $?/$(wc -l <err)/$(wc -c <out) = 65/1/0 ]
"$FMC" check --no-minimize --always '1 == 2' -o at_once.sched -- "$BUILD/samples/buffer" </dev/null >out 2>err
"$FMC" minimize at_once.sched </dev/null >out 2>err
judge "what fails before the first transition is as short as it can be" [ $?/$(wc -l <err)/$(wc -c <out) = 65/1/0 ]
sed -E "/^ *1 +T1 /s,thread_create,thread_join  ," found.sched >other.sched
"$FMC" minimize other.sched </dev/null >out 2>err
judge "a schedule that isn't followed is refused" [ $?/$(wc -l <err)/$(wc -c <out) = 1/1/0 ]
cd "$ROOT" || exit 1
finish
