#include "tests/unit/sleeping.h"
#include "tests/unit/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <fmc/tracer/image_file.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <time.h>

/* Holding foreign processes: what they notice of it, and which can't be held or saved. */

static const char image[] = "/tmp/fmc-held-image";

static char state_of(pid_t pid)
{
	char path[32], state = 0;
	snprintf(path, sizeof path, "/proc/%d/stat", pid);
	FILE *file = fopen(path, "re");
	if (!file)
		return 0;
	if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		state = 0;
	fclose(file);
	return state;
}

static void await_state(pid_t pid, char state)
{
	while (state_of(pid) != state)
		sched_yield();
}

/* A child that does nothing but wait for signals, after `before` if there is one. */
static pid_t idle(void (*before)(void))
{
	const pid_t pid = fork();
	if (pid == 0) {
		if (before)
			before();
		for (;;)
			pause();
	}
	await_state(pid, 'S');
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

static struct held *hold(pid_t pid)
{
	struct held *held;
	char why[256];
	const enum status status = held_take(pid, &held, why);
	ck_assert_msg(status == STATUS_OK, "%s", why);
	return held;
}

static void path_of(char path[64])
{
	snprintf(path, 64, "%s-%d", image, getpid());
}

/* STATUS_OK: it has been saved, and the file is gone again. */
static enum status save(struct held *held, char why[256])
{
	struct image_saved saved;
	char path[64];
	path_of(path);
	const enum status status = held_save(held, path, &saved, why);
	ck_assert(status == STATUS_OK || access(path, F_OK) != 0);
	unlink(path);
	return status;
}

static void expect_refusal(pid_t pid, enum status expected, const char *why_part)
{
	struct held *held;
	char why[256] = "";
	ck_assert_int_eq(held_take(pid, &held, why), expected);
	ck_assert_ptr_null(held);
	ck_assert_msg(strstr(why, why_part) != NULL, "%s", why);
}

/* This refusal, once threads have come to what it is because of. */
static void await_refusal(pid_t pid, enum status expected, const char *why_part)
{
	struct held *held;
	char why[256] = "";
	enum status status;
	while ((status = held_take(pid, &held, why)) == STATUS_OK || !strstr(why, why_part)) {
		if (status == STATUS_OK)
			held_release(held);
		usleep(1000);
	}
	ck_assert_int_eq(status, expected);
}

/* Waits of all kinds go on, and none of them is cut short; who is in the middle of writing is left alone. */
START_TEST(sleepers_notice_nothing)
{
	const pid_t pid = sleepers_start();
	char why[256];
	int done = 0;
	sleepers_wait(pid, 1);
	await_refusal(pid, STATUS_UNSUPPORTED, "is in the middle of sending or writing");
	report->quiet = 1;
	sleepers_wait(pid, 2);
	for (int i = 0; i < 400 && done < 60; i++) {
		struct held *held;
		if (held_take(pid, &held, why) != STATUS_OK) {
			ck_assert_msg(strstr(why, "try again") != NULL, "%s", why);
			continue;
		}
		const enum status status = save(held, why);
		ck_assert_msg(status == STATUS_OK || strstr(why, "try again"), "%s", why);
		done += status == STATUS_OK;
		held_release(held);
	}
	ck_assert_int_ge(done, 10);
	sleepers_expect_right(pid);
	sleepers_end(pid);
}
END_TEST

START_TEST(stays_stopped)
{
	char why[256];
	const pid_t pid = idle(NULL);
	kill(pid, SIGSTOP);
	await_state(pid, 'T');
	struct held *held = hold(pid);
	ck_assert_int_eq(state_of(pid), 't');
	ck_assert_msg(save(held, why) == STATUS_OK, "%s", why);
	held_release(held);
	await_state(pid, 'T');
	kill(pid, SIGCONT);
	await_state(pid, 'S');
	end(pid);
}
END_TEST

static volatile sig_atomic_t caught;

static void count(int signal)
{
	(void)signal;
	caught++;
	if (caught == 3)
		_exit(33);
}

static void catch_three(void)
{
	signal(SIGUSR1, count);
}

/* Signals that come while it stands, and while nobody looks, all arrive. */
START_TEST(signals_arrive)
{
	int status;
	const pid_t pid = idle(catch_three);
	for (int i = 0; i < 3; i++) {
		struct held *held = hold(pid);
		kill(pid, SIGUSR1);
		held_release(held);
		while (i < 2 && state_of(pid) != 'S')
			sched_yield();
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 33, "status %#x", status);
}
END_TEST

START_TEST(killed_while_held)
{
	char why[256];
	const pid_t pid = idle(NULL);
	struct held *held = hold(pid);
	ck_assert(!held_gone(held));
	kill(pid, SIGKILL);
	while (!held_gone(held))
		sched_yield();
	ck_assert_int_ne(save(held, why), STATUS_OK);
	held_release(held);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}
END_TEST

static void block_signal(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGUSR2);
}

static void confine(void)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	const struct sock_fprog program = {.len = 1, .filter = &allow};
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

static const struct {
	void (*before)(void);
	const char *why;
} unsaved[] = {{block_signal, "a signal is on its way to it"}, {confine, "a filter of system calls"}};

START_TEST(not_saved)
{
	char why[256];
	const pid_t pid = idle(unsaved[_i].before);
	struct held *held = hold(pid);
	ck_assert_int_eq(save(held, why), STATUS_UNSUPPORTED);
	ck_assert_msg(strstr(why, unsaved[_i].why) != NULL, "%s", why);
	held_release(held);
	await_state(pid, 'S');
	end(pid);
}
END_TEST

START_TEST(not_held)
{
	const pid_t zombie = fork();
	if (zombie == 0)
		_exit(0);
	await_state(zombie, 'Z');
	expect_refusal(zombie, STATUS_UNSUPPORTED, "zombie");
	ck_assert_int_eq(waitpid(zombie, NULL, 0), zombie);
	expect_refusal(zombie, STATUS_NOT_FOUND, "no process");
	expect_refusal(getpid(), STATUS_UNSUPPORTED, "fmc itself");
	const pid_t pid = idle(NULL);
	ck_assert_int_eq(ptrace(PTRACE_SEIZE, pid, NULL, NULL), 0);
	expect_refusal(pid, STATUS_DENIED, "is traced already");
	end(pid);
}
END_TEST

SUITE("held", 60, NULL, NULL, TEST(sleepers_notice_nothing), TEST(stays_stopped), TEST(signals_arrive),
      TEST(killed_while_held), TEST_LOOP(not_saved, sizeof unsaved / sizeof unsaved[0]), TEST(not_held))
