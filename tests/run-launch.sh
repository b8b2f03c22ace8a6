#!/bin/bash
# fmc check --launch COMMAND: workers that a command starts find what one search finds, also where they end at any moment; what isn't the
# same program, or isn't fmc, is refused.
. tests/lib.sh

S=$BUILD/samples
SEARCH=(--strategy optimal --engine agent --all -- "$S/philosophers_mut" 5)

# check ARGUMENT...: to $SCRATCH/result.json, out and err; prints the exit status.
check() {
	rm -f "$SCRATCH/result.json"
	timeout -k 10 120 "$FMC" check --json "$SCRATCH/result.json" --no-minimize -o "$SCRATCH/result.sched" "$@" \
	    </dev/null >"$SCRATCH/out" 2>"$SCRATCH/err"
	echo $?
}

result() {
	told_by "$SCRATCH/result.json" verdict complete classes executions
}

# launched NAME COMMAND ARGUMENT...: two workers that are launched so find what is expected.
launched() {
	local name=$1 command=$2 status
	shift 2
	status=$(check --jobs 2 --launch "$command" "$@")
	result >"$SCRATCH/found"
	judge "$name: status $EXPECTED" [ "$status" -eq "$EXPECTED" ]
	judge "$name: the same result" cmp -s "$SCRATCH/expected" "$SCRATCH/found"
	cmp -s "$SCRATCH/expected" "$SCRATCH/found" || show "$SCRATCH/expected" "$SCRATCH/found" "$SCRATCH/err"
}

# expect ARGUMENT...: that is what one search finds.
expect() {
	EXPECTED=$(check "$@")
	result >"$SCRATCH/expected"
}

# allowed COMMAND...: can it be used here?
allowed() {
	"$@" true 2>/dev/null && return
	skip "$*: not allowed here"
	return 1
}

expect "${SEARCH[@]}"
launched "env" "exec env" "${SEARCH[@]}"
launched "a shell" "sh -c '\"\$@\"' sh" "${SEARCH[@]}"
! allowed setpriv --no-new-privs || launched "setpriv" "setpriv --no-new-privs" "${SEARCH[@]}"
! allowed unshare -n || launched "a network of its own" "unshare -n" "${SEARCH[@]}"
judge "a single one: status 0" [ "$(check --launch env "${SEARCH[@]}")" -eq 0 ]
judge "a single one: the same result" cmp -s "$SCRATCH/expected" <(result)

# One that is killed when it has written so many bytes, another number each time: in the middle of a message, as a rule.
cat >"$SCRATCH/cut" <<'END'
#!/bin/bash
count=$(cat "$1")
echo $((count + 1)) >"$1"
exec "${@:2}" > >(dd bs=1 count=$((count * count * 300 + 20)) status=none; kill -KILL $$)
END
chmod +x "$SCRATCH/cut"
echo 0 >"$SCRATCH/count"
launched "killed within messages" "$SCRATCH/cut $SCRATCH/count" "${SEARCH[@]}"
judge "it was killed, $(cat "$SCRATCH/count") were started" [ "$(cat "$SCRATCH/count")" -gt 3 ]

# Killed as soon as they run, until each of some has been.
launch_killed() {
	"$FMC" check --jobs 2 --launch 'exec env' --json "$SCRATCH/result.json" "${SEARCH[@]}" </dev/null >"$SCRATCH/out" 2>"$SCRATCH/err" &
	local fmc=$! killed=" " child
	while kill -0 $fmc 2>/dev/null && [ "$(wc -w <<<"$killed")" -lt 3 ]; do
		for child in $(cat "/proc/$fmc/task/$fmc/children" 2>/dev/null); do
			[[ $killed == *" $child "* ]] || ! grep -qs worker "/proc/$child/cmdline" || [ -z "$(cat "/proc/$child/task/$child/children" 2>/dev/null)" ] ||
			    { kill -KILL "$child" 2>/dev/null && killed+="$child "; }
		done
	done
	wait $fmc
	judge "killed: status 0" [ $? -eq 0 ]
	judge "killed: the same result" cmp -s "$SCRATCH/expected" <(result)
	judge "killed: two at least" [ "$(wc -w <<<"$killed")" -ge 2 ]
	show "$SCRATCH/err"
}
launch_killed

# What one of them learns counts for all: loops that wait, and descriptors that threads share.
if long; then
	expect --strategy dfs --granularity sync -- "$BUILD/targets/spins" counter
	launched "a loop that waits" env --strategy dfs --granularity sync -- "$BUILD/targets/spins" counter
	expect --strategy optimal --all -- "$S/lost_update"
	launched "failures" env --strategy optimal --all -- "$S/lost_update"
	expect --strategy random --seed 3 --executions 200 -- "$S/philosophers" 4
	launched "at random" env --strategy random --seed 3 --executions 200 -- "$S/philosophers" 4
fi

# refused NAME STATUS REGEX ARGUMENT...: one line, and nothing else.
refused() {
	local name=$1 status=$2 regex=$3
	shift 3
	judge "$name: status $status" [ "$(check "$@")" -eq "$status" ]
	judge "$name: one line" [ "$(wc -l <"$SCRATCH/err")" -eq 1 -a ! -s "$SCRATCH/out" ]
	judge "$name: $regex" grep -q -- "$regex" "$SCRATCH/err"
	show "$SCRATCH/err"
}
refused "it ends" 70 'what it starts ends before fmc there has answered' --jobs 2 --launch false "${SEARCH[@]}"
refused "it isn't there" 70 'what it starts ends before fmc there has answered' --launch 'fmc-no-such-launcher 2>/dev/null' "${SEARCH[@]}"
refused "it greets" 70 'or prints something else' --launch 'echo Welcome to this machine; ' "${SEARCH[@]}"
refused "it writes back" 70 'or prints something else' --launch 'cat; ' "${SEARCH[@]}"
cp "$S/philosophers_mut" "$SCRATCH/program"
refused "another program there" 65 'another program or library there' --launch "cp '$S/philosophers_ordered' '$SCRATCH/new'; mv '$SCRATCH/new' '$SCRATCH/program'; exec" \
    --strategy optimal -- "$SCRATCH/program" 3
refused "with states" 64 'can.t be had together' --launch env --states --strategy dfs -- "$S/lost_update"
"$FMC" worker </dev/null >"$SCRATCH/out" 2>"$SCRATCH/err"
judge "a worker that is told nothing ends" [ $? -eq 65 -a ! -s "$SCRATCH/out" -a ! -s "$SCRATCH/err" ]
"$FMC" worker <<<"this is no message of fmc's" >"$SCRATCH/out" 2>"$SCRATCH/err"
judge "a worker that is told something else ends" [ $? -eq 65 -a ! -s "$SCRATCH/out" -a ! -s "$SCRATCH/err" ]

# OpenSSH itself, without a network: the client's connection is a server of its own.
through_ssh() {
	local server own=
	server=$(PATH=$PATH:/usr/sbin command -v sshd) || { skip "no sshd"; return; }
	ssh-keygen -q -t ed25519 -N '' -f "$SCRATCH/host"
	ssh-keygen -q -t ed25519 -N '' -f "$SCRATCH/key"
	printf '%s\n' "HostKey $SCRATCH/host" "AuthorizedKeysFile $SCRATCH/key.pub" 'PidFile none' 'StrictModes no' 'UsePAM no' 'LogLevel ERROR' >"$SCRATCH/sshd_config"
	printf '%s\n' '#!/bin/sh' "exec ssh -q -F none -i '$SCRATCH/key' -o UserKnownHostsFile='$SCRATCH/known' -o StrictHostKeyChecking=no \\" \
	    "    -o 'ProxyCommand=$server -i -f $SCRATCH/sshd_config' $(id -un)@elsewhere \"\$@\"" >"$SCRATCH/through"
	chmod +x "$SCRATCH/through"
	# As root the server wants a folder that the system would have made.
	[ "$(id -u)" -ne 0 ] || own="unshare -m sh -c 'mount -t tmpfs none /run && mkdir -m 755 /run/sshd && exec \"\$@\"' sh"
	if ! eval "$own \"$SCRATCH/through\" true" 2>/dev/null; then
		skip "ssh: not allowed here"
		return
	fi
	expect "${SEARCH[@]}"
	launched "ssh" "$own $SCRATCH/through" "${SEARCH[@]}"
}
! long || through_ssh
finish
