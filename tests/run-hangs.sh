#!/bin/bash
# A suite that hangs ends by its limit and is named, and the others go on: one that hears no signal, in a session of its own, too; one whose
# processes don't go away when they are killed; and what isn't begun for want of time.
. tests/lib.sh
SUITES=$SCRATCH/suites
mkdir "$SUITES"

# suite NAME: its text from the input.
suite() {
	{ echo '#!/bin/bash' && cat; } >"$SUITES/run-$1.sh"
	chmod +x "$SUITES/run-$1.sh"
}

# check SETTING... NAME...: these suites, each setting a word with "=".
check() {
	local settings=()
	while [[ ${1:-} = *=* ]]; do
		settings+=("$1")
		shift
	done
	env -u CHECK_UNTIL -u SUITE_LIMIT SUITE_FOLDER="$SUITES" "${settings[@]}" timeout -k 10 300 tests/run-check.sh only "$@" </dev/null >"$SCRATCH/out" 2>&1
	echo $? >>"$SCRATCH/out"
}

# ended PROCESS: killed processes take a moment to go.
ended() {
	local tries
	for tries in {1..1200}; do
		grep -qs '^State:.[^ZX]' "/proc/$1/status" || return 0
		sleep 0.05
	done
	return 1
}

suite good <<'EOT'
echo '3 passed, 0 failed'
EOT
suite deaf <<EOT
trap '' TERM INT HUP
setsid bash -c 'trap "" TERM; echo \$\$ >$SCRATCH/deaf; exec sleep 1000000'
EOT
# What a tracer from elsewhere has seized stays when it is killed, as what is stuck in the kernel does, until the tracer ends, too.
cat >"$SCRATCH/seize.py" <<'EOT'
import ctypes, os, signal, sys

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        seized = ctypes.CDLL(None).ptrace(0x4206, int(sys.argv[1]), None, None) == 0
        with open(sys.argv[2] + ".new", "w") as told:
            told.write(f"{os.getpid() if seized else 0}\n")
        os.rename(sys.argv[2] + ".new", sys.argv[2])
        if seized:
            signal.pause()
    os._exit(0)
os.wait()
EOT
suite held <<EOT
python3 $SCRATCH/seize.py \$\$ $SCRATCH/held
sleep 1000000
EOT

check good
says "what doesn't hang" '^good +3 passed, 0 failed' '^3 passed, 0 failed$' '^0$'
check SUITE_LIMIT=3 deaf
says "a suite that hears no signal" '^deaf +0 passed, 1 failed' 'FAIL deaf: not over after [0-9]+ s; given up' 'sleep 1000000' \
    'again: .*/run-deaf.sh' '^deaf: FAIL deaf' '^0 passed, 1 failed$' '^1$'
if [ -s "$SCRATCH/deaf" ]; then
	judge "nothing of it is left" ended "$(cat "$SCRATCH/deaf")"
fi
# On a machine that is busy it takes longer until it is held.
for limit in 3 60; do
	check SUITE_LIMIT=$limit LANES=2 held good
	[ ! -e "$SCRATCH/held" ] || break
done
tracer=$(cat "$SCRATCH/held" 2>/dev/null || echo 0)
if [ "$tracer" -gt 0 ]; then
	says "a suite whose processes stay" '^held +0 passed, 1 failed' 'FAIL held: not over after [0-9]+ s; given up' '^3 passed, 1 failed$' '^1$'
	says "those beside it go on" '^good +3 passed, 0 failed'
	kill -KILL "$tracer"
else
	skip "a suite whose processes stay: they can't be traced here"
fi
check CHECK_UNTIL=1 good
says "no time left" '^good +0 passed, 1 failed' 'FAIL good: not begun' '^0 passed, 1 failed$'
finish
