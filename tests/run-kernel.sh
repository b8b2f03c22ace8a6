#!/bin/bash
# Objects of the kernel by which threads wait for each other: calls on them are operations. What is right is searched completely, in as
# many executions as there are different ones, which the enumeration of all counts; what is wrong is found, replayed and walked.
. tests/lib.sh
T=$BUILD/targets/kernel_objects
REPLAYS=$(long && echo 3 || echo 1)

# search STRATEGY STATUS CASE [OPTION...]
search() {
	local strategy=$1 expected=$2
	shift 2
	timeout -k 5 300 "$FMC" check --strategy "$strategy" --require-complete --granularity sync --json "$SCRATCH/json" \
	    -o "$SCRATCH/$1.sched" "${@:2}" -- "$T" $any "$1" </dev/null >"$SCRATCH/out" 2>&1
	judge "$any $1 by $strategy: status $expected" [ $? -eq "$expected" ]
}
any=
field() {
	"$BUILD/tests/json" "$SCRATCH/json" "$1"
}

# as_many STATUS CASE: what optimal runs are as many executions as dfs finds different ones
as_many() {
	search dfs "$1" "$2"
	all=$(field classes)
	search optimal "$1" "$2"
	judge "$2: $all different executions, as many as there are" [ "$(field executions)" = "$all" ]
}

for case in ping echo end shut large whole tries units turns late many alone replaced whole_flock \
    whole_range whole_semop zero removed letters tried; do
	as_many 0 $case
	says $case '^Search complete'
done
# Those have thousands of orders.
for case in whole_range_two both types; do
	if long; then as_many 0 $case; else search optimal 0 $case; fi
	says $case '^Search complete'
done
all=
for case in whole_range_two whole_flock_two; do
	search optimal 0 $case
	judge "$case: as many executions, by whichever locks" [ -z "$all" -o "$(field executions)" = "$all" ]
	all=$(field executions)
done
# Whatever the program has inherited: nothing, as above, or a pipe by which threads could wait, too.
exec 9< <(:)
search optimal 0 whole_semop
says whole_semop '^Search complete'
exec 9<&-
# What only one thread uses costs no transition.
search optimal 0 alone
judge "a pipe of one thread's own: no operations" [ "$(field transitions)" -le 8 ]

for case in lost_pipe lost_eventfd lost_socket early lost_flock lost_range lost_semop lost_queue lost_record lost_range_one lost_flock_one; do
	search optimal 1 $case
	says $case '^abort: T'
done
for case in mutex_pipe mutex_eventfd mutex_socket both_full lonely mutex_semop mutex_flock; do
	search optimal 1 $case
	says $case '^deadlock: '
done
search optimal 1 mutex_pipe
says mutex_pipe 'T2 waits for pipe 3, 4, T3 waits for mutex held by T2'

for case in lost_pipe lost_eventfd lost_socket mutex_pipe both_full lost_flock lost_record lost_semop lost_queue mutex_flock; do
	replayed=0
	for ((i = 0; i < REPLAYS; i++)); do
		timeout -k 5 60 "$FMC" replay "$SCRATCH/$case.sched" </dev/null >"$SCRATCH/out" 2>&1 && replayed=$((replayed + 1))
	done
	judge "$case: replayed" [ $replayed -eq $REPLAYS ]
	timeout -k 5 60 "$FMC" minimize -o "$SCRATCH/least.sched" "$SCRATCH/$case.sched" </dev/null >"$SCRATCH/out" 2>&1
	judge "$case: minimised" [ $? -eq 0 ]
done
# Executions beside each other lock the same file, one after the other.
again_and_again() {
	local i
	for ((i = 0; i < 4; i++)); do
		timeout -k 5 100 "$FMC" replay "$SCRATCH/lost_flock.sched" </dev/null >/dev/null 2>&1 || echo "$i"
	done
}
for i in 1 2 3; do again_and_again >>"$SCRATCH/disturbed" & done
wait
judge "lost_flock: replays beside each other" [ ! -s "$SCRATCH/disturbed" ]
search optimal 0 whole_flock
all=$(field executions)
search optimal 0 whole_flock --jobs 2
judge "whole_flock: two executions at a time, $all in all" [ "$(field executions)" = "$all" ]

# What depends on which of two threads was first. Where others may have the object, too, that is named and the search isn't complete.
objects=$T
T=$BUILD/targets/kernel_order
own=(append told number poll_between poll_room poll_pair epoll_between opened_otherwise sendfile copied)
others=(accepted poll_dial poll_both listened listened_late watch watch_read watch_writes watch_closes watch_one)
more=(next size dialled udp rights named poll_queue sealed)
if [ -n "${FMC_TEST_LONG:-}" ]; then
	own+=(opened many_sent offset overwrite recorded seek cut many_received dup fifo vmsplice poll select poll_wait poll_time poll_counter unlinked epoll epoll_first epoll_edge epoll_ready epoll_change epoll_twice)
	others+=(tcp tcp_send local local_dialled local_accepted letters keyed_queue keyed_set)
fi
for case in "${own[@]}" "${others[@]}" "${more[@]}"; do
	search optimal 1 $case
	says $case '^abort: T'
done
any=any
for case in "${own[@]}" poll_lock poll_end; do
	as_many 0 $case
done
for case in "${others[@]}"; do
	as_many 2 $case
	says $case "what these do isn't controlled: (sockets|message queues|events of files)$"
done
as_many 2 poll_listener
judge "poll_listener: whoever asks first, it's one execution" [ "$all" = 1 ]
# What isn't followed is named.
for case in timer replaced reopened opened_first flags mode mapped mapped_later; do
	search optimal 2 $case
	says $case "what these do isn't controlled: "
done
any=
# What is handed on under a lock: the same number each time; and what is mapped when it has been written.
for case in handed mapped_written; do
	search dfs 0 $case
done
# Who is refused has to try again: that is no loop without an end.
for strategy in dfs optimal; do
	search $strategy 2 listened_tried
	says listened_tried "^  - what these do isn't controlled: sockets$"
done
# What only one thread uses, and what nobody changes.
for case in own_files own_connections own_folders read_only; do
	search optimal "$([ $case = own_connections ] && echo 2 || echo 0)" $case
	judge "$case: no operations" [ "$(field transitions)" -le 8 ]
done
# The number of the one's file may become that of the other one's.
search dfs 0 own_files
all=$(field executions)
top=$PWD
mkdir "$SCRATCH/names"
for engine in stops agent; do
	(cd "$SCRATCH/names" &&
		timeout -k 5 100 "$top/$FMC" check --strategy dfs --engine $engine --require-complete --granularity sync --json "$SCRATCH/json" \
		    -o "$SCRATCH/names.sched" -- "$top/$BUILD/targets/kernel_locks" names </dev/null >"$SCRATCH/out" 2>&1)
	judge "names by $engine: $all executions, as of any two threads without operations" [ "$(field executions)" = "$all" ]
done
for case in mutex_tcp mutex_local mutex_named; do
	search optimal 1 $case
	says $case 'T2 waits for (connection|queue) 1, T3 waits for mutex held by T2'
done
for case in number dialled mutex_tcp; do
	timeout -k 5 60 "$FMC" replay "$SCRATCH/$case.sched" </dev/null >"$SCRATCH/out" 2>&1
	judge "$case: replayed" [ $? -eq 0 ]
done

# From one descriptor to another, which waits for both.
T=$BUILD/targets/kernel_transfers
transfers=(splice tee taken_pair sent sent_pair moved kept copied vmsplice)
named=(taken_connection sent_connection)
if long; then
	transfers+=(splice_pair taken spliced_file cloned pwritev2)
	named+=(splice_connection)
fi
for case in "${transfers[@]}" "${named[@]}"; do
	if [ $case != cloned ]; then
		search optimal 1 $case
		says $case '^abort: T'
	fi
	any=any
	for strategy in dfs optimal; do
		search $strategy "$([[ " ${named[*]} " == *" $case "* ]] && echo 2 || echo 0)" $case
		judge "$case by $strategy: both orders, and no others" [ "$(field classes)" = 2 ]
	done
	judge "$case: as many executions as there are different ones" [ "$(field executions)" = 2 ]
	any=
done
for case in both whole; do
	search optimal 0 $case
	judge "$case: one execution" [ "$(field executions)" = 1 ]
done
for case in locked crossed full; do
	search optimal 1 $case
	says $case '^deadlock: .*T2 waits for pipe 5, 6'
	timeout -k 5 60 "$FMC" replay "$SCRATCH/$case.sched" </dev/null >"$SCRATCH/out" 2>&1
	judge "$case: replayed" [ $? -eq 0 ]
done
"$FMC" show "$SCRATCH/splice.sched" >"$SCRATCH/out" 2>&1
says "what is moved" 'pipe_to_pipe pipe 3, 4, pipe 5, 6'

# Names of files: who makes, moves and removes them, and who looks.
T=$BUILD/targets/file_names
mkdir "$SCRATCH/folder"
export TMPDIR=$SCRATCH/folder
for case in late far made beside moved removed linked below above through; do
	search optimal 1 $case
	says $case '^abort: T'
	timeout -k 5 60 "$FMC" replay "$SCRATCH/$case.sched" </dev/null >"$SCRATCH/out" 2>&1
	judge "$case: replayed" [ $? -eq 0 ]
	any=any
	as_many 0 $case
	any=
	[ $case != beside ] || judge "$case: the name and the lock each in both orders, but for one that can't be" [ "$all" = 3 ]
done
# Sockets by a path have others that could come to them.
for case in bound connected; do
	search optimal 1 $case
	says $case '^abort: T'
	any=any
	as_many 2 $case
	any=
done
search optimal 1 through
says "through: by the name of what the link leads to" 'name_look name source' 'name_change name source'
search optimal 0 whole
search optimal 0 own
judge "own names: no operations" [ "$(field transitions)" -le 8 ]
search optimal 2 emptied
says emptied "what these do isn't controlled: names of files that one thread makes or removes"
judge "the folder is as it was" [ -z "$(ls "$TMPDIR")" ]
unset TMPDIR
T=$objects

# Who waits by a set of epoll for what the program has for itself, when nobody is left who could write.
T=$BUILD/targets/epoll_waits
for case in edge pair once nothing asked; do
	search optimal 1 $case
	says $case '^deadlock: T1 waits in poll$'
done
for case in edge once; do
	timeout -k 5 60 "$FMC" replay "$SCRATCH/$case.sched" </dev/null >"$SCRATCH/out" 2>&1
	judge "$case: replayed" [ $? -eq 0 ]
done
search optimal 0 whole
for case in timer signal child; do
	search optimal 2 $case --executions 10
	says $case '^No failure found'
done
# The kernel writes when it has done what it was asked for: two threads wait for that, or one.
for case in raised raised_poll raised_read ring ring_poll ring_read; do
	if timeout 20 "$T" $case; [ $? -eq 77 ]; then
		skip "$case: no such requests to the kernel here"
		continue
	fi
	search optimal 2 $case --executions 4
	says $case '^No failure found' "what these do isn't controlled: .*(asynchronous input and output|io_uring)"
done
# Others could write.
mkfifo "$SCRATCH/fifo"
exec 8<>"$SCRATCH/fifo" 9<"$SCRATCH/fifo"
for case in given inner; do
	timeout -k 5 100 "$FMC" check --executions 1 --require-complete -o "$SCRATCH/$case.sched" -- "$T" $case </dev/null >"$SCRATCH/out" 2>&1 8<&-
	judge "$case: status 2" [ $? -eq 2 ]
	says $case '^No failure found' 'all threads waited for something outside$'
done
exec 8<&- 9<&-
T=$objects

"$FMC" show "$SCRATCH/lost_pipe.sched" >"$SCRATCH/out" 2>&1
says "fmc show" 'pipe_read pipe 3, 4 ' 'pipe_write pipe 3, 4 '
judge "the schedule says what is shared" grep -q '^shared pipe 3$' "$SCRATCH/lost_pipe.sched"
if command -v gdb >/dev/null; then
	timeout -k 5 100 "$FMC" gdb "$SCRATCH/lost_pipe.sched" -batch -ex 'fmc-goto 8' -ex 'fmc-objects all' -ex fmc-next -ex fmc-prev \
	    -ex 'fmc-goto end' -ex fmc-threads </dev/null >"$SCRATCH/out" 2>&1
	says "in GDB" 'pipe 3, 4.*byte'
fi
# A program that is killed leaves nothing of System V.
if unshare -i true 2>/dev/null; then
	unshare -i bash -c "timeout -k 5 100 '$FMC' check --strategy optimal --granularity sync --require-complete -o '$SCRATCH/left.sched' \
	    -- '$T' mutex_semop </dev/null; cat /proc/sysvipc/sem /proc/sysvipc/msg /proc/sysvipc/shm" >"$SCRATCH/out" 2>&1
	says "nothing of System V is left" '^deadlock: ' '^ *key *semid ' '^ *key *msqid ' '^ *key *shmid '
	judge "nothing of System V is left, not one" [ "$(grep -A 9 'key *semid' "$SCRATCH/out" | wc -l)" -eq 3 ]
else
	skip "nothing of System V is left: no namespace for that"
fi
finish
