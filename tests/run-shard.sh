#!/bin/bash
# fmc check --shard I/N and fmc merge: what the shards of a search come to together is what one search comes to.
. tests/lib.sh

S=$BUILD/samples
json() { "$BUILD/tests/json" "$@"; }

# whole ARGUMENT...: one search, to $SCRATCH/whole.json. Prints the exit status.
whole() {
	timeout -k 10 120 "$FMC" check --no-minimize --json "$SCRATCH/whole.json" -o "$SCRATCH/whole.sched" "$@" \
	    </dev/null >"$SCRATCH/whole.out" 2>"$SCRATCH/err"
	echo $?
}

# shards N ARGUMENT...: the same search, divided among so many, to $SCRATCH/1.json and so on.
shards() {
	local of=$1 i
	shift
	rm -f "$SCRATCH"/[0-9]*.json
	for ((i = 1; i <= of; i++)); do
		timeout -k 10 120 "$FMC" check --shard "$i/$of" --no-minimize --json "$SCRATCH/$i.json" -o "$SCRATCH/$i.sched" "$@" \
		    </dev/null >"$SCRATCH/$i.out" 2>>"$SCRATCH/err"
	done
}

# merge ARGUMENT...: to $SCRATCH/merged.json and $SCRATCH/out; prints the exit status.
merge() {
	"$FMC" merge --json "$SCRATCH/merged.json" "$@" >"$SCRATCH/out" 2>"$SCRATCH/err"
	echo $?
}

# result FILE: what has to be equal.
result() {
	told_by "$SCRATCH/$1" verdict complete classes executions
}

# same NAME N ARGUMENT...: so many shards find what one search finds, and say so.
same() {
	local name=$1 of=$2 status good=true
	shift 2
	status=$(whole "$@")
	shards "$of" "$@"
	[ "$(merge "$SCRATCH"/[0-9]*.json)" -eq "$status" ] || good=false
	cmp -s <(result whole.json) <(result merged.json) || good=false
	judge "$name: $of shards find what one search finds" $good
	$good || show <(result whole.json) <(result merged.json) "$SCRATCH/out" "$SCRATCH/err"
}

same "dfs of lost_update" 2 --strategy dfs --all -- "$S/lost_update"
same "surw" 3 --strategy surw --seed 5 --executions 100 --time 0 --all -- "$S/philosophers" 3
if long; then
	for strategy in source optimal; do
		same "$strategy of lost_update" 3 --strategy $strategy --all -- "$S/lost_update"
	done
	same "dfs of philosophers" 2 --strategy dfs --all -- "$S/philosophers" 2
	same "source of philosophers" 4 --strategy source --all -- "$S/philosophers" 5
	same "optimal of philosophers" 2 --strategy optimal --all --engine agent -- "$S/philosophers" 6
	same "random" 3 --strategy random --seed 5 --executions 200 --time 0 --all -- "$S/philosophers" 3
fi

# A search that is large enough to be divided, and complete.
SEARCH=(--strategy optimal --engine agent --granularity sync -- "$S/philosophers_mut" 6)
same "optimal of philosophers_mut" 3 "${SEARCH[@]}"
judge "each shard has run less than all" [ "$(json "$SCRATCH/1.json" executions)" -lt 400 ]
judge "a shard alone isn't complete" [ "$(json "$SCRATCH/1.json" complete) $(json "$SCRATCH/1.json" shard.complete)" = "false true" ]
says "complete" '^No failure found in 720 executions of 3 shards: every schedule' '^Complete: up to the order of independent operations'

# missing: what isn't there is told, and nothing is called complete.
judge "one is missing: status 2" [ "$(merge --require-complete "$SCRATCH"/[13].json)" -eq 2 ]
says "one is missing" "^The search isn't complete:" '1 of 3 shards is missing: shard 2$'
judge "one is missing: not complete" [ "$(json "$SCRATCH/merged.json" complete)" = false ]

# refused NAME REGEX FILE...: one line, status 65.
refused() {
	local name=$1 regex=$2 status
	shift 2
	status=$(merge "$@")
	judge "$name: one line, status 65" [ "$status" -eq 65 -a "$(wc -l <"$SCRATCH/err")" -eq 1 -a ! -s "$SCRATCH/out" ]
	judge "$name: $regex" grep -q -- "$regex" "$SCRATCH/err"
	show "$SCRATCH/err"
}
refused "twice" 'shard 2, as .*/2.json is$' "$SCRATCH"/[123].json "$SCRATCH/2.json"
mkdir "$SCRATCH/other"
sed 's/"transitions": \([0-9]*\)/"transitions": 1\1/' "$SCRATCH/2.json" >"$SCRATCH/other/2.json"
refused "a number has changed" 'other/2.json: the result is damaged$' "$SCRATCH"/[13].json "$SCRATCH/other/2.json"
head -c 2000 "$SCRATCH/2.json" >"$SCRATCH/other/2.json"
refused "it is cut short" 'neither a result .* nor a saved search' "$SCRATCH"/[13].json "$SCRATCH/other/2.json"
refused "it isn't there" 'none.json: No such file' "$SCRATCH/1.json" "$SCRATCH/none.json"
refused "no shard's" "whole.json: the search wasn't divided" "$SCRATCH/1.json" "$SCRATCH/whole.json"
cp "$SCRATCH"/[123].json "$SCRATCH/other"
shards 2 --executions 1 "${SEARCH[@]}"
refused "of another number" '1.json: one of 3 shards, and .*/2.json is one of 2$' "$SCRATCH/other/1.json" "$SCRATCH/2.json"
shards 1 --depth 30 --executions 1 "${SEARCH[@]}"
refused "other options" "of another search than .*: 'no --depth' there, '--depth 30' here" "$SCRATCH/other/2.json" "$SCRATCH/1.json"
shards 1 --strategy optimal --engine agent --granularity sync -- "$S/philosophers_ordered" 3
refused "another program" 'of another search than' "$SCRATCH/other/2.json" "$SCRATCH/1.json"

# One that isn't over is told, and taken up where it stands.
search() { "$FMC" check --shard 2/3 --resume "$SCRATCH/state" --json "$SCRATCH/other/2.json" "$@" "${SEARCH[@]}" </dev/null >"$SCRATCH/out" 2>&1; }
search --executions 100
judge "a part of a shard: its state is kept" [ -s "$SCRATCH/state" ]
judge "with what isn't over: status 2" [ "$(merge --require-complete "$SCRATCH"/other/[13].json "$SCRATCH/state")" -eq 2 ]
says "with what isn't over" "shard 2 of 3 isn't over: fmc check --resume .*/state goes on with it"
search
judge "taken up: status 0" [ "$(merge "$SCRATCH"/other/[123].json)" -eq 0 ]
judge "taken up: complete" [ "$(json "$SCRATCH/merged.json" complete)" = true ]
judge "taken up: as many executions" [ "$(json "$SCRATCH/merged.json" executions)" -eq 720 ]
head -c 300 "$SCRATCH/other/1.json" | sed '1s/^/fmc search 1\n/' >"$SCRATCH/state"
refused "a damaged state" 'the saved search is cut short' "$SCRATCH/other/1.json" "$SCRATCH/state"

# What can't be divided, and what isn't understood.
usage() {
	"$FMC" check "${@:2}" -- "$S/lost_update" >"$SCRATCH/out" 2>"$SCRATCH/err"
	judge "check ${*:2}: status 64 and a line" [ $? -eq 64 -a "$(wc -l <"$SCRATCH/err")" -eq 1 ]
	judge "check ${*:2}: $1" grep -q -- "$1" "$SCRATCH/err"
}
usage 'name one: dfs' --shard 1/2
usage 'use dfs, source, optimal' --shard 1/2 --strategy cb:2
usage '--outcomes and --shard' --shard 1/2 --strategy dfs --outcomes
usage 'needs which of how many' --shard 3/2 --strategy dfs
usage 'needs which of how many' --shard 1-2 --strategy dfs
finish
