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
	local last= now same=0
	while [ $same -lt 6 ]; do
		now=$(cat /proc/"$1"/task/*/schedstat 2>/dev/null)
		# All that is left of it may be a number that nobody has asked for.
		grep -qs '^State:.[^ZX]' /proc/"$1"/task/*/status || return 1
		if [ "$now" = "$last" ] && [ "$(wc -l <<<"$now")" -eq "${2:-$(wc -l <<<"$now")}" ] &&
		    ! grep -qs '^State:.[RD]' /proc/"$1"/task/*/status; then
			same=$((same + 1))
		else
			same=0
		fi
		last=$now
		sleep 0.02
	done
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
