/*
 * Reads every clock there is, and what else tells of time and load: each shows something plausible, goes forward, and knows
 * whom it is of; what isn't a clock is refused. Prints all that it has read. Status 1 and a line of what is wrong.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000LL

/* As the kernel makes a clock's number of a thread's or a process's. */
#define CLOCK_OF(number, bits) ((clockid_t)((~(unsigned)(number) << 3) | (bits)))
#define OF_THREAD	       4

static void expect(int right, const char *what)
{
	if (right)
		return;
	printf("wrong: %s\n", what);
	exit(1);
}

static long long read_clock(clockid_t clock, const char *name)
{
	struct timespec time = {-1, -1};
	expect(clock_gettime(clock, &time) == 0, name);
	expect(time.tv_sec >= 0 && time.tv_nsec >= 0 && time.tv_nsec < SECOND, name);
	return time.tv_sec * SECOND + time.tv_nsec;
}

/* Twice, between these two. */
static void look(clockid_t clock, const char *name, long long least, long long most)
{
	long long first = read_clock(clock, name), second = read_clock(clock, name);
	struct timespec finest;
	printf("%s %lld %lld\n", name, first, second);
	expect(first >= least && second <= most && first <= second, name);
	expect(clock_getres(clock, &finest) == 0 && finest.tv_sec == 0 && finest.tv_nsec > 0, name);
}

static int refused(clockid_t clock)
{
	struct timespec time;
	return clock_gettime(clock, &time) == -1 && errno == EINVAL;
}

static void look_at_all(void)
{
	const long long year = 365 * 86400 * SECOND;
	look(CLOCK_REALTIME, "real", 20 * year, 200 * year);
	look(CLOCK_REALTIME_COARSE, "real, coarse", 20 * year, 200 * year);
	look(CLOCK_TAI, "atomic", 20 * year, 200 * year);
	look(CLOCK_MONOTONIC, "monotonic", SECOND, 20 * year);
	look(CLOCK_MONOTONIC_RAW, "monotonic, raw", SECOND, 20 * year);
	look(CLOCK_MONOTONIC_COARSE, "monotonic, coarse", SECOND, 20 * year);
	look(CLOCK_BOOTTIME, "since boot", SECOND, 20 * year);
	/* Where there is no clock in hardware, these two aren't there. */
	if (!refused(CLOCK_REALTIME_ALARM))
		look(CLOCK_REALTIME_ALARM, "real, wakes", 20 * year, 200 * year);
	if (!refused(CLOCK_BOOTTIME_ALARM))
		look(CLOCK_BOOTTIME_ALARM, "since boot, wakes", SECOND, 20 * year);
	look(CLOCK_PROCESS_CPUTIME_ID, "process", 1, 10 * SECOND);
	look(CLOCK_THREAD_CPUTIME_ID, "thread", 1, 10 * SECOND);
	look(CLOCK_OF(getpid(), 2), "process by number", 1, 10 * SECOND);
	look(CLOCK_OF(0, 2 | OF_THREAD), "thread by no number", 1, 10 * SECOND);
	expect(clock() >= 0 && clock() < 10 * CLOCKS_PER_SEC, "clock()");
}

static void refuse_others(void)
{
	const clockid_t none[] = {10, 12, 99, 0x7fffffff, CLOCK_OF(0, 3 | OF_THREAD)};
	for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
		expect(refused(none[i]), "a clock that there isn't");
	expect(refused(CLOCK_OF(getppid(), 2 | OF_THREAD)), "another process's thread");
	expect(refused(CLOCK_OF(1 << 23, 2)), "nobody's process");
	expect(refused(CLOCK_OF(1000, 3)), "a descriptor that isn't open");
}

static void look_at_load(void)
{
	struct rusage self, thread, children;
	struct tms used;
	struct sysinfo info;
	unsigned cpu, node;
	cpu_set_t allowed;
	const clock_t ticks = times(&used);
	expect(getrusage(RUSAGE_SELF, &self) == 0 && getrusage(RUSAGE_THREAD, &thread) == 0 &&
		   getrusage(RUSAGE_CHILDREN, &children) == 0 && getrusage(7, &self) == -1 && errno == EINVAL,
	       "getrusage");
	expect(ticks > 0 && used.tms_utime >= 0 && used.tms_utime < 1000, "times");
	expect(sysinfo(&info) == 0 && info.uptime > 0 && info.freeram <= info.totalram, "sysinfo");
	expect(getcpu(&cpu, &node) == 0 && (int)cpu == sched_getcpu(), "getcpu");
	expect(sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_ISSET(cpu, &allowed), "getcpu");
	expect(self.ru_utime.tv_sec < 10 && thread.ru_utime.tv_sec < 10 && children.ru_utime.tv_sec == 0,
	       "processor time");
	printf("%ld %ld, %ld.%06ld %ld.%06ld %ld, %ld %lu %lu, %u\n", (long)ticks, (long)used.tms_utime,
	       self.ru_utime.tv_sec, self.ru_utime.tv_usec, thread.ru_utime.tv_sec, thread.ru_utime.tv_usec,
	       self.ru_maxrss, info.uptime, info.freeram, info.loads[0], cpu);
}

/* Who sleeps or waits uses no processor time; what one thread uses isn't the other's. */
static void *look_from_aside(void *main_thread)
{
	clockid_t of_main, own;
	expect(pthread_getcpuclockid(*(pthread_t *)main_thread, &of_main) == 0, "the main thread's clock");
	expect(pthread_getcpuclockid(pthread_self(), &own) == 0, "a thread's clock");
	const long long before = read_clock(of_main, "the main thread's clock");
	const long long process = read_clock(CLOCK_PROCESS_CPUTIME_ID, "process");
	for (int i = 0; i < 100; i++)
		read_clock(own, "own");
	expect(read_clock(of_main, "the main thread's clock") == before, "a waiting thread's clock goes");
	expect(read_clock(CLOCK_PROCESS_CPUTIME_ID, "process") > process, "the process's clock stands");
	expect(read_clock(own, "own") < before, "a new thread has used much");
	printf("%lld %lld\n", before, read_clock(own, "own"));
	return NULL;
}

int main(void)
{
	pthread_t self = pthread_self(), thread;
	look_at_all();
	refuse_others();
	look_at_load();
	expect(pthread_create(&thread, NULL, look_from_aside, &self) == 0, "a thread");
	pthread_join(thread, NULL);
	return 0;
}
