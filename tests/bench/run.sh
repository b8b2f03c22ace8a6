#!/bin/bash
# `make bench`: what supervision costs, as ratios measured in one run.
. tests/lib.sh
RESULT=$SCRATCH/result.json
STEPS=$BUILD/tests/steps

field() {
	"$BUILD/tests/json" "$RESULT" "$1"
}

# compute FORMAT EXPRESSION
compute() {
	awk "BEGIN { printf \"$1\", $2 }"
}

# fmc_json ARGUMENT...: the result goes to $RESULT.
fmc_json() {
	local command=$1
	shift
	"$FMC" "$command" --json "$RESULT" -o "$SCRATCH/bench.sched" "$@" </dev/null >/dev/null 2>"$SCRATCH/err"
	case $? in
	0 | 1) ;;
	*)
		echo "fmc $command $*: failed" >&2
		cat "$SCRATCH/err" >&2
		exit 1
		;;
	esac
}

# least NUMBERS: of a list with blanks between.
least() {
	tr -s ' ' '\n' <<<"${1# }" | sort -g | head -n 1
}

# seconds COMMAND...: wall clock.
seconds() {
	local start=$EPOCHREALTIME
	"$@" >/dev/null || exit 1
	compute %.3f "$EPOCHREALTIME - $start"
}

# What is asked of executions inside of the target and of `fmc run`: printed at the end, a row each.
ASKED=()
# asked WHAT COMPARISON GOAL MEASURED [UNIT]: "-" is what couldn't be measured here.
asked() {
	local held=-
	[ "$4" = - ] || held=$(awk "BEGIN { print ($4 $2 $3) ? \"held\" : \"missed\" }")
	ASKED+=("$(printf '%-46s %3s %-8s %-10s %s' "$1" "$2" "$3${5:+ $5}" "$4${5:+ $5}" "$held")")
}

bare=$("$BUILD/tests/bare") || exit 1
fmc_json run --depth 0 -- "$STEPS" 1000
small_time=$(field seconds) small=$(field transitions)
fmc_json run --depth 0 -- "$STEPS" 20000
per=$(compute %.3f "($(field seconds) - $small_time) * 1e6 / ($(field transitions) - $small)")
echo "a transition           $per us, a bare stop $bare us: ratio $(compute %.2f "$per / $bare")"
# Places are looked up at each of them.
all=$(field transitions)
replayed=$(seconds "$FMC" replay "$SCRATCH/bench.sched")
echo "and when replayed      $(compute %.3f "$replayed * 1e6 / $all") us, start and reading included: ratio $(compute %.2f "$replayed * 1e6 / $all / $per")"

for kind in exec copy; do
	fmc_json check --strategy random --executions 3000 --time 0 --origin $kind -- "$STEPS" 5
	rate=$(compute %.0f "$(field executions) / $(field seconds)")
	echo "executions from $kind   $rate a second ($(compute %.0f "$(field transitions) / $(field executions)") transitions each)"
	[ $kind = exec ] && exec_rate=$rate
done
echo "copy against exec      ratio $(compute %.2f "$rate / $exec_rate")"

awk 'BEGIN { x = 1; while (n < 10000000) { x = (x * 16807) % 2147483647; n += length(x) + 1; print x } }' >"$SCRATCH/10M"
# fmc and its target share one processor, so that is what it is compared with; and a call costs what a call costs.
one=$(seconds taskset -c 0 pigz -p 3 -c "$SCRATCH/10M")
all=$(seconds pigz -p 3 -c "$SCRATCH/10M")
supervised=$(seconds "$FMC" run --json "$RESULT" -- pigz -p 3 -c "$SCRATCH/10M")
calls=$(field transitions)
echo "pigz of 10 MB          $supervised s under fmc with $calls calls, natively $one s on one processor, $all s on all:" \
    "ratio $(compute %.2f "($supervised - 12e-6 * $calls) / $one") less 12 us a call, $(compute %.2f "$supervised / $all") to all"

# processor OPTION...: processor time of executions with 1 MB of memory that has been written, fmc's and theirs, and their transitions.
processor() {
	local TIMEFORMAT='%U %S'
	{ time fmc_json check --strategy random --seed 1 --executions 20 --time 0 "$@" -- "$BUILD/tests/dirty" 500; } 2>&1 | awk '{ print $1 + $2 }'
}
without=$(processor)
for state in "--states" "--states --state memory"; do
	# shellcheck disable=SC2086 # a list of words
	with=$(processor $state)
	echo "a state of 1 MB        $(compute %.1f "($with - $without) * 1e6 / $(field transitions)") us of processor time a transition ($state)"
done

# What a search takes by itself, on tables.
for depth in 100 2000; do
	for strategy in dfs optimal; do
		per=$("$BUILD/tests/search" $strategy $depth 200 2>/dev/null) || continue
		echo "search of depth $depth   $strategy: $per us a transition"
	done
done
for strategy in source optimal; do
	echo "search, 7 philosophers $strategy: $("$BUILD/tests/search" $strategy philosophers:7 5000) us a transition"
done

# processor COMMAND...: the seconds that it takes of a processor.
processor() {
	local TIMEFORMAT='%U %S'
	{ time "$@" >/dev/null 2>&1; } 2>&1 | awk '{ print $1 + $2 }'
}

# The same search by stops and by the agent, in turns, by the processor's time: the least of three each.
by_both() {
	local name=$1 agent= stops= round
	shift
	for round in 1 2 3; do
		agent+=" $(processor "$FMC" check --time 0 --engine agent "$@")"
		stops+=" $(processor "$FMC" check --time 0 --engine stops "$@")"
	done
	agent=$(least "$agent")
	stops=$(least "$stops")
	ratio=$(compute %.2f "$stops / $agent")
	echo "$name     $agent s by the agent, $stops s by stops: ratio $ratio"
}
by_both "3 threads, random" --strategy random --executions 4000 -- "$BUILD/samples/philosophers_mut" 3
asked "3 threads, random: by the agent against stops" '>=' 12 "$ratio"
for n in 6 7 8; do
	by_both "philosophers_mut $n" --strategy optimal -- "$BUILD/samples/philosophers_mut" $n
	[ $n -eq 6 ] || asked "philosophers_mut $n, complete: the same" '>=' 12 "$ratio"
done
by_both "checksum" --strategy optimal --all --no-minimize -- "$BUILD/samples/checksum" samples/texts 2
asked "checksum, complete: the same" '>=' 11 "$ratio"

# agent EXECUTIONS ARGUMENT...: processor time of so many random executions by the agent, of this program.
agent() {
	processor "$FMC" check --strategy random --granularity "${GRANULARITY:-sync}" --executions "$1" --depth 0 --time 0 --engine agent -- "${@:2}"
}
per=$(compute %.2f "($(agent 120 "$STEPS" 3334) - $(agent 20 "$STEPS" 3334)) * 1e6 / (100 * 20010)")
echo "a transition by the agent  $per us of processor time, of an execution of 20,000"
asked "a transition in an execution of 20,000" '<=' 0.2 "$per" us
per=$(compute %.2f "($(GRANULARITY=atomic agent 120 "$BUILD/tests/accesses" 6668) - $(GRANULARITY=atomic agent 20 "$BUILD/tests/accesses" 6668)) * 1e6 / (100 * 20010)")
echo "an access by the agent     $per us of processor time, of an execution of 20,000"
asked "an access that is an operation" '<=' 0.5 "$per" us
small=$(compute %.0f "4000 / ($(agent 5000 "$BUILD/tests/dirty" 5) - $(agent 1000 "$BUILD/tests/dirty" 5))")
large=$(compute %.0f "4000 / ($(agent 5000 "$BUILD/tests/dirty" 5 100) - $(agent 1000 "$BUILD/tests/dirty" 5 100))")
echo "100 MB touched         $large executions for each second of a processor's, $small without: ratio $(compute %.2f "$large / $small")"
asked "100 MB touched: executions against none" '>=' 0.25 "$(compute %.2f "$large / $small")"

# kilobytes EXECUTIONS: what fmc and its target have had at most, as wait4() tells: the larger of both.
kilobytes() {
	/usr/bin/time -f %M "$FMC" check --strategy random --executions "$1" --time 0 --engine agent -- "$BUILD/samples/philosophers_mut" 3 2>&1 >/dev/null | tail -n 1
}
grown=-
if [ -x /usr/bin/time ]; then
	few=$(kilobytes 10000) many=$(kilobytes 1000000)
	grown=$(compute %.2f "$many / $few")
	echo "memory                 $few KB after 10,000 executions by the agent, $many after 1,000,000"
fi
asked "memory: 1,000,000 executions against 10,000" '<=' 1.1 "$grown"

# Memory that an execution leaves to the next one would be seen where both are compared at their ends, by stops and by the agent.
if "$FMC" check --time 0 --engine agent --verify-engine 50 --strategy random --executions 20000 -- "$BUILD/samples/philosophers_mut" 3 >/dev/null 2>&1; then
	asked "20,000 executions, every 50th compared: differ" '<=' 0 0
else
	asked "20,000 executions, every 50th compared: differ" '<=' 0 1
fi

# Programs under fmc run against native ones on one processor, by the processor's time: the least of three each.
mkdir -p "$SCRATCH/folder" "$SCRATCH/repository"
for i in 1 2 3 4 5 6 7 8; do head -c 1000000 "$SCRATCH/10M" >"$SCRATCH/folder/$i"; done
for i in {1..100}; do head -c 300000 "$SCRATCH/10M" >"$SCRATCH/repository/$i"; done
[ ! -x "$(command -v git)" ] || (cd "$SCRATCH/repository" && git init -q && git add .)
# Frames that move and are noisy, so that there is something to encode.
python3 - "$SCRATCH/video.y4m" <<'END'
import random, sys
random.seed(1)
width, height = 640, 360
pixels = width * height
noise = random.randbytes(2 * pixels)
with open(sys.argv[1], "wb") as file:
    file.write(b"YUV4MPEG2 W%d H%d F25:1 Ip A1:1 C420jpeg\n" % (width, height))
    for frame in range(40):
        at = random.randrange(pixels)
        grey = bytes((((i + 5 * frame) * 7 >> 4) + (noise[at + i] >> 3)) & 255 for i in range(pixels))
        file.write(b"FRAME\n" + grey + bytes([128 + frame % 20]) * (pixels // 2))
END
# against_native GOAL NAME PROGRAM ARG...
against_native() {
	local goal=$1 name=$2 native= supervised= round
	shift 2
	if [ -z "$(command -v "$1")" ]; then
		asked "fmc run $name against native" '<=' "$goal" -
		return
	fi
	for round in 1 2 3; do
		rm -f "$SCRATCH/image"
		native+=" $(processor taskset -c 0 "$@")"
		rm -f "$SCRATCH/image"
		supervised+=" $(processor "$FMC" run -- "$@")"
	done
	native=$(least "$native")
	supervised=$(least "$supervised")
	ratio=$(compute %.2f "$supervised / $native")
	echo "fmc run $name           $supervised s of processor time, $native natively: ratio $ratio"
	asked "fmc run $name against native" '<=' "$goal" "$ratio"
}
against_native 1.1 pigz pigz -p 3 -c "$SCRATCH/10M"
against_native 1.3 x264 x264 --quiet --threads 2 -o "$SCRATCH/image" "$SCRATCH/video.y4m"
against_native 2 zstd zstd -T3 -q -c "$SCRATCH/10M"
against_native 3 "git grep" git -C "$SCRATCH/repository" grep --threads 3 -c 16807
against_native 2 mksquashfs mksquashfs "$SCRATCH/folder" "$SCRATCH/image" -noappend -processors 3 -quiet -no-progress

# A copy of a process in the middle of its run.
for threads in 2 4 16; do
	echo "image of $threads threads     $("$BUILD/tests/image" "$BUILD/targets/stood" $threads 500)"
done

# What is to hold of every state, and in the long run: processor time, by two lengths of one execution, the least of three.
processor() {
	local i
	for i in 1 2 3; do
		{ TIMEFORMAT='%U %S' && time "$FMC" check --strategy dfs --no-fair --executions 1 --depth 0 --time 0 "${@:2}" -- "$STEPS" "$1" </dev/null >/dev/null 2>&1; } 2>&1
	done | awk '{ if (NR == 1 || $1 + $2 < least) least = $1 + $2 } END { print least * 1e6 }'
}
# a_transition OPTION...: three threads with two each in a round.
a_transition() {
	compute %.2f "($(processor 5000 "$@") - $(processor 1000 "$@")) / 24000"
}
eight=()
for i in 1 2 3 4 5 6 7 8; do
	eight+=(--always "rounds > -$i")
done
plain=$(a_transition) one=$(a_transition --always 'rounds >= 0') all=$(a_transition "${eight[@]}")
formula=$(a_transition --ltl 'G {rounds >= 0}')
echo "what is to hold        $(compute %.2f "$one - $plain") us of processor time a transition, of eight expressions" \
    "$(compute %.2f "($all - $plain) / 8") us each; a transition takes $plain us: ratio $(compute %.2f "($one - $plain) / $plain")"
echo "a formula              $(compute %.2f "$formula - $plain") us of processor time a transition: ratio $(compute %.2f "($formula - $plain) / $plain")"

# What an execution costs besides its transitions: two lengths of one program, as many executions of each.
length() {
	fmc_json check --strategy random --executions 2000 --time 0 -- "$STEPS" "$1"
	compute %.3f "$(field transitions) / $(field executions)"
	echo " $(compute %.3f "$(field seconds) * 1e6 / $(field executions)")"
}
read -r short short_us < <(length 1)
read -r long long_us < <(length 50)
per=$(compute %.3f "($long_us - $short_us) / ($long - $short)")
own=$(compute %.0f "$short_us - $short * $per")
echo "an execution           $own us besides its transitions, of $per us each: as much as $(compute %.0f "$own / $per") of them"

# Searches to completion: all traces, and what one costs.
to_completion() {
	local executions cut=
	fmc_json check --strategy optimal --time 120 "${@:3}" -- "$BUILD/samples/$1" "$2"
	executions=$(field executions)
	[ "$(field complete)" = true ] || cut=", cut: there are more"
	echo "search of $1 $2: $executions executions in $(compute %.2f "$(field seconds)") s," \
	    "$(compute %.0f "$executions / $(field seconds)") a second," \
	    "$(compute %.1f "$(field seconds) * 1e6 / $(field transitions)") us a transition," \
	    "$(compute %.0f "$(field seconds) * 1e6 / $executions") us an execution$cut"
}
for n in 4 5 6 7 8; do
	to_completion philosophers_mut $n
done
to_completion philosophers_sem 5

# Two processors against one.
if "$FMC" check --jobs 2 --executions 1 -- "$STEPS" 1 </dev/null >/dev/null 2>&1; then
	with_jobs=()
	for jobs in 1 2; do
		echo "with --jobs $jobs: $(to_completion philosophers_mut 7 --jobs $jobs)"
		with_jobs[jobs]=$(field seconds)
	done
	echo "--jobs 2 against 1     ratio $(compute %.2f "${with_jobs[1]} / ${with_jobs[2]}")"
	for jobs in 1 2; do
		echo "by the agent, --jobs $jobs: $(to_completion philosophers_mut 8 --engine agent --granularity sync --jobs $jobs)"
		with_jobs[jobs]=$(field seconds)
	done
	echo "by the agent, 2 against 1  ratio $(compute %.2f "${with_jobs[1]} / ${with_jobs[2]}")"
	asked "--jobs 2 against 1 at the agent's rate" '>=' 1.8 "$(compute %.2f "${with_jobs[1]} / ${with_jobs[2]}")"
fi

# still PID: for how many milliseconds a process stands still for a report, the median of nine.
still() {
	local i
	for i in {1..9}; do
		"$FMC" attach --json "$RESULT" "$1" </dev/null >/dev/null 2>&1
		field still_milliseconds
	done | sort -n | sed -n 5p
}

# asleep N: a process of so many threads, as $asleep.
asleep() {
	coproc ASLEEP { exec "$BUILD/tests/asleep" "$1"; }
	asleep=$ASLEEP_PID
	read -r _ <&"${ASLEEP[0]}"
}

asleep 64
few=$(still $asleep)
read -r -d '' start stop < <(gdb -nx -batch -ex 'shell date +stamp:%s%N' -ex "attach $asleep" -ex 'thread apply all bt' \
    -ex detach -ex 'shell date +stamp:%s%N' 2>/dev/null | sed -n 's/^stamp://p')
unwound=$("$BUILD/tests/unwind" $asleep)
kill $asleep
by_gdb=$(compute %.1f "($stop - $start) / 1e6")
echo "still for a report     64 threads: $(compute %.1f "$few") ms, for GDB's $by_gdb ms: ratio $(compute %.4f "$few / $by_gdb")"
echo "stacks of these        $unwound"
wait $asleep 2>/dev/null
asleep 1000
many=$(still $asleep)
kill $asleep
wait $asleep 2>/dev/null
echo "of 1,000 threads       $(compute %.1f "$many") ms: a thread costs $(compute %.2f "$many / 1000 / ($few / 64)") times as much as among 64"

# Back and forth on a schedule.
"$BUILD/tests/walk" "$STEPS" 333 || exit 1
"$BUILD/tests/back" "$BUILD/targets/rounds" || exit 1

# The same through GDB, which looks at the condition of a watchpoint itself: at each of 1,500 hits.
"$FMC" check --expect-exit 0 --no-minimize -o "$SCRATCH/back.sched" -- "$BUILD/targets/rounds" 750 </dev/null >/dev/null 2>&1
plain=$(seconds "$FMC" replay "$SCRATCH/back.sched" </dev/null 2>/dev/null)
read -r -d '' start stop < <(FMC=$FMC gdb -nx -batch -ex "source replay/gdb/fmc.py" -ex "fmc-replay $SCRATCH/back.sched" -ex 'watch often if often == 1' \
    -ex 'shell date +stamp:%s%N' -ex reverse-continue -ex 'shell date +stamp:%s%N' </dev/null 2>/dev/null | sed -n 's/^stamp://p')
by_gdb=$(compute %.2f "($stop - $start) / 1e9")
echo "1,500 hits by GDB      $by_gdb s: ratio $(compute %.1f "$by_gdb / $plain")"

# Watched to each access, by traps and doors, against natively on one processor and against a detector that interprets.
head -c 300000 "$SCRATCH/10M" >"$SCRATCH/300k"
head -c 1500000 "$SCRATCH/10M" >"$SCRATCH/1500k"
# processor COMMAND...: processor time, which tells more than time where other things run, too.
processor() {
	local TIMEFORMAT='%U %S'
	{ time "$@" >/dev/null 2>/dev/null; } 2>&1 | awk '{ printf "%.3f", $1 + $2 }'
}
# watched COMMAND...: one watched execution, as processor time, what of that was to compare, and how many accesses were told.
watched() {
	taskset -c 0 "$BUILD/tests/watched" sampled 1 "$(command -v "$1")" "${@:2}" |
	    sed -n 's/.*plain, \([0-9.]*\) watched, \([0-9.]*\) of it to compare, .* transitions, \([0-9]*\) accesses.*/\1 \2 \3/p'
}
watch() {
	local input=$1 before native watched compared told detector
	shift
	[ -n "$(command -v "$1")" ] || return
	before=$(processor taskset -c 0 "$@" <"$input")
	read -r watched compared told < <(watched "$@" <"$input")
	native=$(compute %.3f "($before + $(processor taskset -c 0 "$@" <"$input")) / 2")
	detector=$(processor taskset -c 0 valgrind -q --tool=drd --error-exitcode=0 "$@" <"$input")
	echo "watched: $* of $(stat -c %s "$input") bytes: $watched s, natively $native s, under DRD $detector s, of a processor:" \
	    "ratio $(compute %.1f "$watched / $native") and $(compute %.2f "$watched / $detector")," \
	    "$(compute %.0f "$told ? $compared * 1e9 / $told : 0") ns to compare one of $told"
}
for input in "$SCRATCH/300k" "$SCRATCH/1500k"; do
	watch "$input" pigz -p 2 -c
	watch "$input" xz -T 2 --block-size=100000 -c
	watch "$input" pbzip2 -p2 -c
	watch "$input" lbzip2 -n2 -c
	watch "$input" zstd -T2 -c
done
# Of less it makes no threads.
watch "$SCRATCH/1500k" sort --parallel=2

# An access that is written into the log, and one that the thread has made before: 64 MB once, and 1 MB 65 times against once. Of the second
# execution, which finds doors and shadow memory made: in the first one zeroed pages for that cost as much as another half. A profile of
# such accesses: 8 ns for the door's code, which saves two registers, looks up the line and the key and stores the entry; 20 ns for fmc to
# read it, to find the eight bytes' cell and to keep it there; the rest is the program's own, with its page faults.
touched() {
	taskset -c 0 "$BUILD/tests/watched" sampled 2 "$BUILD/tests/touched" "$@" |
	    sed -n '2s/.*plain, \([0-9.]*\) watched.*/\1/p'
}
few=$(touched 1 1) new=$(touched 65 1) again=$(touched 1 65)
echo "a logged access        $(compute %.1f "($new - $few) * 1e9 / 8388608") ns, a repeated one $(compute %.1f "($again - $few) * 1e9 / 8388608") ns"

# What watching adds to a search of what has no races, to the same verdict.
for sample in 'buffer' 'semaphores' 'barrier' 'philosophers_mut 5'; do
	read -r -a words <<<"$sample"
	for granularity in sync race; do
		printf -v $granularity %s "$(processor "$FMC" check --granularity $granularity --time 60 -o "$SCRATCH/bench.sched" -- "$BUILD/samples/${words[0]}" "${words[@]:1}")"
	done
	echo "races of $sample: $race s of a processor, without watching $sync s: ratio $(compute %.2f "$race / $sync")"
done

# Races from stripped programs, by default options: until the failure is found and replayed.
for sample in counter publication shared_local treiber_stack double_checked half_struct freed_too_early stop_flag; do
	[ -x "$BUILD/samples/$sample" ] || continue
	strip -s -o "$SCRATCH/racy" "$BUILD/samples/$sample"
	fmc_json check -- "$SCRATCH/racy"
	echo "race in $sample        $(compute %.2f "$(field seconds)") s, $(field executions) executions, $(field verdict)"
done

# All orders of a correct one. The execution by which its accesses were found isn't one of these.
"$FMC" check --strategy optimal --granularity race --time 60 --certificate "$SCRATCH/stop_flag.cert" -- "$BUILD/samples/stop_flag" </dev/null >"$SCRATCH/err" 2>&1
echo "stop flag, all orders  $(sed -n 's/^Certificate: .*(\([0-9]*\) executions,.*/\1/p' "$SCRATCH/err") executions"

# after N: the highest resident size over N executions.
after() {
	"$BUILD/tests/peak" "$FMC" check --strategy random --executions "$1" --time 0 -- "$STEPS" 1
}
few=$(after 1000) many=$(after 100000)
echo "memory of fmc          $few KiB after 1,000 executions, $many KiB after 100,000: ratio $(compute %.2f "$many / $few")"
echo "$SECONDS seconds in all"

echo
printf '%-46s %-12s %-10s\n' "asked on a quiet machine" asked measured
printf '%s\n' "${ASKED[@]}"
