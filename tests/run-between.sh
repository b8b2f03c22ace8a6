#!/bin/bash
# Processes that meet in the kernel (pipes, sockets, locks of files, semaphores, queues), and that become other programs, with --follow: what is found, that it
# is played again, and what is right.
. tests/lib.sh
TARGET=$BUILD/targets/between

field() {
	"$BUILD/tests/json" "$SCRATCH/result.json" "$1"
}

# follow OPTION... CASE: $status, and both outputs in out.
follow() {
	timeout -k 10 100 "$FMC" check --follow --no-minimize -o "$SCRATCH/found.sched" --json "$SCRATCH/result.json" "${@:1:$#-1}" -- "$TARGET" "${@: -1}" \
	    </dev/null >"$SCRATCH/out" 2>&1
	status=$?
}

# Deadlocks: how long the check is that has it | case | message. Each is played again.
while IFS='|' read -r length how pattern; do
	[ "$length" = short ] || long || continue
	rm -f "$SCRATCH"/found*.sched
	follow --strategy optimal "$how"
	[ $status -eq 1 ] && [ "$(field findings.0.kind)" = deadlock ] && [[ "$(field findings.0.message)" =~ $pattern ]]
	good=$?
	judge "$how: deadlock" [ $good -eq 0 ]
	[ $good -eq 0 ] || show "$SCRATCH/out"
	timeout 60 "$FMC" replay "$SCRATCH/found.sched" </dev/null >"$SCRATCH/out" 2>&1
	judge "$how: played" [ $? -eq 0 ]
done <<'END'
short|full|T1.1 waits for T2.1 to exit, T2.1 waits for pipe
long|endless|T1.1 waits for pipe
long|pipes|T1.1 waits for pipe .*, T2.1 waits for pipe
short|sockets|T1.1 waits for socket .*, T2.1 waits for socket
long|events|T1.1 waits for eventfd .*, T2.1 waits for eventfd
short|locks|T1.1 waits for file_lock .*, T2.1 waits for file_lock
long|semaphores|T1.1 waits for semset 1, T2.1 waits for semset 1
long|messages|T1.1 waits for queue 1, T2.1 waits for queue 1
long|becomes|T1.1 waits for .* held by T2.1, T2.1 waits for .* held by T1.1
long|vforks|T1.1 waits for .* held by T2.1, T2.1 waits for .* held by T1.1
short|spawns|T1.1 waits for .* held by T2.1, T2.1 waits for .* held by T1.1
short|begins|T1.1 waits for .* held by T2.1, T2.1 waits for .* held by T1.1
END

# What is right, in all orders; by wakeup trees no order is run twice.
for how in ended absent shell said heard silent; do
	[ "$how" != said ] && [ "$how" != silent ] || long || continue
	follow --strategy optimal "$how"
	[ $status -eq 0 ] && [ "$(field complete)" = true ]
	good=$?
	judge "$how: complete" [ $good -eq 0 ]
	[ $good -eq 0 ] || show "$SCRATCH/out"
	timeout 60 "$FMC" run --follow --seed 3 -- "$TARGET" "$how" </dev/null >"$SCRATCH/out" 2>&1
	judge "$how: runs as by itself" [ $? -eq 0 ]
done
# What the kernel takes back when a process ends is no operation of anybody's.
follow undone
[ $status -eq 0 ] && [ "$(field complete)" = false ] && grep -q "isn't controlled: .*semaphores" "$SCRATCH/out"
good=$?
judge "undone: named" [ $good -eq 0 ]
[ $good -eq 0 ] || show "$SCRATCH/out"
judge 'nothing is left running' [ -z "$(users_of "$TARGET")" ]
finish
