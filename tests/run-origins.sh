#!/bin/bash
# An execution is the same whether it starts from a fresh exec or from a copy: for each sample a random one, in `make check-long` also the
# first one, is run both ways, and the schedules written have to be equal.
. tests/lib.sh

# first_args FILE: the arguments of the sample's first case.
first_args() {
	awk '/^ \*\// { exit } /^ \* fmc-options:/ && cases++ { exit } sub(/^ \* fmc-args: ?/, "")' "$1"
}

for source in samples/*.c samples/*.cc; do
	name=$(basename "${source%.*}")
	args=$(first_args "$source")
	for seed in $(long && echo 0) 7; do
		[ "$seed" != 0 ] || seed=
		for kind in exec copy; do
			# shellcheck disable=SC2086
			timeout -k 10 60 "$FMC" run ${seed:+--seed $seed} --depth 2000 --origin $kind -o "$SCRATCH/$kind.sched" -- \
			    "$BUILD/samples/$name" $args </dev/null >"$SCRATCH/$kind.out" 2>"$SCRATCH/$kind.err"
			echo $? >"$SCRATCH/$kind.status"
			grep -vE '^(origin|clock) ' "$SCRATCH/$kind.sched" >"$SCRATCH/$kind.body"
			# Messages name the schedule file.
			sed -i "s/$kind\.sched/FILE/g" "$SCRATCH/$kind.err"
			rm -f "$SCRATCH/$kind.sched"
		done
		same=yes
		for part in status out err body; do
			cmp -s "$SCRATCH/exec.$part" "$SCRATCH/copy.$part" || same="different $part"
		done
		[ -s "$SCRATCH/exec.body" ] || same='no schedule'
		judge "$name${seed:+, seed $seed}: exec and copy ($same)" [ "$same" = yes ]
		[ "$same" = yes ] || show <(diff "$SCRATCH/exec.body" "$SCRATCH/copy.body") "$SCRATCH/copy.err"
	done
done
finish
