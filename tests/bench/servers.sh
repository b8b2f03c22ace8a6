#!/bin/bash
# What servers answer under `fmc run` against what they do alone, on one processor: by the processor's time of server, client and fmc for each request,
# the least of some rounds in turns.
. tests/lib.sh
. tests/nginx.sh
PATH=$PATH:/usr/sbin
SOCKET=$SCRATCH/socket
ROUNDS=${ROUNDS:-3}

TICKS=$(getconf CLK_TCK)

# used PROCESS: what it and those that it has made have used of a processor, in ticks, a line for each.
used() {
	local child
	awk '{ sub(/.*[)] /, ""); print $12 + $13 }' "/proc/$1/stat"
	for child in $(pgrep -P "$1"); do used "$child"; done
}

# ask REQUESTS TEXT: one client, and the seconds of a processor that it takes.
ask() {
	local TIMEFORMAT='%U %S'
	{ time taskset -c 0 "$BUILD/tests/requests" "$SOCKET" 20 "$@" >/dev/null 2>&1 || touch "$SCRATCH/unanswered"; } 2>&1 | awk '{ print $1 + $2 }'
}

# each REQUESTS TEXT COMMAND...: microseconds of a processor for a request, of all that takes part, once the server has begun and answered some.
each() {
	local requests=$1 text=$2 server before after client
	shift 2
	rm -f "$SOCKET"
	taskset -c 0 "$@" </dev/null >"$SCRATCH/log" 2>&1 &
	server=$!
	until [ -S "$SOCKET" ]; do
		kill -0 $server 2>/dev/null || return 1
		sleep 0.02
	done
	ask $((requests / 10)) "$text" >/dev/null
	before=$(used $server)
	client=$(ask "$requests" "$text")
	after=$(used $server)
	kill $server
	wait $server 2>/dev/null
	[ ! -e "$SCRATCH/unanswered" ] || echo "$1: no answer" >&2
	{ echo "$after"; sed 's/^/-/' <<<"$before"; } |
		awk -v ticks="$TICKS" -v client="$client" -v requests="$requests" '{ sum += $1 } END { print (sum / ticks + client) * 1e6 / requests }'
}

# rate NAME REQUESTS TEXT COMMAND...
rate() {
	local name=$1 requests=$2 alone= under= round
	shift 2
	command -v "$2" >/dev/null || return
	for ((round = 0; round < ROUNDS; round++)); do
		alone+="$(each $((requests * 4)) "$@")"$'\n'
		under+="$(each "$requests" "$1" "$FMC" run -- "${@:2}")"$'\n'
	done
	alone=$(sort -g <<<"${alone%$'\n'}" | head -n 1)
	under=$(sort -g <<<"${under%$'\n'}" | head -n 1)
	awk -v name="$name" -v alone="$alone" -v under="$under" \
	    'BEGIN { printf "%-22s %.1f us of processor time a request alone, %.1f under fmc run: ratio %.2f\n", name, alone, under, alone / under }'
}

mkdir -p "$SCRATCH/www"
printf '%01000d' 0 >"$SCRATCH/www/page"
chmod 755 "$SCRATCH" "$SCRATCH/www"
nginx_settings "$SCRATCH" "$SOCKET" "master_process off;" >"$SCRATCH/nginx.conf"
rate "redis" 40000 'GET key\r\n' redis-server --port 0 --unixsocket "$SOCKET" --save '' --dir "$SCRATCH"
rate "nginx" 10000 'GET /page HTTP/1.1\r\nHost: a\r\n\r\n' nginx -p "$SCRATCH" -e stderr -c "$SCRATCH/nginx.conf"
rate "memcached" 20000 'get key\r\n' memcached -u "$(id -un)" -s "$SOCKET" -o no_lru_maintainer
rate "memcached, maintained" 20000 'get key\r\n' memcached -u "$(id -un)" -s "$SOCKET"
