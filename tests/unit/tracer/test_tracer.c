#include "tests/unit/suite.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <fmc/tracer/answers.h>
#include <fmc/tracer/children.h>
#include <fmc/tracer/contents.h>
#include <fmc/tracer/origin.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The tracer on real programs: the test's own folder of targets, and Debian's. */

extern char **environ;

static char *target_path(const char *name)
{
	const char *folder = getenv("FMC_TEST_TARGETS");
	char *path;
	ck_assert_ptr_nonnull(folder);
	ck_assert_int_gt(asprintf(&path, "%s/%s", folder, name), 0);
	return path;
}

static enum status prepare_nothing(void *context, struct target *target, struct tracee *tracee)
{
	(void)target;
	(void)tracee;
	++*(int *)context;
	return STATUS_OK;
}

static struct origin *new_origin(struct program *program, enum origin_kind kind, int *prepared)
{
	struct origin *origin;
	char why[256];
	enum status status = origin_new(program, kind, prepare_nothing, prepared, &origin, why);
	ck_assert_msg(status == STATUS_OK, "%s: %s", status_text(status), why);
	return origin;
}

static struct program program_of(const char *path, char **arguments)
{
	arguments[0] = (char *)(uintptr_t)path;
	return (struct program){.path = path,
				.arguments = arguments,
				.environment = environ,
				.input = -1,
				.output = -1,
				.error = -1};
}

struct tally {
	int clones, forks, exits, syscalls, execs, signals, exit_status;
};

/* As the supervisor does at a call that opens the device. */
static void tame_device(struct target *target, const struct stop *stop)
{
	static const char device[] = "/dev/urandom";
	char path[sizeof device];
	const struct user_regs_struct *regs = tracee_regs(stop->tracee);
	if (stop->number == SYS_openat && regs &&
	    target_read(target, regs->rsi, path, sizeof path) == STATUS_OK &&
	    memcmp(path, device, sizeof path) == 0)
		ck_assert(target_open_random(stop->tracee));
}

/* Let every thread run as it likes, count what happens. */
static struct tally run_freely(struct target *target)
{
	struct tally tally = {.exit_status = -1};
	struct stop stop;
	ck_assert_int_eq(target_resume(target_tracee(target, 0), 0), STATUS_OK);
	while (target_wait(target, NULL, -1, &stop) == STATUS_OK) {
		int signal = 0;
		switch (stop.kind) {
		case STOP_CLONE:
			tally.clones++;
			(void)target_resume(stop.child, 0); /* a death is told by the next wait */
			break;
		case STOP_FORK: {
			struct target *forked = target_forked(&stop);
			tally.forks++;
			if (forked)
				target_let_go(forked);
			break;
		}
		case STOP_EXITED:
			tally.exits++;
			if (stop.tracee->index == 0)
				tally.exit_status = stop.value;
			break;
		case STOP_SYSCALL:
			tally.syscalls++;
			tame_device(target, &stop);
			break;
		case STOP_EXEC:
			tally.execs++;
			break;
		case STOP_SIGNAL:
			tally.signals++;
			signal = (int)stop.number;
			break;
		default:
			break;
		}
		if (target_gone(target))
			break;
		if (stop.kind != STOP_EXITED)
			(void)target_resume(stop.tracee, signal); /* a death is told by the next wait */
	}
	return tally;
}

static struct tally run_program(const char *path, char **arguments, enum origin_kind kind)
{
	int prepared = 0;
	struct program program = program_of(path, arguments);
	struct origin *origin = new_origin(&program, kind, &prepared);
	struct tally tally = {0};
	for (int i = 0; i < 3; i++) {
		struct target *target;
		ck_assert_int_eq(origin_start(origin, &target), STATUS_OK);
		tally = run_freely(target);
		ck_assert(target_gone(target));
		target_kill(target);
	}
	ck_assert_int_eq(prepared, kind == ORIGIN_COPY ? 1 : 4);
	origin_free(origin);
	return tally;
}

static unsigned filters_of(const struct target *target)
{
	char path[48], line[256];
	unsigned filters = 0;
	snprintf(path, sizeof path, "/proc/%d/status", (int)target_pid(target));
	FILE *status = fopen(path, "r");
	ck_assert_ptr_nonnull(status);
	while (fgets(line, sizeof line, status))
		(void)sscanf(line, "Seccomp_filters: %u", &filters);
	fclose(status);
	return filters;
}

/* How many calls the next execution of it stops before; filters: those that it has from its beginning, and at its end. */
static int calls_stopped(struct origin *origin, bool watched, unsigned filters[2])
{
	struct target *target;
	ck_assert_int_eq(origin_start(origin, &target), STATUS_OK);
	filters[0] = filters_of(target);
	if (watched) {
		ck_assert_int_eq(target_watch_transfers(target_tracee(target, 0), true), STATUS_OK);
		ck_assert_int_eq(target_watch_mappings(target_tracee(target, 0)), STATUS_OK);
	}
	filters[1] = filters_of(target);
	const int stopped = run_freely(target).syscalls;
	target_kill(target);
	return stopped;
}

/* Kernels free them slowly, and some of them deadlock by it. */
START_TEST(filters_are_made_once)
{
	int prepared = 0;
	char *arguments[] = {NULL, (char *)(uintptr_t) "/dev/null", NULL};
	/* In this locale it maps a file as shared, at which the first filter stops it whatever others do. */
	ck_assert_int_eq(setenv("LC_ALL", "C.UTF-8", 1), 0);
	struct program program = program_of("/bin/cat", arguments);
	struct origin *origin = new_origin(&program, ORIGIN_COPY, &prepared);
	unsigned first[2], second[2], third[2];
	const int plain = calls_stopped(origin, false, first);
	const int watched = calls_stopped(origin, true, second);
	ck_assert_int_gt(watched, plain);
	ck_assert_uint_eq(first[0], 1);
	ck_assert_uint_eq(second[0], 1);
	ck_assert_uint_gt(second[1], 1);
	/* From here on copies have them, and hear of them where they ask. */
	ck_assert_int_eq(calls_stopped(origin, true, third), watched);
	ck_assert_uint_eq(third[0], second[1]);
	ck_assert_uint_eq(third[1], second[1]);
	ck_assert_int_eq(calls_stopped(origin, false, third), plain);
	ck_assert_uint_eq(third[1], second[1]);
	origin_free(origin);
}
END_TEST

/* The device is read by its number, for which the process gets a filter. */
START_TEST(filters_of_devices_are_made_once)
{
	int prepared = 0;
	char *arguments[] = {NULL, (char *)(uintptr_t) "-c8", (char *)(uintptr_t) "/dev/urandom", NULL};
	struct program program = program_of("/usr/bin/head", arguments);
	program.output = open("/dev/null", O_WRONLY);
	struct origin *origin = new_origin(&program, ORIGIN_COPY, &prepared);
	unsigned first[2], second[2];
	const int plain = calls_stopped(origin, false, first);
	ck_assert_int_eq(calls_stopped(origin, false, second), plain);
	ck_assert_uint_eq(first[0], 1);
	ck_assert_uint_eq(second[0], 2);
	/* Both filters know of this read, and it is nobody's who watches transfers: the device is answered for. */
	const int watched = calls_stopped(origin, true, first);
	ck_assert_int_eq(calls_stopped(origin, true, second), watched);
	ck_assert_uint_eq(second[0], 5);
	origin_free(origin);
	close(program.output);
}
END_TEST

static const enum origin_kind kinds[] = {ORIGIN_EXEC, ORIGIN_COPY};

START_TEST(runs_to_the_end)
{
	char *arguments[] = {NULL, NULL};
	struct tally tally = run_program("/bin/true", arguments, kinds[_i]);
	ck_assert_int_eq(tally.exit_status, 0);
	tally = run_program("/bin/false", arguments, kinds[_i]);
	ck_assert(WIFEXITED(tally.exit_status));
	ck_assert_int_eq(WEXITSTATUS(tally.exit_status), 1);
}
END_TEST

START_TEST(sees_threads)
{
	char *path = target_path("threads"), *arguments[] = {NULL, (char[]){"5"}, NULL};
	struct tally tally = run_program(path, arguments, kinds[_i]);
	ck_assert_int_eq(tally.exit_status, 0);
	ck_assert_int_eq(tally.clones, 5);
	ck_assert_int_eq(tally.exits, 6);
	free(path);
}
END_TEST

START_TEST(main_thread_ends_first)
{
	char *path = target_path("threads"), *arguments[] = {NULL, (char[]){"3"}, (char[]){"leave"}, NULL};
	struct tally tally = run_program(path, arguments, kinds[_i]);
	ck_assert_int_eq(tally.exit_status, 0);
	ck_assert_int_eq(tally.exits, 4);
	free(path);
}
END_TEST

START_TEST(dies_of_a_signal)
{
	char *arguments[] = {NULL, (char[]){"-c"}, (char[]){"kill -SEGV $$"}, NULL};
	struct tally tally = run_program("/bin/sh", arguments, kinds[_i]);
	ck_assert(WIFSIGNALED(tally.exit_status));
	ck_assert_int_eq(WTERMSIG(tally.exit_status), SIGSEGV);
}
END_TEST

START_TEST(follows_exec)
{
	char *arguments[] = {NULL, (char[]){"-c"}, (char[]){"exec /bin/false"}, NULL};
	struct tally tally = run_program("/bin/sh", arguments, kinds[_i]);
	ck_assert_int_eq(tally.execs, 1);
	ck_assert_int_eq(WEXITSTATUS(tally.exit_status), 1);
}
END_TEST

START_TEST(children_run_beside)
{
	char *arguments[] = {NULL, (char[]){"-c"},
			     (char[]){"/bin/true; (/bin/false); test $? = 1 && /bin/sleep 0"}, NULL};
	struct tally tally = run_program("/bin/sh", arguments, kinds[_i]);
	ck_assert_int_eq(tally.exit_status, 0);
	ck_assert_int_ge(tally.forks, 3);
}
END_TEST

/* What comes next of it, which stays to be told. Signals that make fmc look up come between. */
static siginfo_t peek(pid_t pid, int what)
{
	siginfo_t info;
	int result;
	do
		result = waitid(P_PID, (id_t)pid, &info, what | WNOWAIT | __WALL);
	while (result < 0 && errno == EINTR);
	ck_assert_int_eq(result, 0);
	return info;
}

/* Its next stop: the wait status. */
static int peek_at_stop(pid_t pid)
{
	const siginfo_t info = peek(pid, WSTOPPED | WEXITED);
	ck_assert_int_eq(info.si_code, CLD_TRAPPED);
	return info.si_status;
}

/* Let it run until it is stopped because of a fork() that nobody has been told of; the child. */
static pid_t run_to_fork(struct target *target)
{
	struct tracee *leader = target_tracee(target, 0);
	struct stop stop;
	unsigned long child = 0;
	ck_assert_int_eq(target_resume(leader, 0), STATUS_OK);
	while (peek_at_stop(target_pid(target)) >> 8 != PTRACE_EVENT_FORK) {
		if (target_wait(target, leader, 0, &stop) == STATUS_OK)
			ck_assert_int_eq(target_resume(leader, 0), STATUS_OK);
	}
	ck_assert_int_eq(ptrace(PTRACE_GETEVENTMSG, target_pid(target), NULL, &child), 0);
	return (pid_t)child;
}

/* A child that is dead before fmc hears of it isn't listed: its number may be another process's when the target is killed. */
START_TEST(child_killed_at_birth)
{
	char *arguments[] = {NULL, (char[]){"-c"}, (char[]){"(:)"}, NULL};
	int prepared = 0;
	struct program program = program_of("/bin/sh", arguments);
	struct origin *origin = new_origin(&program, kinds[_i], &prepared);
	struct target *target;
	struct stop stop;
	ck_assert_int_eq(origin_start(origin, &target), STATUS_OK);
	pid_t child = run_to_fork(target);
	ck_assert_int_eq(kill(child, SIGKILL), 0);
	ck_assert_int_eq(peek_at_stop(child) >> 8, PTRACE_EVENT_EXIT);
	ck_assert_int_eq(ptrace(PTRACE_CONT, child, NULL, 0), 0);
	peek(child, WEXITED);
	ck_assert_int_eq(target_wait(target, target_tracee(target, 0), -1, &stop), STATUS_OK);
	ck_assert_int_eq(stop.kind, STOP_FORK);
	ck_assert_int_eq(stop.number, child);
	ck_assert_uint_eq(target_descendants(target), 0);
	ck_assert_ptr_null(target_forked(&stop));
	target_kill(target);
	origin_free(origin);
	ck_assert_int_eq(waitpid(-1, NULL, __WALL | WNOHANG), -1);
}
END_TEST

START_TEST(kill_reaps_all)
{
	char *path = target_path("threads"), *arguments[] = {NULL, (char[]){"20"}, (char[]){"stay"}, NULL};
	int prepared = 0;
	struct program program = program_of(path, arguments);
	struct origin *origin = new_origin(&program, kinds[_i], &prepared);
	for (int stop_after = 1; stop_after < 60; stop_after++) {
		struct target *target;
		struct stop stop;
		ck_assert_int_eq(origin_start(origin, &target), STATUS_OK);
		pid_t pid = target_pid(target);
		(void)target_resume(target_tracee(target, 0), 0); /* a death is told by the next wait */
		for (int i = 0; i < stop_after && target_wait(target, NULL, 20, &stop) == STATUS_OK; i++) {
			if (stop.kind == STOP_CLONE)
				(void)target_resume(stop.child, 0); /* a death is told by the next wait */
			if (stop.kind != STOP_EXITED)
				(void)target_resume(stop.tracee, 0); /* a death is told by the next wait */
		}
		target_kill(target);
		ck_assert_int_eq(kill(pid, 0), -1);
	}
	origin_free(origin);
	ck_assert_int_eq(waitpid(-1, NULL, __WALL | WNOHANG), -1);
	free(path);
}
END_TEST

/* The process is killed while every thread is stopped, and fmc waits for the first one only. */
START_TEST(killed_while_stopped)
{
	char *path = target_path("threads"), *arguments[] = {NULL, (char[]){"5"}, (char[]){"stay"}, NULL};
	bool until_exiting = _i % 2 != 0;
	int prepared = 0;
	struct program program = program_of(path, arguments);
	struct origin *origin = new_origin(&program, kinds[_i / 2], &prepared);
	struct target *target;
	struct stop stop = {.kind = STOP_INTERRUPT};
	ck_assert_int_eq(origin_start(origin, &target), STATUS_OK);
	struct tracee *leader = target_tracee(target, 0);
	while (target_tracees(target) < 6) {
		ck_assert_int_eq(target_resume(leader, 0), STATUS_OK);
		ck_assert_int_eq(target_wait(target, leader, -1, &stop), STATUS_OK);
	}
	kill(target_pid(target), SIGKILL);
	do {
		(void)target_resume(leader, 0); /* a death is told by the next wait */
		ck_assert_int_eq(target_wait(target, leader, -1, &stop), STATUS_OK);
	} while (stop.kind != STOP_EXITED && !(until_exiting && stop.kind == STOP_EXITING));
	if (stop.kind == STOP_EXITED) {
		ck_assert(WIFSIGNALED(stop.value));
		ck_assert_int_eq(WTERMSIG(stop.value), SIGKILL);
	}
	target_kill(target);
	origin_free(origin);
	ck_assert_int_eq(waitpid(-1, NULL, __WALL | WNOHANG), -1);
	free(path);
}
END_TEST

static enum status note_pid(void *context, struct target *target, struct tracee *tracee)
{
	(void)tracee;
	*(pid_t *)context = target_pid(target);
	return STATUS_OK;
}

/* Somebody kills what copies are made of. */
START_TEST(source_made_anew)
{
	char *arguments[] = {NULL, NULL}, why[256];
	struct program program = program_of("/bin/true", arguments);
	pid_t source = -1;
	struct origin *origin;
	ck_assert_int_eq(origin_new(&program, ORIGIN_COPY, note_pid, &source, &origin, why), STATUS_OK);
	for (int i = 0; i < 3; i++) {
		pid_t old = source;
		struct target *target;
		kill(source, SIGKILL);
		ck_assert_int_eq(origin_start(origin, &target), STATUS_OK);
		ck_assert_int_ne(source, old);
		ck_assert_int_eq(run_freely(target).exit_status, 0);
		target_kill(target);
	}
	origin_free(origin);
}
END_TEST

static unsigned long long blocked_signals(pid_t pid)
{
	char path[32], line[256];
	unsigned long long mask = 0;
	snprintf(path, sizeof path, "/proc/%d/status", pid);
	FILE *file = fopen(path, "re");
	ck_assert_ptr_nonnull(file);
	while (fgets(line, sizeof line, file))
		sscanf(line, "SigBlk: %llx", &mask);
	fclose(file);
	return mask;
}

/* Two signals are pending while fmc uses the thread; they arrive after that. */
START_TEST(signals_wait_for_injected_calls)
{
	char *arguments[] = {NULL, NULL};
	int prepared = 0;
	const uint64_t none[6] = {0};
	int64_t result;
	struct program program = program_of("/bin/true", arguments);
	struct origin *origin = new_origin(&program, kinds[_i], &prepared);
	struct target *target;
	ck_assert_int_eq(origin_start(origin, &target), STATUS_OK);
	ck_assert_uint_eq(blocked_signals(target_pid(target)), blocked_signals(getpid()));
	kill(target_pid(target), SIGUSR1);
	kill(target_pid(target), SIGUSR2);
	ck_assert_int_eq(tracee_syscall(target_tracee(target, 0), SYS_getpid, none, &result), STATUS_OK);
	ck_assert_int_eq(result, target_pid(target));
	struct tally tally = run_freely(target);
	ck_assert_int_gt(tally.signals, 0);
	ck_assert(WIFSIGNALED(tally.exit_status));
	target_kill(target);
	origin_free(origin);
}
END_TEST

START_TEST(injected_calls)
{
	char *arguments[] = {NULL, NULL};
	int prepared = 0;
	struct program program = program_of("/bin/true", arguments);
	struct origin *origin = new_origin(&program, kinds[_i], &prepared);
	struct target *target;
	ck_assert_int_eq(origin_start(origin, &target), STATUS_OK);
	struct tracee *tracee = target_tracee(target, 0);
	struct user_regs_struct before = *tracee_regs(tracee);
	const uint64_t none[6] = {0};
	int64_t result;
	for (int i = 0; i < 100; i++) {
		ck_assert_int_eq(tracee_syscall(tracee, SYS_getpid, none, &result), STATUS_OK);
		ck_assert_int_eq(result, target_pid(target));
	}
	ck_assert_mem_eq(&before, tracee_regs(tracee), sizeof before);
	uint64_t near = target_near_page(target, before.rip);
	ck_assert_uint_ne(near, 0);
	ck_assert_uint_lt(before.rip > near ? before.rip - near : near - before.rip, UINT64_C(1) << 30);
	ck_assert_uint_eq(near, target_near_page(target, before.rip));
	uint64_t word = 0x1122334455667788, back = 0;
	ck_assert_int_eq(target_write(target, near, &word, sizeof word), STATUS_OK);
	ck_assert_int_eq(target_read(target, near, &back, sizeof back), STATUS_OK);
	ck_assert_uint_eq(word, back);
	ck_assert_int_eq(target_read(target, 0x10, &back, sizeof back), STATUS_NOT_FOUND);
	struct tally tally = run_freely(target);
	ck_assert_int_eq(tally.exit_status, 0);
	target_kill(target);
	origin_free(origin);
}
END_TEST

/* What a target prints of its clocks, random bytes and addresses is the same in every execution of either
 * kind. */
static const char *const worlds[] = {"world", "clocks"};

START_TEST(the_world_is_repeatable)
{
	char *path = target_path(worlds[_i]), *arguments[] = {NULL, NULL}, first[4096] = "", output[4096];
	for (int i = 0; i < 6; i++) {
		int prepared = 0, pipe_ends[2];
		ck_assert_int_eq(pipe(pipe_ends), 0);
		struct program program = program_of(path, arguments);
		program.output = pipe_ends[1];
		program.start_time = 1000000000;
		struct origin *origin = new_origin(&program, kinds[i % 2], &prepared);
		struct target *target;
		ck_assert_int_eq(origin_start(origin, &target), STATUS_OK);
		struct tally tally = run_freely(target);
		target_kill(target);
		origin_free(origin);
		close(pipe_ends[1]);
		ssize_t length = read(pipe_ends[0], output, sizeof output - 1);
		ck_assert_int_gt(length, 20);
		output[length] = 0;
		ck_assert_msg(tally.exit_status == 0, "%s", output);
		close(pipe_ends[0]);
		if (i)
			ck_assert_str_eq(first, output);
		strcpy(first, output);
	}
	free(path);
}
END_TEST

START_TEST(digests_tell_states_apart)
{
	char *arguments[] = {NULL, NULL};
	int prepared = 0;
	struct program program = program_of("/bin/true", arguments);
	struct origin *origin = new_origin(&program, kinds[_i], &prepared);
	struct target *target;
	uint64_t a[2], b[2], old, word = 7;
	ck_assert_int_eq(origin_start(origin, &target), STATUS_OK);
	ck_assert_int_eq(target_digest(target, a), STATUS_OK);
	ck_assert_int_eq(target_digest(target, b), STATUS_OK);
	ck_assert_mem_eq(a, b, sizeof a);
	uint64_t at = tracee_regs(target_tracee(target, 0))->rsp + 8;
	ck_assert_int_eq(target_read(target, at, &old, sizeof old), STATUS_OK);
	ck_assert_int_eq(target_write(target, at, &word, sizeof word), STATUS_OK);
	ck_assert_int_eq(target_digest(target, b), STATUS_OK);
	ck_assert_uint_ne(a[0], b[0]);
	ck_assert_uint_ne(a[1], b[1]);
	ck_assert_int_eq(target_write(target, at, &old, sizeof old), STATUS_OK);
	tracee_change_regs(target_tracee(target, 0))->r15 ^= 1;
	ck_assert_int_eq(target_digest(target, b), STATUS_OK);
	ck_assert_uint_ne(a[0], b[0]);
	target_kill(target);
	origin_free(origin);
}
END_TEST

/* As a sanitizer's shadow or the heap of a garbage collector. A kernel that doesn't tell what is in use makes it too much. */
START_TEST(digests_skip_what_is_only_reserved)
{
	char *arguments[] = {NULL, NULL};
	const uint64_t size = UINT64_C(1) << 44, word = 7;
	const uint64_t reserve[6] = {
	    0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, UINT64_MAX, 0};
	int prepared = 0;
	int64_t at;
	struct program program = program_of("/bin/true", arguments);
	struct origin *origin = new_origin(&program, kinds[_i], &prepared);
	struct target *target;
	uint64_t a[2], b[2];
	ck_assert_int_eq(origin_start(origin, &target), STATUS_OK);
	ck_assert_int_eq(tracee_syscall(target_tracee(target, 0), SYS_mmap, reserve, &at), STATUS_OK);
	ck_assert_int_gt(at, 0);
	const enum status status = target_digest(target, a);
	ck_assert(status == STATUS_OK || status == STATUS_UNSUPPORTED);
	ck_assert_int_eq(target_write(target, (uint64_t)at + size / 2, &word, sizeof word), STATUS_OK);
	ck_assert_int_eq(target_digest(target, b), status);
	if (status == STATUS_OK)
		ck_assert_uint_ne(a[0], b[0]);
	target_kill(target);
	origin_free(origin);
}
END_TEST

/* fmc's own timer needs the signal; what it starts, again and again, has it blocked as fmc had. */
START_TEST(alarms_are_blocked_as_before)
{
	char *arguments[] = {NULL, NULL};
	struct program program = program_of("/bin/true", arguments);
	sigset_t alarm;
	int prepared = 0;
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	ck_assert_int_eq(sigprocmask(SIG_BLOCK, &alarm, NULL), 0);
	struct origin *origin = new_origin(&program, kinds[_i], &prepared);
	for (int i = 0; i < 3; i++) {
		struct target *target;
		sigset_t now;
		ck_assert_int_eq(origin_start(origin, &target), STATUS_OK);
		ck_assert(tracee_signals(target_tracee(target, 0)).blocked >> (SIGALRM - 1) & 1);
		sigprocmask(SIG_BLOCK, NULL, &now);
		ck_assert_int_eq(sigismember(&now, SIGALRM), 0);
		target_kill(target);
	}
	origin_free(origin);
}
END_TEST

/* To the process, or to its thread. */
START_TEST(pending_signals_are_seen)
{
	char *arguments[] = {NULL, NULL};
	struct program program = program_of("/bin/true", arguments);
	int prepared = 0;
	struct origin *origin = new_origin(&program, kinds[0], &prepared);
	struct target *target;
	ck_assert_int_eq(origin_start(origin, &target), STATUS_OK);
	const struct tracee *tracee = target_tracee(target, 0);
	const pid_t pid = target_pid(target);
	ck_assert_uint_eq(tracee_signals(tracee).pending, 0);
	ck_assert(!tracee_has_signals(tracee) && !target_has_signals(tracee));
	ck_assert_int_eq(_i ? kill(pid, SIGUSR1) : (int)syscall(SYS_tgkill, pid, pid, SIGUSR1), 0);
	ck_assert_uint_eq(tracee_signals(tracee).pending, UINT64_C(1) << (SIGUSR1 - 1));
	ck_assert(tracee_has_signals(tracee) == !_i);
	ck_assert(target_has_signals(tracee) == _i);
	target_kill(target);
	origin_free(origin);
}
END_TEST

static void expect_refusal(const char *path, enum status expected, const char *word)
{
	char *arguments[] = {NULL, NULL}, why[256] = "";
	struct program program = program_of(path, arguments);
	struct origin *origin;
	int prepared = 0;
	ck_assert_int_eq(origin_new(&program, ORIGIN_AUTO, prepare_nothing, &prepared, &origin, why),
			 expected);
	ck_assert_ptr_null(origin);
	ck_assert_msg(strstr(why, word) != NULL, "\"%s\" doesn't say \"%s\"", why, word);
}

START_TEST(refusals)
{
	expect_refusal("/no/such/program", STATUS_NOT_FOUND, "No such file");
	expect_refusal("/etc/passwd", STATUS_DENIED, "not executable");
	expect_refusal("/tmp", STATUS_UNSUPPORTED, "not a program");
	expect_refusal("/usr/bin/ldd", STATUS_UNSUPPORTED, "script");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("tracer");
	TCase *each = tcase_create("both origins");
	tcase_set_timeout(each, 60);
	tcase_add_loop_test(each, runs_to_the_end, 0, 2);
	tcase_add_loop_test(each, alarms_are_blocked_as_before, 0, 2);
	tcase_add_loop_test(each, sees_threads, 0, 2);
	tcase_add_loop_test(each, main_thread_ends_first, 0, 2);
	tcase_add_loop_test(each, dies_of_a_signal, 0, 2);
	tcase_add_loop_test(each, follows_exec, 0, 2);
	tcase_add_loop_test(each, children_run_beside, 0, 2);
	tcase_add_loop_test(each, child_killed_at_birth, 0, 2);
	tcase_add_loop_test(each, kill_reaps_all, 0, 2);
	tcase_add_loop_test(each, killed_while_stopped, 0, 4);
	tcase_add_test(each, source_made_anew);
	tcase_add_test(each, filters_are_made_once);
	tcase_add_test(each, filters_of_devices_are_made_once);
	tcase_add_loop_test(each, signals_wait_for_injected_calls, 0, 2);
	tcase_add_loop_test(each, pending_signals_are_seen, 0, 2);
	tcase_add_loop_test(each, injected_calls, 0, 2);
	tcase_add_loop_test(each, digests_tell_states_apart, 0, 2);
	tcase_add_loop_test(each, digests_skip_what_is_only_reserved, 0, 2);
	tcase_add_loop_test(each, the_world_is_repeatable, 0, 2);
	tcase_add_test(each, refusals);
	suite_add_tcase(suite, each);
	return suite_run(suite);
}
