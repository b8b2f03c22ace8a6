#!/bin/bash
# The page of `fmc show --format html`, in a browser: drawn, clicked on and typed at by tests/page/check.js.
. tests/lib.sh

for BROWSER in chromium-headless-shell chromium chromium-browser google-chrome none; do
	command -v $BROWSER >/dev/null && break
done
if [ $BROWSER = none ]; then
	skip "the page in a browser: there is no Chromium (Debian: apt-get install chromium-headless-shell)"
	finish
	exit
fi

# browse FILE ARGUMENT...: load it; the document as it is then goes to standard output, what the console gets to err.
browse() {
	local file=$1
	shift
	rm -rf "$SCRATCH/profile"
	timeout -k 5 120 "$BROWSER" --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking \
	    --disable-component-update --disable-sync --user-data-dir="$SCRATCH/profile" --window-size=1400,900 \
	    --enable-logging=stderr --virtual-time-budget=100000 "$@" "file://$file" 2>"$SCRATCH/err"
}

# drive NAME PAGE: load the page with the checks in it, each of which counts.
drive() {
	local name=$1 page=$2 line
	sed '/^<\/body>/,$d' "$page" >"$SCRATCH/driven.html"
	{ echo '<script>'; cat tests/page/check.js; echo '</script>'; } >>"$SCRATCH/driven.html"
	browse "$SCRATCH/driven.html" --dump-dom >"$SCRATCH/dom"
	sed -n '/<pre id="checks">/,/<\/pre>/p' "$SCRATCH/dom" | sed 's/<[^>]*>//g' >"$SCRATCH/checks"
	[ -s "$SCRATCH/checks" ] || fail "$name: the checks didn't come to their end"
	while IFS= read -r line; do
		case $line in
		'ok   '*) pass "$name: ${line#ok   }" ;;
		'FAIL '*) fail "$name: ${line#FAIL }" ;;
		?*) echo "     $name: $line" ;;
		esac
	done <"$SCRATCH/checks"
	grep -q CONSOLE "$SCRATCH/err"
	judge "$name: nothing on the console" [ $? -eq 1 ]
	grep CONSOLE "$SCRATCH/err"
}

# draw NAME OPTION... FILE: the page of a schedule.
draw() {
	local name=$1
	shift
	"$FMC" show --format html -o "$SCRATCH/$name.html" "$@" 2>"$SCRATCH/err"
	judge "$name is drawn" [ -s "$SCRATCH/$name.html" ]
	drive "$name" "$SCRATCH/$name.html"
}

"$FMC" check --strategy cb:1 -o "$SCRATCH/philosophers.sched" -- "$BUILD/samples/philosophers" 3 >/dev/null
draw philosophers "$SCRATCH/philosophers.sched"
draw file-alone --no-replay "$SCRATCH/philosophers.sched"

"$FMC" check --strategy cb:2 --depth 2000 -o "$SCRATCH/livelock.sched" -- "$BUILD/samples/trylock_livelock" >/dev/null
draw livelock "$SCRATCH/livelock.sched"

"$FMC" run --seed 3 -o "$SCRATCH/crowd.sched" -- "$BUILD/targets/crowd" 20 67 >/dev/null
length=$(sed -n 's/^length //p' "$SCRATCH/crowd.sched")
judge "20 threads make 5,000 transitions" [ "${length:-0}" -ge 5000 ]
draw crowd "$SCRATCH/crowd.sched"

# So many that only those near what is looked at are drawn.
"$FMC" run --seed 3 -o "$SCRATCH/many.sched" -- "$BUILD/targets/crowd" 8 270 >/dev/null
draw many --no-replay "$SCRATCH/many.sched"

cat >"$SCRATCH/hostile.sched" <<'END'
fmc-schedule 1
program /x/</script><script>broken=1</script>
arg "</script><script>window.broken=1</script>"
thread T1 "</script><img src=x onerror=broken=1>"
thread T2 "<b>' onclick=broken=1 &quot;"
verdict deadlock
message "<!--<script>"
end deadlock
length 3

1 T1 thread_create T2 = 0 "</script>.c":5 "</style>"
2 T2 thread_start
3 T2 mutex_lock "</SCRIPT>'<img src=x onerror=broken=1>"#0 = 0
END
draw hostile --no-replay "$SCRATCH/hostile.sched"

# An address of a transition, as somebody sends it on.
browse "$SCRATCH/philosophers.html#t9" --dump-dom >"$SCRATCH/dom"
judge "an address with a transition shows it" grep -q 'Transition 9, T3 eat</h2>' "$SCRATCH/dom"
browse "$SCRATCH/philosophers.html#p9" --dump-dom >"$SCRATCH/dom"
judge "also of the schedule beside it" grep -q 'Transition 9, T2 eat</h2>' "$SCRATCH/dom"
finish
