#!/bin/bash
# What fails in the test scripts names the command that repeats it alone, with the settings that it ran with.
. tests/lib.sh

# named NAME COMMAND: $SCRATCH/out names this one command.
named() {
	sed -n 's/^     again: //p' "$SCRATCH/out" | sort -u >"$SCRATCH/named"
	judge "$1" [ "$(cat "$SCRATCH/named")" = "$2" ]
	[ "$(cat "$SCRATCH/named")" = "$2" ] || show "$SCRATCH/out"
}

clean() {
	env -u BUILD -u FMC -u CC -u CXX -u SCHEDULES "$@" >"$SCRATCH/out" 2>&1
}

clean bash -c '. tests/lib.sh; pass one; fail two; finish' tests/run-any.sh
named "a script" "make -s all samples units tools && tests/run-any.sh"
clean env BUILD='a build' CC=tcc bash -c '. tests/lib.sh; fail two' tests/run-any.sh
named "with settings" "make -s all samples units tools && BUILD='a build' CC='tcc' tests/run-any.sh"

# A build of programs that fail, as check tells it.
mkdir -p "$SCRATCH/build/tests" "$SCRATCH/build/samples"
cat >"$SCRATCH/build/tests/test_any" <<'EOT'
#!/bin/sh
echo '66%: Checks: 3, Failures: 1, Errors: 0'
echo 'tests/unit/test_any.c:12:P:good:it_works:0: Passed'
echo 'tests/unit/test_any.c:40:F:bad ones:it_fails:0: Assertion failed'
exit 1
EOT
printf '#!/bin/sh\nexit 1\n' >"$SCRATCH/build/tests/corpus_any"
chmod +x "$SCRATCH"/build/tests/*
clean env BUILD="$SCRATCH/build" tests/run-units.sh test_any
named "a case of a unit test" "make -s units && BUILD='$SCRATCH/build' CK_RUN_CASE='bad ones' tests/run-units.sh test_any"
clean env BUILD="$SCRATCH/build" tests/run-units.sh corpus_any
named "a corpus" "make -s $SCRATCH/build/tests/corpus_any && BUILD='$SCRATCH/build' tests/run-units.sh corpus_any"
clean env BUILD="$SCRATCH/build" tests/run-samples.sh samples/no_threads.c
named "a sample" "make -s all samples tools && BUILD='$SCRATCH/build' tests/run-samples.sh samples/no_threads.c"
finish
