# shellcheck shell=bash disable=SC2154 # what search() sets
# Programs whose traces have a closed form; for run.sh.
table_counts() {
	echo
	echo "Classic programs (POPL 2014, POPL 2005): traces by their closed forms, and ours"
	local line
	while read -r line; do
		# shellcheck disable=SC2086 # words
		set -- $line
		local expected=$1
		shift
		local options=$S
		[ "$1" != indexer ] || options="$S --atomics" # its words are marked by nothing else
		search 40 "$options" "$@"
		printf '%-24s %8s %10s   %s s\n' "$*" "$expected" "$traces$left" "$seconds"
	done <<-END
		256 readers 8
		1024 readers 10
		704 lastzero 8
		3328 lastzero 10
		8 indexer 12
		64 indexer 13
		512 indexer 14
		4096 indexer 15
		2 filesystem 14
		8 filesystem 16
		32 filesystem 18
		64 filesystem 19
		30 philosophers_ordered 5
		254 philosophers_ordered 8
		90 lock_pairs 3 2
		1680 lock_pairs 3 3
		16 producer_consumer 1 1 3 2
	END
}
