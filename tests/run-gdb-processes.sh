#!/bin/bash
# The real GDB along schedules of several processes and back: threads of all of them, each with its symbols; breakpoints, watchpoints, steps and what
# fmc's commands say; a process that becomes another program.
. tests/lib.sh
if ! command -v gdb >/dev/null; then
	skip 'no gdb'
	finish
	exit
fi
FMC=$(realpath "$FMC")
export FMC
TARGET=$(realpath "$BUILD")/targets/walked

# find NAME COMMAND...: its failure is in $SCRATCH/NAME.sched.
find() {
	"$FMC" check --follow --strategy dfs --no-minimize -o "$SCRATCH/$1.sched" -- "${@:2}" </dev/null >"$SCRATCH/found" 2>&1
	[ -s "$SCRATCH/$1.sched" ] || { fail "$1: a schedule to walk"; show "$SCRATCH/found"; }
}

# gdb_do NAME COMMAND...: what `fmc gdb` says of it is in $SCRATCH/out.
gdb_do() {
	local command words=()
	for command in "${@:2}"; do words+=(-ex "$command"); done
	timeout -k 10 120 "$FMC" gdb -nx -q -batch -iex 'set pagination off' -iex 'set width 0' -iex 'set debuginfod enabled off' "$SCRATCH/$1.sched" \
	    "${words[@]}" </dev/null >"$SCRATCH/out" 2>&1
	judge "$1: GDB ends by itself" [ $? -eq 0 ]
}

find locks "$TARGET" locks
gdb_do locks 'fmc-threads' 'info threads' 'fmc-thread T1.1' bt 'fmc-thread T2.1' bt 'fmc-why T1.1' 'fmc-schedule'
says 'both processes wait, each with its stack' '^at the end, after transition 3: deadlock: T1.1 waits for .* held by T2.1' \
    'Thread [12].1 "T[12].1 .*" stopped' '^ +T1.1 main +waits for .* held by T2.1, in mutex_lock +walked.c' '^ +T2.1 process 2 +waits for .* held by T1.1' \
    'Thread 1.1 "T1.1 main" \(waits for .* held by T2.1' 'Thread 2.2 "T2.1 process 2" \(waits for .* held by T1.1' \
    'Switching to thread 1.1' '^#1 .* in both \(one=.*walked.c' '^#2 .* in locks .*walked.c:[0-9]+' \
    'Switching to thread 2.1' '^#1 .* in both \(one=.*walked.c' '^#2 .* in locks .*walked.c:[0-9]+'
says 'who waits for whom' '^T1.1 waits for .* held by T2.1' '^T2.1 waits for .* held by T1.1' '^That is a cycle: T1.1 -> T2.1 -> T1.1$' \
    '^ +1  T[12].1 ' '^=> deadlock: T1.1 waits'
first=$(sed -nE '/^#1 .* in both/s/.*one=(0x[0-9a-f]+).*/\1/p' "$SCRATCH/out")
judge 'they take the mutexes in different orders' [ "$(sort -u <<<"$first" | wc -l)" -eq 2 ]

# All the way back and forward again, twice: the same places, the same sight.
walk=()
for direction in prev prev prev next next next next prev prev prev next next next next; do walk+=("fmc-$direction" 'info threads'); done
gdb_do locks "${walk[@]}"
says_not 'no place is another one the second time' "isn't as it was before"
says 'to the beginning and back' '^before transition 3 of 3: T2.1 mutex_lock' '^before transition 2 of 3: T2.1 thread_start' \
    '^before transition 1 of 3: T1.1 mutex_lock' '^before transition 2' '^before transition 3' '^at the end' '^at the end' '^before transition 3' \
    '^before transition 1' '^at the end'
# sights N: what the threads did and where they stood before transition N, each time.
sights() {
	awk -v place="before transition $1 of" 'index($0, place) == 1 { on = 3 } on && /^[ *] [12][.]1 / { sight = sight substr($0, 3); if (--on == 1) { print sight; sight = ""; on = 0 } }' "$SCRATCH/out"
}
for number in 2 3; do
	judge "before transition $number the threads are where they were" [ "$(sights $number | wc -l) $(sights $number | sort -u | wc -l)" = '4 1' ]
done

gdb_do locks 'fmc-goto start' 'info threads' 'break both' continue 'print *other' bt continue bt next next reverse-next reverse-continue reverse-continue \
    reverse-continue
says 'a process that is to come is listed, without registers' '^at the program.s beginning' "Thread 1.1 \"T1.1 main\" \(at the program's beginning" \
    'Thread 2.2 "T2.1 process 2" \(hasn.t been created'
says 'breakpoints and lines in both, forwards and backwards' '^Breakpoint 1 at .*2 locations' 'Thread 1.1 "T1.1 main" hit Breakpoint 1.*both' '^#1 .* in locks' \
    'Thread 2.1 "T2.1 process 2" hit Breakpoint 1.*both' '^#1 .* in locks' '^[0-9]+.*pthread_mutex_lock\(one' '^[0-9]+.*pthread_mutex_lock\(other' \
    '^[0-9]+.*pthread_mutex_lock\(one' 'Thread 2.1 "T2.1 process 2" hit Breakpoint 1.*both' 'Thread 1.1 "T1.1 main" hit Breakpoint 1.*both' \
    'No more reverse-execution history'

gdb_do locks 'fmc-goto 3' 'print shared->count' 'stepi' 'stepi' 'fmc-where' 'reverse-stepi' 'reverse-stepi' 'fmc-where' 'reverse-stepi' 'fmc-where' 'info line'
says 'by instructions, and from one transition into the one before' '= 0$' '^2 instructions into transition 3 of 3: T2.1' \
    '^before transition 3 of 3: T2.1' '^[0-9]+ instructions into transition 2 of 3: T2.1 thread_start'

gdb_do locks 'fmc-goto 1' 'fmc-branch T2.1' 'info threads' 'fmc-goto end' 'fmc-goto 3' 'fmc-where' "fmc-save $SCRATCH/branch.sched"
says 'another process goes on instead' '^T2.1 goes on instead of T1.1 from transition 1 on; the execution then ends well: exit 0' \
    '^\* 2.1 .*T2.1' '^at the end' '^before transition 3 of ' '^before transition 3 of ' '^[0-9]+ transitions in .*branch.sched'
timeout 60 "$FMC" replay "$SCRATCH/branch.sched" </dev/null >"$SCRATCH/out" 2>&1
judge 'the branch replays' [ $? -eq 0 ]

# Who has written last what both have.
find updates "$TARGET" updates
gdb_do updates 'fmc-last-write shared->count' bt 'fmc-last-write shared->count' bt 'fmc-last-write shared->count' 'fmc-goto start' 'break add' continue continue \
    'watch shared->count' 'delete 1' continue
says_watched 'whichever process has written it' '^at the end.*exits with status 1' \
    '^shared->count was last written by T[12].1 .*, in transition [0-9]+, after its mutex_lock .*: 1 before, 1 after' '^#0 .*add \(\)' \
    '^shared->count was last written by T[12].1 .*, in transition [0-9]+, after its mutex_lock .*: 0 before, 1 after' '^#0 .*add \(\)' \
    '^nobody has written shared->count before this' 'T[12].1 .* hit Breakpoint 1' 'T[12].1 .* hit Breakpoint 1' 'T[12].1 .* hit Hardware watchpoint 2' 'New value = 1'
judge 'both have' [ "$(sed -nE 's/^shared->count was last written by (T[12].1) .*/\1/p' "$SCRATCH/out" | sort -u | wc -l)" -eq 2 ] || "$BUILD/tests/debug_registers"

find pipe "$TARGET" pipe
gdb_do pipe bt 'fmc-thread T1.1' bt 'fmc-objects' 'fmc-goto start' 'break answer' continue bt next reverse-next reverse-continue
says 'they wait for each other at pipes' '^at the end.*deadlock: T1.1 waits for pipe .*, T2.1 waits for pipe' '^#1 .* in answer .*walked.c' \
    'thread 1.1' '^#1 .* in ask .*walked.c' '^pipe [0-9]+, [0-9]+ +pipe' 'Thread 2.1 "T2.1 process 2" hit Breakpoint 1.*answer' '^#1 .* talk' \
    '^[0-9]+.*read\(questions' 'Breakpoint 1.*answer' 'No more reverse-execution history'

find program "$TARGET" program
gdb_do program 'info threads' bt 'fmc-thread T1.1' bt 'fmc-goto 1' bt 'info threads' 'fmc-goto start' 'break main' 'break answer' continue continue continue bt \
    reverse-continue reverse-continue 'info inferiors' 'fmc-goto end' bt
says 'a process that becomes another program is another one to GDB' '^at the end.*deadlock: T1.1 waits for pipe .*, T2.1 waits for pipe' \
    'Thread 2.2 "T2.1 process 2" \(has become another program' 'Thread 3.2 "T2.1 process 2" \(waits for pipe' \
    '^#1 .* in answer .*walked.c' '^#2 .* in main ' 'thread 1.1' '^#1 .* in ask .*walked.c'
says 'before that it has the memory of its parent' '^before transition 1 of 1: T2.1 thread_start' 'in talk .*walked.c' \
    'Thread 2.2 "T2.1 process 2" \(hasn.t started yet' 'Thread 3.2 "T2.1 process 2" \(hasn.t become this program'
says 'breakpoints in the program that it becomes' 'Thread 1.1 "T1.1 main" hit Breakpoint 1' 'Thread 3.1 "T2.1 process 2" hit Breakpoint 1' \
    'Thread 3.1 "T2.1 process 2" hit Breakpoint 2.*answer' '^#1 .* in main' 'Thread 3.1 "T2.1 process 2" hit Breakpoint 1.*main' \
    'Thread 1.1 "T1.1 main" hit Breakpoint 1.*main' 'process 3' '^at the end' '^#1 .* in answer'

# A child that runs in its parent's memory at first doesn't meet what is set there.
find spawned "$TARGET" spawned
gdb_do spawned 'fmc-goto start' 'break execve' 'break dup2' 'break answer' continue bt 'fmc-thread T1.1' bt reverse-continue
says 'a process that is spawned' '^at the end.*deadlock: T1.1 waits for pipe' '"T2.1 process 2" hit Breakpoint 3.*answer' '^#1 .* in main' '^#[12] .* in ask .*walked.c' \
    'No more reverse-execution history'

# A shell starts it: the first process is another program.
find shell /bin/sh -c "$TARGET program; exit 3"
gdb_do shell 'fmc-threads' 'fmc-thread T2.1' bt 'fmc-thread T3.1' bt 'fmc-goto start' 'fmc-next' 'fmc-next' 'fmc-next' 'fmc-why T1.1' 'fmc-goto start' 'break answer' continue bt
says 'what a shell starts' '^at the end.*deadlock: T1.1 waits for T2.1 to exit' '^ +T1.1 .* waits for T2.1 to exit' '^#1 .* in ask .*walked.c' '^#1 .* in answer .*walked.c' \
    '^at the program.s beginning' '^before transition 1 ' '^before transition 2 ' '^at the end' '^T1.1 waits for T2.1 to exit' '^T2.1 waits for pipe' \
    '"T3.1 process 3" hit Breakpoint 1.*answer' '^#1 .* in main'

# A step backwards is that of the thread which GDB looks at, whichever it has set breakpoints for meanwhile.
gdb_do shell 'fmc-goto 2' stepi 'fmc-where' reverse-stepi 'fmc-where'
says 'an instruction there and back, before it becomes another program' '^1 instructions into transition 2 ' '^before transition 2 '
says_not 'nothing is refused' 'E01'

# One schedule after the other in the same GDB: the next one's processes are its own.
find one "$TARGET" locks
gdb_do program "fmc-replay $SCRATCH/one.sched" 'info threads' 'thread apply all -q bt 2' "fmc-replay $SCRATCH/updates.sched" 'info inferiors' 'info threads'
says 'another schedule' '^at the end.*T1.1 waits for pipe' '^at the end.*T1.1 waits for .* held by T2.1' '1.1 .*Thread 1.1 "T1.1 main"' 'Thread 2.2 "T2.1 process 2"' \
    '^#1 .* in both' '^#1 .* in both' '^at the end.*exits with status 1' '^[* ] 1 +process 1' '^[* ] [0-9]+ +process 2' '1.1 .*T1.1 main' 'T2.1 process 2.*has exited'
says_not 'no process of the one before is left' '^[* ] [0-9]+ +(<null>|process 3)'

# As README.md has it.
find two "$(realpath "$BUILD")/samples/two_processes"
gdb_do two 'fmc-why T1.1' 'fmc-thread T2.1' up
while IFS= read -r line; do
	judge "README.md: '${line:0:70}'" grep -Fxq -- "$line" "$SCRATCH/out"
done < <(sed -n '/fmc gdb two_processes.sched/,/fmc-thread/s/^    \(T[12].1 waits\)/\1/p' README.md)

# What is wrong to type.
gdb_do locks 'fmc-why T1' 'fmc-why T3.1' 'fmc-why x' 'fmc-thread T2.7' 'print shared->count = 1' 'complete fmc-why T'
says 'threads by their names' "^T1 doesn't exist here; there are T1.1 to T2.1" "^T3.1 doesn't exist here; there are T1.1 to T2.1" \
    '^a thread is needed: T1.1 to T2.1' "^T2.7 doesn't exist here" '^fmc-why T1.1$' '^fmc-why T2.1$'
judge 'nothing is left running' [ -z "$(users_of "$TARGET")" ]
finish
