#!/bin/bash
# fmc gdbserver without GDB: what is wrong on its command line, and whatever bytes it is sent.
. tests/lib.sh
PYTHON=/usr/bin/python3
cp "$BUILD/targets/debugged" "$SCRATCH/target"
T=$SCRATCH/target
S=$SCRATCH/target.sched
"$FMC" check --no-minimize -o "$S" -- "$T" </dev/null >/dev/null 2>&1

# refuse STATUS REGEX ARGUMENT...: exit status, exactly one line on standard error that matches, nothing on standard
# output, no target left.
refuse() {
	local status=$1 pattern=$2 found lines
	shift 2
	timeout -k 10 300 "$FMC" gdbserver "$@" </dev/null >"$SCRATCH/out" 2>"$SCRATCH/err"
	found=$?
	lines=$(wc -l <"$SCRATCH/err")
	if [ $found -eq "$status" ] && [ "$lines" -eq 1 ] && grep -Eq "$pattern" "$SCRATCH/err" && [ ! -s "$SCRATCH/out" ] &&
	    gone "$T"; then
		pass "fmc gdbserver ${*:0:100}"
	else
		fail "fmc gdbserver $*: status $found (expected $status), $lines lines, expected to match '$pattern'"
		show "$SCRATCH/out" "$SCRATCH/err"
	fi
}

refuse 64 'schedule'
refuse 64 'too much' "$S" b.sched
refuse 64 'number' --port x "$S"
refuse 64 'number' --port 65536 "$S"
refuse 64 'socket and --port' --socket "$SCRATCH/socket" --port 0 "$S"
refuse 64 'looks like an option' --socket --once "$S"
refuse 64 'no option' --json - "$S"
refuse 65 'missing' "$SCRATCH/missing.sched"
refuse 65 'damaged' tests/fuzz/corpus/schedule/damaged.sched
: >"$SCRATCH/file"
refuse 69 'file: ' --socket "$SCRATCH/file" "$S"
judge 'what is in the place of a socket stays' [ -f "$SCRATCH/file" ]
refuse 69 'name too long' --socket "$SCRATCH/$(printf '%0200d' 0)" "$S"
refuse 69 'No such file' --socket "$SCRATCH/missing/socket" "$S"
sed "s|^module [0-9a-f]* $T|module 0123456789 $T|" "$S" >"$SCRATCH/other.sched"
refuse 65 'target has build-id [0-9a-f]+, the schedule was made with 0123456789;' "$SCRATCH/other.sched"
sed 's/^\( *7  T\)./\11/' "$S" >"$SCRATCH/diverged.sched"
refuse 1 'diverged.sched: ' "$SCRATCH/diverged.sched"

# Packets as GDB sends them.
packet() {
	local i byte sum=0
	for ((i = 0; i < ${#1}; i++)); do
		printf -v byte '%d' "'${1:i:1}"
		sum=$((sum + byte))
	done
	printf '$%s#%02x' "$1" $((sum & 255))
}

# The bytes of a string as digits.
hex() {
	printf '%s' "$1" | od -An -v -tx1 | tr -d ' \n'
}

# talk PACKET...: what the server answers, in $SCRATCH/out, a line for each answer and each piece of the program's output.
# Input stays open until all answers are there: its end interrupts what runs.
talk() {
	local packet answer server
	: >"$SCRATCH/out"
	coproc SERVER { exec timeout -k 10 300 "$FMC" gdbserver "$S" 2>"$SCRATCH/err"; }
	server=$SERVER_PID
	for packet; do
		packet "$packet" >&"${SERVER[1]}"
		while read -r -t 200 -d '#' -u "${SERVER[0]}" answer; do
			answer=${answer#*\$}
			echo "$answer" >>"$SCRATCH/out"
			# After text for the console the answer is still to come.
			[[ $answer == O[0-9a-f]* ]] || break
		done
	done
	eval "exec ${SERVER[1]}>&-"
	wait "$server"
	local status=$?
	# On some machines it says this first.
	sed -i '/gives no hardware watchpoints/d' "$SCRATCH/err"
	return $status
}

# answer PACKET REGEX: to this packet, after those that begin a session.
answer() {
	talk qSupported '?' "$1"
	local status=$?
	local found
	found=$(sed -n '3,$p' "$SCRATCH/out" | paste -sd ' ')
	if [ $status -eq 0 ] && grep -Eq "^($2)\$" <<<"$found" && [ ! -s "$SCRATCH/err" ] && gone "$T"; then
		pass "answer to ${1:0:60}"
	else
		fail "answer to $1: '$found', expected to match '$2', status $status"
		show "$SCRATCH/err"
	fi
}
answer vMustReplyEmpty ''
answer qTStatus ''
answer QStartNoAckMode OK
answer '!' OK
answer vCont? 'vCont;c;C;s;S;t;r'
answer qC 'QC1'
talk 'qSupported:swbreak+;multiprocess+;xmlRegisters=i386' '?' qC qfThreadInfo
judge 'threads with their process' [ "$(sed 1d "$SCRATCH/out" | tr '\n' ' ')" = 'T05thread:p1.1; QCp1.1 mp1.1 ' ]
answer qAttached:1 1
answer qfThreadInfo 'm1'
answer Hg1 OK
answer Hg2 E01
answer T9 E01
answer Hgp1.1 OK
answer Hgp 'E01'
answer m0,10 E01
answer mzz 'E01'
answer 'M0,1:00' 'E.*'
answer p0 '[0-9a-f]{16}'
answer pfff E01
answer P0=00 E01
answer P0=0 E01
answer g '[0-9a-f]{600,}'
answer G00 E01
answer 'Z3,401000,1' ''
# Conditions: one that is false is passed, whatever can't be told is a stop. 1 plain; 0, 1, both; nothing on the stack; for ever; 0 / 0.
put=$(printf '%x' $((0x555555554000 + 0x$(nm "$T" | sed -n 's/ t put$//p'))))
for condition in '' X3,220127 X3,220027X3,220127 X1,02 X3,210000 X6,220022000527 X1,ff 'X0,'; do
	talk qSupported "Z0,$put,1${condition:+;$condition}" 'vCont;c'
	judge "a stop: condition '$condition'" [ "$(tail -n 1 "$SCRATCH/out")" = 'T05thread:2;swbreak:;' ]
done
talk qSupported "Z0,$put,1;X3,220027" 'vCont;c' bc "Z0,$put,1;X3,220127" 'vCont;c'
judge 'a condition that is false is passed, both ways, until it is another' \
	[ "$(sed 1d "$SCRATCH/out" | grep -v '^O[0-9a-f]' | tr '\n' ' ')" = 'OK T06thread:1; T05thread:1;replaylog:begin; OK T05thread:2;swbreak:; ' ]
answer 'Z0,401000,1;X1' E01
answer 'Z0,401000,1;X4,00' E01
answer 'Z9,401000,1' E01
answer 'z0,401000,1' OK
answer 'Z2,0,fffffff' 'E.*'
answer qXfer:features:read:target.xml:0,20 'm<\?xml version="1.0"\?><!DOCTYPE t'
answer qXfer:features:read:other.xml:0,20 E01
answer qXfer:features:read:target.xml:ffffffffffffffff,1 l
answer qXfer:exec-file:read:1:0,1000 "l$(readlink -f "$T")"
answer qXfer:libraries-svr4:read::0,20 ''
answer vCont\;x E01
answer bs '.*T05thread:1;replaylog:begin;'
answer bc '.*T05thread:1;replaylog:begin;'
answer qXfer:siginfo:read::0,80 E01
answer vFile:setfs:0 F0
answer vFile:setfs:1 F0
answer vFile:setfs:2 F-1,2
answer vFile:setfs: E01
answer "vFile:open:$(hex /nothing/there),0,0" F-1,2
answer "vFile:open:$(hex /dev/null),0,0" F-1,d
answer "vFile:open:$(hex "$SCRATCH"),0,0" F-1,15
answer "vFile:open:$(hex "$SCRATCH/new"),601,1ff" F-1,1e
answer "vFile:open:$(hex /proc/1/stat)00,0,0" F-1,16
answer "vFile:open:$(printf '%010000d' 0),0,0" F-1,16
answer "vFile:open:$(hex "/$(printf '%06000d' 0)"),0,0" F-1,5b
answer "vFile:open:$(hex /proc/2/stat),0,0" F-1,2
answer "vFile:open:$(hex /proc/1/task/99/stat),0,0" F-1,2
answer "vFile:open:$(hex /proc/1x/stat),0,0" F-1,2
answer vFile:open:2f,0 E01
answer vFile:open:2,0,0 E01
answer "vFile:readlink:$(hex /proc/1/exe)" "F[0-9a-f]+;$T"
answer "vFile:readlink:$(hex /proc/self/exe)" "F[0-9a-f]+;$T"
answer "vFile:readlink:$(hex "$T")" F-1,16
answer vFile:pread:0,10,0 F-1,9
answer vFile:fstat:ffffff F-1,9
answer vFile:close:20 F-1,9
answer vFile:pread:0,ffffffffffffffff,8000000000000000 E01
answer "vFile:unlink:$(hex "$T")" ''
judge 'nothing is made or removed' [ ! -e "$SCRATCH/new" -a -e "$T" ]
talk "vFile:open:$(hex /proc/1/task/1/comm),0,0" vFile:pread:0,3,2 vFile:pread:0,ffffffff,1000 vFile:close:0 vFile:close:0
judge 'a file is opened, read and closed' [ "$(tr '\n' ' ' <"$SCRATCH/out")" = 'F0 F3;rge F0; F0 F-1,9 ' ]
for ((i = 0; i < 33; i++)); do files[i]=vFile:open:$(hex /proc/1/comm),0,0; done
talk "${files[@]}" vFile:close:7 "${files[0]}" k "vFile:open:$(hex /proc/1/comm),0,0"
judge 'not more than 32 at a time, none of a program that is gone' [ "$(tail -n 5 "$SCRATCH/out" | tr '\n' ' ')" = 'F-1,18 F0 F7 OK F-1,18 ' ]
# A thread that is listed without being there: it has no registers and can't be stepped.
talk qSupported "qRcmd,$(hex 'keep 1.3')" qfThreadInfo T3 T2 Hg3 p10 p0=0 m7ffff7fcc000,1 g 'vCont;s:3' bs 'vCont;s:p1.3;c'
judge 'a thread that is kept' [ "$(sed -n '2,9p;11,$p' "$SCRATCH/out" | tr '\n' ' ')" = \
    "OK m1,3 OK E01 OK xxxxxxxxxxxxxxxx E01 $(sed -n 9p "$SCRATCH/out") E.this thread isn't there E01 E.this thread isn't there " ]
judge 'it has no registers' grep -Eqx '(xx){300,}' <(sed -n 10p "$SCRATCH/out")
for threads in T3 0.1 1.0 1.9 1 '1.1,1.2' "$(printf '1.1 %.0s' {1..65})"; do
	answer "qRcmd,$(hex "keep $threads")" 'O[0-9a-f]* OK'
done
answer qRcmd,x E01
answer qRcmd,00 '.*OK'
answer vKill\;1 OK
talk '?' vCont\;c vCont\;c bc k g '?' vRun 'm7ffff7fc0000,4'
judge 'to the end, back, killed, run again' grep -q 'T05thread:1;' <(tail -n 2 "$SCRATCH/out")
judge 'nothing can be read of what was killed' grep -qx E01 "$SCRATCH/out"
judge 'the output of the program comes once' [ "$(grep -c '^O.*626567696e73' "$SCRATCH/out")" -eq 1 ]
show "$SCRATCH/err"

# An interrupt that comes with the request, while every instruction is stepped.
{ packet 'vCont;r0,ffffffffffffffff:p1.1'; printf '\003'; } >"$SCRATCH/in"
timeout -k 10 300 "$FMC" gdbserver "$S" <"$SCRATCH/in" >"$SCRATCH/raw" 2>"$SCRATCH/err"
judge 'an interrupt stops what runs' grep -q '+$T02thread:1;' "$SCRATCH/raw"

# hostile NAME: the bytes in $SCRATCH/in; the server ends by itself.
hostile() {
	timeout -k 10 300 "$FMC" gdbserver "$S" <"$SCRATCH/in" >"$SCRATCH/raw" 2>"$SCRATCH/err"
	local status=$?
	judge "$1 (status $status)" [ $status -eq 0 ]
	judge "$1: no target left" gone "$T"
}
head -c 200000 "$FMC" >"$SCRATCH/in"
hostile 'bytes of a program'
{ printf '$'; head -c 100000 /dev/zero; printf '#00'; packet '?'; } >"$SCRATCH/in"
hostile 'an endless packet'
judge 'an endless packet is refused, the next one answered' grep -aq 'E01.*T05' "$SCRATCH/raw"
for file in tests/fuzz/corpus/gdb/stream_*; do
	tail -c +2 "$file" >"$SCRATCH/in"
	hostile "$(basename "$file")"
done
# Every known packet cut off at every place, or with one letter changed.
for whole in 'vCont;r401136,401140:p1.1;C0b:p1.1;t:p1.1;c' 'qXfer:threads:read::0,ff' 'Z1,401136,1' \
    'Z0,401136,1;X3,220027X1,27' 'Hgp1.1' 'M404040,2:aabb' \
    'qGetTLSAddr:p1.1,10,0' 'QPassSignals:e;14;fe' 'P10=0011223344556677' 'vFile:open:2f70726f632f312f6d617073,0,1c0' \
    'vFile:pread:0,4000,0' 'vFile:readlink:2f70726f632f312f657865' 'qRcmd,676f746f2037'; do
	packet '?'
	for ((i = 0; i < ${#whole}; i++)); do
		packet "${whole:0:i}"
		packet "${whole:0:i}f${whole:i+1}"
		packet "${whole:0:i}-${whole:i+1}"
	done
done >"$SCRATCH/in"
hostile 'packets that were cut off'

# A server that waits for clients.
serve() {
	rm -f "$SCRATCH/err"
	"$FMC" gdbserver "$@" "$S" </dev/null >/dev/null 2>"$SCRATCH/err" &
	SERVER=$!
	until_said $SERVER 'waiting for GDB' "$SCRATCH/err"
}
serve --socket "$SCRATCH/socket"
judge 'it says where it waits' grep -q "extended-remote $SCRATCH/socket" "$SCRATCH/err"
judge 'only this user can connect' [ "$(stat -c %a "$SCRATCH/socket")" = 600 ]
kill -TERM $SERVER
wait $SERVER
judge 'SIGTERM ends it' [ $? -eq 0 -a ! -e "$SCRATCH/socket" ]
judge 'nothing is left of it' gone "$T"
serve --port 0 --once
port=$(sed -n 's/.*127.0.0.1:\([0-9]*\)$/\1/p' "$SCRATCH/err")
judge 'it waits at a port' [ "${port:-0}" -gt 0 ]
exec 3<>"/dev/tcp/127.0.0.1/$port"
packet '?' >&3
read -r -t 200 -d '#' answer <&3
judge 'it answers there' grep -q '+$T05thread:1;' <<<"$answer"
exec 3>&-
wait $SERVER
judge '--once: it ends with its client' [ $? -eq 0 ]
judge 'nothing is left of that' gone "$T"

# Whatever way packets are cut and put together, and whenever interrupts come between them.
for seed in $(seq "${SEEDS:-2}"); do
	"$PYTHON" tests/packets.py "$seed" 120 "$FMC" "$S" >"$SCRATCH/out" 2>&1
	judge "packets at random $seed" [ $? -eq 0 ] || show "$SCRATCH/out"
done
judge 'and nothing is left of these' gone "$T"
finish
