# What the test scripts share; to be sourced from the top folder. Each script reports single results by pass, fail
# and skip, and ends with finish, whose last line run-check.sh reads.
set -u
# What the caller has open besides, a pipe of its own for instance, would be the tested programs', too. bash reads the script itself from one.
for open in /proc/$$/fd/*; do
	[ "${open##*/}" -le 2 ] || [ "$open" -ef "$0" ] || eval "exec ${open##*/}>&-"
done
unset open
# What the caller has set of what scripts read, for again().
SETTINGS=
for name in BUILD FMC CC CXX; do [ -z "${!name:-}" ] || SETTINGS+="$name=${!name@Q} "; done
[ -z "${SCHEDULES:-}" ] || ! grep -q SCHEDULES "$0" || SETTINGS+="SCHEDULES=${SCHEDULES@Q} "
BUILD=${BUILD:-build}
FMC=${FMC:-$BUILD/fmc}
PASSED=0 FAILED=0 SKIPPED=0
# As many things as are done at a time.
JOBS=$(nproc)
[ "$JOBS" -le 4 ] || JOBS=4
SCRATCH=$(mktemp -d "${TMPDIR:-/tmp}/fmc-test.XXXXXX") || exit 1
trap 'rm -rf "$SCRATCH"' EXIT

pass() {
	PASSED=$((PASSED + 1))
	echo "ok   $*"
}

fail() {
	FAILED=$((FAILED + 1))
	echo "FAIL $*"
	again
}

# again [WORD...]: the command that repeats what has failed, alone: this script, with words that choose among its tests.
again() {
	echo "     again: make -s all samples units tools && ${SETTINGS}tests/${0##*/}${*:+ ${*@Q}}"
}

skip() {
	SKIPPED=$((SKIPPED + 1))
	echo "skip $*"
}

# judge NAME COMMAND...: passes if the command succeeds.
judge() {
	local name=$1
	shift
	if "$@"; then pass "$name"; else fail "$name"; fi
}

# show FILE...: the files indented, not too much of them.
show() {
	local file
	for file; do
		head -n 40 "$file" | cut -c 1-300 | sed 's/^/     | /'
	done
	return 0
}

# says_watched NAME REGEX...: as says(), of what the processor's watchpoints show. Some virtual machines have none that work.
says_watched() {
	if "$BUILD/tests/debug_registers"; then says "$@"; else skip "$1"; fi
}

# seek REGEX: the first of $lines from number $at on that matches; $at is the one after it. Where there are many, or the shell makes less of the
# expression, grep does it: to start that takes longer than a few lines here.
seek() {
	local found
	[[ '' =~ $1 ]]
	if [ $? -le 1 ] && [ $((${#lines[@]} - at)) -le 200 ]; then
		while [ $at -lt ${#lines[@]} ]; do
			[[ ${lines[at++]} =~ $1 ]] && return 0
		done
		return 1
	fi
	found=$(printf '%s\n' "${lines[@]:at}" | grep -nEm 1 -- "$1") || return 1
	at=$((at + ${found%%:*}))
}

# says NAME REGEX...: such lines are in $SCRATCH/out, in this order.
says() {
	local name=$1 pattern at=0 before lines
	shift
	mapfile -t lines <"$SCRATCH/out" 2>/dev/null
	for pattern; do
		before=$at
		if ! seek "$pattern"; then
			fail "$name: nothing matches '$pattern' after line $before"
			show "$SCRATCH/out"
			return
		fi
	done
	pass "$name"
}

# says_not NAME REGEX: no such line is.
says_not() {
	local name=$1 at=0 lines
	shift
	mapfile -t lines <"$SCRATCH/out" 2>/dev/null
	if seek "$1"; then
		fail "$name: something matches '$1'"
		show "$SCRATCH/out"
	else
		pass "$name"
	fi
}

# told_by FILE FIELD...: these of fmc's JSON, and kind, signature and count of its findings (20 at most), sorted; with UNCOUNTED no counts.
told_by() {
	local file=$1 field i paths=() told
	shift
	for i in {0..19}; do paths+=(findings.$i.kind findings.$i.signature findings.$i.count); done
	mapfile -t told < <("$BUILD/tests/json" "$file" "$@" "${paths[@]}")
	for field; do
		echo "$field ${told[0]:-}"
		told=("${told[@]:1}")
	done
	for ((i = 0; i < 60; i += 3)); do
		[ -n "${told[i]:-}" ] || break
		[ -z "${UNCOUNTED:-}" ] || told[i + 2]=
		echo "${told[i]} ${told[i + 1]} ${told[i + 2]}"
	done | sort
}

# long: true in `make check-long`.
long() {
	[ -n "${FMC_TEST_LONG:-}" ]
}

# some_schedules: of the schedules that samples gave so many that each verdict, end, line of the header, operation, result of one and
# choice is in one of them: next the one with most that those before it haven't. In `make check-long` all of them.
some_schedules() {
	local all
	# GDB walks one process.
	mapfile -t all < <(grep -L '^follow yes$' "$SCHEDULES"/*.sched 2>/dev/null)
	[ ${#all[@]} -gt 0 ] || return 0
	if long; then
		printf '%s\n' "${all[@]}"
		return
	fi
	awk 'function meet(word) { if (!((FILENAME, word) in has)) { has[FILENAME, word]; words[FILENAME] = words[FILENAME] "\n" word } }
		function fresh(file, i, n, count, parts) {
			n = split(words[file], parts, "\n")
			for (i = 2; i <= n; i++) count += !(parts[i] in met)
			return count
		}
		FNR == 1 { body = 0; files[++files_length] = FILENAME }
		/^$/ { body = 1; next }
		!body { meet($1 (/^(verdict|end) / ? " " $2 : "")) }
		body {
			meet($3)
			if (match($0, /choice=[a-z]+/)) meet(substr($0, RSTART, RLENGTH))
			if (match($0, / = [-A-Za-z0-9]+/)) meet($3 substr($0, RSTART, RLENGTH))
		}
		END {
			for (;;) {
				most = 0
				for (i = 1; i <= files_length; i++)
					if ((n = fresh(files[i])) > most) { most = n; best = files[i] }
				if (!most) exit
				print best
				n = split(words[best], parts, "\n")
				for (i = 2; i <= n; i++) met[parts[i]]
			}
		}' "${all[@]}"
}

# Processes that run this very file.
users_of() {
	local exe
	for exe in /proc/[0-9]*/exe; do
		[ "$exe" -ef "$1" ] && echo "${exe//[!0-9]/}"
	done
	return 0
}

# True once no process runs this file; killed processes take a moment to go, on a busy machine a long one.
gone() {
	local tries
	for tries in {1..1200}; do
		[ -z "$(users_of "$1")" ] && return 0
		sleep 0.05
	done
	return 1
}

# until_said PROCESS REGEX FILE: until such a line is in the file. False if the process ends without it.
until_said() {
	local alive=yes
	while [ $alive = yes ]; do
		kill -0 "$1" 2>/dev/null || alive=no
		grep -Eqs -- "$2" "$3" && return 0
		sleep 0.02
	done
	return 1
}

finish() {
	if [ $SKIPPED -gt 0 ]; then
		echo "$PASSED passed, $FAILED failed, $SKIPPED skipped"
	else
		echo "$PASSED passed, $FAILED failed"
	fi
	[ $FAILED -eq 0 ] && [ $((PASSED + SKIPPED)) -gt 0 ]
}
