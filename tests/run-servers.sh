#!/bin/bash
# Servers under load are attached to again and again: no answer is lost or wrong, and nothing is different afterwards.
# ATTACHED: how often in all.
. tests/lib.sh
. tests/nginx.sh
ATTACHED=${ATTACHED:-24}
SOCKET=$SCRATCH/socket
EACH=$(((ATTACHED + 2) / 3))

# What a look must leave as it was: memory maps, signal state, the bytes of all code. The heap grows as it likes.
leftovers() {
	local pid=$1 range rest low high
	grep -vE '\[heap\]' "/proc/$pid/maps" | awk '$6 != ""'
	grep -E '^(Name|TracerPid|Threads|SigPnd|ShdPnd|SigBlk|SigIgn|SigCgt|Seccomp|NoNewPrivs):' "/proc/$pid/status"
	grep -hE '^(TracerPid|SigPnd|SigBlk)' /proc/"$pid"/task/*/status | sort | uniq -c
	while read -r range rest; do
		[[ $rest == r-xp*/* ]] || continue
		low=$((16#${range%-*})) high=$((16#${range#*-}))
		dd "if=/proc/$pid/mem" bs=4096 skip=$((low / 4096)) count=$(((high - low) / 4096)) 2>/dev/null | cksum
	done <"/proc/$pid/maps"
}

# True once the socket of $server is there; servers take a moment. False if it ends.
listens() {
	while kill -0 $server 2>/dev/null; do
		[ -S "$SOCKET" ] && return 0
		sleep 0.05
	done
	return 1
}

# attach_all PID KIND: EACH times, every report complete.
attach_all() {
	local i status bad=0
	for ((i = 0; i < EACH; i++)); do
		"$FMC" attach "$1" </dev/null >"$SCRATCH/report" 2>&1
		status=$?
		# 0: nothing is wrong for certain, and a server under load isn't in a deadlock.
		[ $status -eq 0 ] && grep -q 'stood still' "$SCRATCH/report" && continue
		bad=$((bad + 1))
		show "$SCRATCH/report"
	done
	judge "$2: attached $EACH times ($bad failed)" [ $bad -eq 0 ]
}

# free PID: nobody traces it, and it isn't stopped.
free() {
	! grep -hE '^(State:	[tT]|TracerPid:	[1-9])' /proc/"$1"/task/*/status
}

# try KIND PID: with clients.
try() {
	local kind=$1 pid=$2 clients answers
	python3 tests/servers.py "$kind" "$SOCKET" >"$SCRATCH/answers" 2>&1 &
	clients=$!
	"$FMC" attach "$pid" </dev/null >/dev/null 2>&1
	leftovers "$pid" >"$SCRATCH/before"
	attach_all "$pid" "$kind"
	leftovers "$pid" >"$SCRATCH/after"
	judge "$kind: free" free "$pid"
	kill -TERM $clients
	wait $clients
	read -r answers <"$SCRATCH/answers"
	judge "$kind: all of ${answers:-no} answers right" [ "$(wc -l <"$SCRATCH/answers")" -eq 1 ]
	judge "$kind: there were answers" [ "${answers:-0}" -gt $EACH ]
	show <(sed 1d "$SCRATCH/answers")
	judge "$kind: nothing left behind" cmp -s "$SCRATCH/before" "$SCRATCH/after"
	show <(diff "$SCRATCH/before" "$SCRATCH/after")
}

# serve KIND PROGRAM ARGUMENT...: the server in the background, as $server.
serve() {
	local kind=$1
	shift
	rm -f "$SOCKET"
	"$@" </dev/null >"$SCRATCH/log" 2>&1 &
	server=$!
	listens && return 0
	fail "$kind: doesn't listen"
	show "$SCRATCH/log"
	kill $server 2>/dev/null
	wait $server
	return 1
}

end() {
	kill $server
	wait $server 2>/dev/null
}

if ! command -v python3 >/dev/null; then
	skip 'no python3'
	finish
	exit
fi

if ! command -v memcached >/dev/null; then
	skip 'no memcached'
elif serve memcached memcached -u "$(id -un)" -s "$SOCKET"; then
	try memcached $server
	end
fi

if ! command -v redis-server >/dev/null; then
	skip 'no redis-server'
elif serve redis redis-server --port 0 --unixsocket "$SOCKET" --save '' --dir "$SCRATCH"; then
	try redis $server
	end
fi

if ! PATH=$PATH:/usr/sbin command -v nginx >/dev/null; then
	skip 'no nginx'
else
	mkdir -p "$SCRATCH/www"
	for ((i = 0; i < 4096; i++)); do printf 0123456789abcdef; done >"$SCRATCH/www/page"
	chmod 755 "$SCRATCH" "$SCRATCH/www"
	nginx_settings "$SCRATCH" "$SOCKET" "worker_processes 1;" >"$SCRATCH/nginx.conf"
	if PATH=$PATH:/usr/sbin serve nginx nginx -p "$SCRATCH" -e stderr -c "$SCRATCH/nginx.conf"; then
		try nginx "$(cat "/proc/$server/task/$server/children" | awk '{ print $1 }')"
		end
	fi
fi
finish
