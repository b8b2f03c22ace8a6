#!/bin/bash
# Clocks follow real time while somebody outside is waited for, and skip it else. What comes from there is heard while others go on.
. tests/lib.sh
IDLE=$BUILD/targets/idle SOCKET=$SCRATCH/socket

python3 tests/idle.py "$FMC" "$IDLE" "$SOCKET" >"$SCRATCH/out" 2>&1
judge "an idle server under fmc run" [ $? -eq 0 ]
show "$SCRATCH/out"

# Explored, a server that nobody comes to is told as such, and isn't run until its depth is used up.
"$FMC" check --executions 2 -- "$IDLE" "$SOCKET" ticks </dev/null >"$SCRATCH/out" 2>&1
judge "an idle server under fmc check ends" [ $? -eq 0 ]
says "an idle server under fmc check" 'No failure found' 'all threads waited for something outside'
says_not "an idle server isn't cut" '--depth'

# Time-outs of a client that gives up are come to, even if they take longer than fmc waits.
"$FMC" check --executions 2 -- "$IDLE" "$SOCKET" patience 3600000 </dev/null >"$SCRATCH/out" 2>&1
judge "a long time-out under fmc check" [ $? -eq 0 ]
says_not "a long time-out is come to" 'waited for something outside'

# The clocks that a program reads and the one by which its waits end are the same, whoever waits. None takes as long as this.
for how in semaphore condition mutex rwlock futex sleep timerfd timer select; do
	for other in '' other; do
		"$FMC" run --time 100 -- "$BUILD/targets/moments" $how $other </dev/null >"$SCRATCH/out" 2>&1
		judge "until a moment: $how $other" [ $? -eq 0 ] || show "$SCRATCH/out"
	done
done

# Timers that are read from expire in the program's own time as well, before or after what its threads do; whatever they do is told, though.
T=$BUILD/targets/timer_descriptor
for how in far counts left; do
	timeout 100 "$FMC" check --executions 50 -- "$T" $how </dev/null >"$SCRATCH/out" 2>&1
	judge "a timer's descriptor: $how" [ $? -eq 0 ] || show "$SCRATCH/out"
	says "$how: told of" "isn't controlled: .*timers"
done
while IFS='|' read -r how first; do
	rm -f "$SCRATCH/timer.sched"
	timeout 100 "$FMC" check --timeouts any --no-minimize -o "$SCRATCH/timer.sched" -- "$T" $how </dev/null >"$SCRATCH/out" 2>&1
	judge "a timer's descriptor: $how" [ $? -eq 1 ]
	says "$how: $first" "^$first"
	timeout 100 "$FMC" replay "$SCRATCH/timer.sched" </dev/null >"$SCRATCH/out" 2>&1
	judge "$how: is played again" [ $? -eq 0 ] || show "$SCRATCH/out"
done <<'EOT'
early|abort: .*is_done
asked|abort: .*is_done
stopped|deadlock: T1 waits
EOT

# A program that is run waits as long as it says: what is done in time is done in time under any seed.
for seed in '' 1 2 3 4 5 6 7 8 9 10; do
	"$FMC" run -o "$SCRATCH/timed.sched" ${seed:+--seed $seed} -- "$BUILD/samples/timedwait" assume >"$SCRATCH/out" 2>&1 </dev/null
	judge "a time-out isn't early${seed:+, seed $seed}" [ $? -eq 0 ] || show "$SCRATCH/out"
done
for seed in {1..600}; do
	"$FMC" run --timeouts any -o "$SCRATCH/hurried.sched" --seed $seed -- "$BUILD/samples/timedwait" assume >"$SCRATCH/out" 2>&1 </dev/null ||
	    break
done
judge "unless it is to be (seed $seed)" grep -q '^abort: ' "$SCRATCH/out"
says "an early time-out" 'It needs --timeouts any: '

# How a program ends where no time-out is early is how it ends: that it exits with 1 when one is early is a failure.
cat >"$SCRATCH/late.c" <<'EOT'
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>
static sem_t started;
static void *start(void *unused)
{
	for (int i = 0; i < 40; i++)
		usleep(1000);
	sem_post(&started);
	return unused;
}
int main(void)
{
	struct timespec end;
	pthread_t thread;
	clock_gettime(CLOCK_REALTIME, &end);
	pthread_create(&thread, NULL, start, NULL);
	for (int i = 0; i < 3; i++) {
		end.tv_sec++;
		if (sem_timedwait(&started, &end) == 0)
			return pthread_join(thread, NULL);
	}
	return 1;
}
EOT
"${CC:-cc}" -g -O1 -pthread "$SCRATCH/late.c" -o "$SCRATCH/late"
"$FMC" check --executions 1 -o "$SCRATCH/late.sched" -- "$SCRATCH/late" </dev/null >"$SCRATCH/out" 2>&1
judge "the first schedule has no early time-out" [ $? -eq 0 ]
says_not "nor is its end that of one" 'Exits with'
"$FMC" check --executions 1 --timeouts any -o "$SCRATCH/late.sched" -- "$SCRATCH/late" </dev/null >"$SCRATCH/out" 2>&1
says "unless it is to have" '^Exits with 1 under the first schedule'
"$FMC" check -o "$SCRATCH/late.sched" -- "$SCRATCH/late" </dev/null >"$SCRATCH/out" 2>&1
judge "an early time-out is a failure" [ $? -eq 1 ]
says "and told" '^ *exit: the program exits with status 1' '^It needs --timeouts any: '

# Nobody sends to a message queue, nobody empties it: both time-outs are reached on the clock that the program reads.
cat >"$SCRATCH/queue.c" <<'EOT'
#include <errno.h>
#include <mqueue.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static void *wait_longer(void *unused)
{
	nanosleep(&(struct timespec){10000, 0}, NULL);
	return unused;
}
static int is_reached(const struct timespec *moment)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	return errno == ETIMEDOUT && now.tv_sec >= moment->tv_sec && now.tv_sec < moment->tv_sec + 100;
}
int main(int argc, char **argv)
{
	struct mq_attr one = {.mq_maxmsg = 1, .mq_msgsize = 1};
	struct timespec until;
	pthread_t thread;
	char byte;
	mqd_t queue = mq_open(argv[argc - 1], O_RDWR | O_CREAT, 0600, &one);
	mq_unlink(argv[argc - 1]);
	pthread_create(&thread, NULL, wait_longer, NULL);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 2000;
	if (mq_timedreceive(queue, &byte, 1, NULL, &until) != -1 || !is_reached(&until))
		return 1;
	until.tv_sec += 3000;
	if (mq_timedsend(queue, "a", 1, 0, &until) != 0 || mq_timedsend(queue, "b", 1, 0, &until) != -1 || !is_reached(&until))
		return 2;
	return mq_timedreceive(queue, &byte, 1, NULL, &until) == 1 && byte == 'a' ? pthread_join(thread, NULL) : 3;
}
EOT
"${CC:-cc}" -g -pthread "$SCRATCH/queue.c" -o "$SCRATCH/queue"
timeout -k 10 300 "$FMC" check --time 0 --executions 1 -- "$SCRATCH/queue" "/fmc.$$" </dev/null >"$SCRATCH/out" 2>&1
judge "time-outs of message queues are reached" [ $? -eq 0 ]
says "and have passed" 'No failure found in 1 execution'
says_not "nor is its end another" 'Exits with'

# Two threads wait for a byte each. The main thread goes on by operations that are no system calls, and asks for the bytes by what it prints.
cat >"$SCRATCH/heard.c" <<'EOT'
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER, lock = PTHREAD_MUTEX_INITIALIZER;
static int channel, heard;
static void *hear(void *unused)
{
	char byte;
	if (read(channel, &byte, 1) != 1)
		_exit(1);
	pthread_mutex_lock(&lock);
	heard++;
	pthread_mutex_unlock(&lock);
	return unused;
}
/* A try in vain lets others go on. */
static int wait_for(int count)
{
	int got = 0;
	for (long round = 0; round < 200000 && got < count; round++) {
		if (round == 100 && write(STDOUT_FILENO, "\n", 1) != 1)
			return 0;
		pthread_mutex_trylock(&held);
		pthread_mutex_lock(&lock);
		got = heard;
		pthread_mutex_unlock(&lock);
	}
	return got == count;
}
int main(int argc, char **argv)
{
	pthread_t first, second;
	int ends[2];
	/* From then on calls on descriptors are seen. */
	if (pipe(ends) != 0)
		return 3;
	pthread_mutex_lock(&held);
	channel = open(argv[argc - 1], O_RDWR);
	pthread_create(&first, NULL, hear, NULL);
	pthread_create(&second, NULL, hear, NULL);
	if (!wait_for(1) || !wait_for(2))
		return 2;
	pthread_join(first, NULL);
	return pthread_join(second, NULL);
}
EOT
"${CC:-cc}" -g -pthread "$SCRATCH/heard.c" -o "$SCRATCH/heard"
mkfifo "$SCRATCH/channel"
timeout -k 10 200 "$FMC" run --depth 10000000 -- "$SCRATCH/heard" "$SCRATCH/channel" </dev/null 2>"$SCRATCH/out" |
    while read -r _; do echo -n x >"$SCRATCH/channel"; done
judge "what comes from outside is heard while others go on" [ "${PIPESTATUS[0]}" -eq 0 ]

# Once somebody outside is talked with clocks are read without stops. They show what those show that still stop; and fmc doesn't wake up for each.
cat >"$SCRATCH/clocks.c" <<'EOT'
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#define SECOND	 1000000000
#define READINGS 20000
static struct sockaddr_un name = {.sun_family = AF_UNIX};
static long long read_clock(clockid_t clock)
{
	struct timespec now;
	clock_gettime(clock, &now);
	return now.tv_nsec < 0 || now.tv_nsec >= SECOND ? -1 : now.tv_sec * (long long)SECOND + now.tv_nsec;
}
static long long read_day(void)
{
	struct timeval now;
	gettimeofday(&now, NULL);
	return now.tv_usec < 0 || now.tv_usec >= 1000000 ? -1 : (now.tv_sec * 1000000LL + now.tv_usec) * 1000;
}
/* Those that stop the thread are between those that needn't. */
static int are_right(void)
{
	const long long first = read_clock(CLOCK_MONOTONIC), stopped = read_clock(CLOCK_BOOTTIME);
	const long long middle = read_clock(CLOCK_MONOTONIC_COARSE), again = read_clock(CLOCK_BOOTTIME);
	const long long last = read_clock(CLOCK_MONOTONIC), real = read_clock(CLOCK_REALTIME);
	const long long atomic = read_clock(CLOCK_TAI), day = read_day(), coarse = read_clock(CLOCK_REALTIME_COARSE);
	return first > 0 && first <= stopped && stopped <= middle && middle <= again && again <= last && real > 0 && real <= atomic &&
	       atomic / 1000 <= day / 1000 && day <= coarse && coarse <= read_clock(CLOCK_TAI);
}
static void *stay(void *unused)
{
	pause();
	return unused;
}
/* Each answer is the number of readings that were wrong. */
static int serve(void)
{
	const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
	pthread_t thread;
	char byte;
	if (bind(listener, (struct sockaddr *)&name, sizeof name) != 0 || listen(listener, 1) != 0)
		return 1;
	pthread_create(&thread, NULL, stay, NULL);
	puts("listens");
	fflush(stdout);
	/* An operation, so that it is known who is met, however soon that one comes. */
	poll(&(struct pollfd){.fd = listener, .events = POLLIN}, 1, -1);
	const int client = accept(listener, NULL, NULL);
	for (int wrong = 0; read(client, &byte, 1) == 1; wrong = 0) {
		for (int i = 0; i < 100 && byte == 'f'; i++)
			wrong += !are_right();
		for (int i = 0; i < READINGS / 2 && byte == 'm'; i++)
			wrong += read_clock(i % 2 ? CLOCK_MONOTONIC : CLOCK_MONOTONIC_COARSE) <= 0 || read_day() <= 0;
		if (write(client, &wrong, sizeof wrong) != sizeof wrong)
			return 1;
	}
	_exit(0);
}
static int is_wrong(int server, char what)
{
	int wrong = 1;
	return write(server, &what, 1) != 1 || read(server, &wrong, sizeof wrong) != sizeof wrong || wrong;
}
/* How often this process has gone to sleep. */
static long count_sleeps(const char *number)
{
	char path[64], line[128];
	long sleeps = 0;
	snprintf(path, sizeof path, "/proc/%s/status", number);
	FILE *file = fopen(path, "r");
	while (file && fgets(line, sizeof line, file) && sscanf(line, "voluntary_ctxt_switches: %ld", &sleeps) != 1)
		;
	return sleeps;
}
int main(int argc, char **argv)
{
	strncpy(name.sun_path, argv[1], sizeof name.sun_path - 1);
	if (argc == 2)
		return serve();
	const int server = socket(AF_UNIX, SOCK_STREAM, 0);
	if (connect(server, (struct sockaddr *)&name, sizeof name) != 0 || is_wrong(server, 'f') || is_wrong(server, 'f'))
		return 2;
	const long before = count_sleeps(argv[2]);
	if (is_wrong(server, 'm'))
		return 3;
	return count_sleeps(argv[2]) - before < READINGS / 4 ? 0 : 4;
}
EOT
"${CC:-cc}" -g -pthread "$SCRATCH/clocks.c" -o "$SCRATCH/clocks"
mkfifo "$SCRATCH/listens"
"$FMC" run -- "$SCRATCH/clocks" "$SOCKET.clocks" </dev/null >"$SCRATCH/listens" 2>"$SCRATCH/out" &
server=$!
read -r _ <"$SCRATCH/listens"
timeout 100 "$SCRATCH/clocks" "$SOCKET.clocks" $server
judge "clocks are read without stops, and show what others show" [ $? -eq 0 ]
wait $server
judge "their reader ends as it does alone" [ $? -eq 0 ]

# A key that lives for ten seconds lives as long as somebody else's clock says.
if command -v redis-server >/dev/null && command -v redis-cli >/dev/null; then
	"$FMC" run -- redis-server --port 0 --unixsocket "$SOCKET.redis" --save '' --appendonly no \
	    </dev/null >"$SCRATCH/out" 2>&1 &
	server=$!
	for tries in {1..600}; do
		[ "$(redis-cli -s "$SOCKET.redis" ping 2>/dev/null)" = PONG ] && break
		sleep 0.1
	done
	begin=$(date +%s%N)
	redis-cli -s "$SOCKET.redis" set key value px 10000 >/dev/null
	sleep 1
	left=$(redis-cli -s "$SOCKET.redis" pttl key)
	passed=$((($(date +%s%N) - begin) / 1000000))
	# On a machine so busy that this took ten seconds there is nothing to be seen.
	if [ $passed -lt 9000 ]; then
		judge "a key of redis lives ($left of 10000 ms left after $passed)" [ "$left" -ge $((9900 - passed)) ]
	else
		skip "a key of redis lives: the machine is too busy"
	fi
	redis-cli -s "$SOCKET.redis" shutdown nosave >/dev/null 2>&1
	wait $server
	judge "redis ends as it does alone" [ $? -eq 0 ]
else
	skip "redis isn't there"
fi
finish
