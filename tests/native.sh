# What the scripts share that look at one program which runs natively, $pid; to be sourced after lib.sh.
JSON=$SCRATCH/result.json
pid=

# Whatever is left is killed.
cleanup() {
	[ -z "$pid" ] || kill -KILL "$pid" 2>/dev/null
	rm -rf "$SCRATCH"
}
trap cleanup EXIT

stop() {
	kill -KILL "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
	pid=
}

# asleep PID [THREADS]: all threads of it, so many, sleep and haven't run for a while, by the kernel's count. False if it ends.
asleep() {
	local last= now same=0 task line left busy threads
	while [ $same -lt 5 ]; do
		now= left= busy= threads=0
		for task in /proc/"$1"/task/*; do
			{ read -r line <"$task/schedstat"; } 2>/dev/null || continue
			now+=$line, threads=$((threads + 1))
			{ read -r line <"$task/stat"; } 2>/dev/null || continue
			line=${line##*) }
			# All that is left of it may be a number that nobody has asked for.
			[[ $line == [ZX]* ]] || left=yes
			[[ $line != [RD]* ]] || busy=yes
		done
		[ -n "$left" ] || return 1
		if [ "$now" = "$last" ] && [ -z "$busy" ] && [ $threads -eq "${2:-$threads}" ]; then
			same=$((same + 1))
		else
			same=0
		fi
		last=$now
		[ $same -eq 5 ] || sleep 0.05
	done
}

# children PID: of all of its threads; in $children.
children() {
	local task line
	children=
	for task in /proc/"$1"/task/*; do
		line=
		# There is no newline at its end.
		{ read -r line <"$task/children"; } 2>/dev/null
		children+=$line
	done
	children=${children% }
}

# field PATH: of what fmc has written as JSON.
field() {
	"$BUILD/tests/json" "$JSON" "$1"
}

# look COMMAND ARGUMENT...: fmc's output to out, err and $JSON; sets status.
look() {
	rm -f "$JSON"
	timeout -k 10 60 "$FMC" "$@" --json "$JSON" </dev/null >"$SCRATCH/out" 2>"$SCRATCH/err"
	status=$?
}
