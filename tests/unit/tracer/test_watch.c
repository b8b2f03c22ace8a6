#include "tests/unit/debug_registers.h"
#include "tests/unit/prepare_nothing.h"
#include "tests/unit/suite.h"

#include <check.h>
#include <errno.h>
#include <fmc/tracer/origin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Watchpoints, vector registers, and steps over system calls; tests/targets/stages.c stops itself between them. */

extern char **environ;

static struct origin *origin;
static struct target *target;
static struct tracee *tracee;
static uint64_t cells;

static void start(void)
{
	char why[256];
	static char path[4096];
	static char *arguments[] = {path, NULL};
	static struct program program = {
	    .path = path, .arguments = arguments, .input = -1, .output = -1, .error = -1};
	snprintf(path, sizeof path, "%s/stages", getenv("FMC_TEST_TARGETS"));
	program.environment = environ;
	ck_assert_int_eq(origin_new(&program, ORIGIN_AUTO, prepare_nothing, NULL, &origin, why), STATUS_OK);
	ck_assert_int_eq(origin_start(origin, &target), STATUS_OK);
	tracee = target_tracee(target, 0);
}

static void end(void)
{
	target_kill(target);
	origin_free(origin);
}

static struct stop resume(void)
{
	struct stop stop;
	ck_assert_int_eq(target_resume(tracee, 0), STATUS_OK);
	ck_assert_int_eq(target_wait(target, tracee, -1, &stop), STATUS_OK);
	return stop;
}

static struct stop step(void)
{
	struct stop stop;
	ck_assert_int_eq(target_step(tracee, 0), STATUS_OK);
	ck_assert_int_eq(target_wait(target, tracee, -1, &stop), STATUS_OK);
	return stop;
}

/* Stages are counted from 1. */
static void go_to_stage(unsigned number)
{
	for (unsigned i = 0; i < number;) {
		struct stop stop = resume();
		i += stop.kind == STOP_TRAP;
		ck_assert(stop.kind == STOP_TRAP || stop.kind == STOP_SYSCALL);
	}
	cells = tracee_regs(tracee)->rdi;
}

static long cell(unsigned number)
{
	long value;
	ck_assert_int_eq(target_read(target, cells + 8 * number, &value, sizeof value), STATUS_OK);
	return value;
}

static void watch_two(void)
{
	const struct hardware_watch watches[] = {{.address = cells + 8, .size = 8, .write_only = true},
						 {.address = cells + 16, .size = 4}};
	ck_assert_int_eq(tracee_set_watches(tracee, watches, 2), STATUS_OK);
}

START_TEST(watched_while_free)
{
	if (!debug_registers_work())
		return;
	go_to_stage(1);
	watch_two();
	ck_assert_int_eq(resume().kind, STOP_WATCH);
	ck_assert_uint_eq(tracee_watches_hit(tracee), 1);
	ck_assert_uint_eq(tracee_watches_hit(tracee), 0);
	ck_assert_int_eq(cell(1), 20);
	ck_assert_int_eq(cell(0), 1);
	ck_assert_int_eq(resume().kind, STOP_WATCH);
	ck_assert_uint_eq(tracee_watches_hit(tracee), 2);
	ck_assert_int_eq(resume().kind, STOP_TRAP);
	ck_assert_uint_eq(tracee_watches_hit(tracee), 0);
	ck_assert_int_eq(cell(0), 4);
}
END_TEST

static bool at_trap(void)
{
	uint8_t byte;
	ck_assert_int_eq(target_read(target, tracee_regs(tracee)->rip, &byte, 1), STATUS_OK);
	return byte == 0xcc;
}

START_TEST(watched_while_stepping)
{
	if (!debug_registers_work())
		return;
	unsigned hits[4] = {0};
	go_to_stage(1);
	watch_two();
	while (!at_trap()) {
		ck_assert_int_eq(step().kind, STOP_STEP);
		hits[tracee_watches_hit(tracee) & 3]++;
	}
	ck_assert_uint_gt(hits[0], 0);
	ck_assert_uint_eq(hits[1], 1);
	ck_assert_uint_eq(hits[2], 1);
	ck_assert_uint_eq(hits[3], 0);
	ck_assert_int_eq(cell(0), 4);
}
END_TEST

/* An instruction is told of before it, and once; within it nothing is. */
START_TEST(watched_instructions)
{
	if (!debug_registers_work())
		return;
	uint64_t at[4];
	go_to_stage(1);
	for (size_t i = 0; i < 4; i++) {
		ck_assert_int_eq(step().kind, STOP_STEP);
		at[i] = tracee_regs(tracee)->rip;
	}
	target_kill(target);
	ck_assert_int_eq(origin_start(origin, &target), STATUS_OK);
	tracee = target_tracee(target, 0);
	go_to_stage(1);
	ck_assert_uint_gt(at[2] - at[1], 1);
	const struct hardware_watch watches[] = {{.address = at[1] + 1, .size = 1, .execute = true},
						 {.address = at[2], .size = 1, .execute = true}};
	ck_assert_int_eq(tracee_set_watches(tracee, watches, 2), STATUS_OK);
	ck_assert_int_eq(resume().kind, STOP_WATCH);
	ck_assert_uint_eq(tracee_watches_hit(tracee), 2);
	ck_assert_uint_eq(tracee_regs(tracee)->rip, at[2]);
	ck_assert_int_eq(resume().kind, STOP_TRAP);
	ck_assert_int_eq(cell(1), 20);
}
END_TEST

START_TEST(watches_are_replaced)
{
	if (!debug_registers_work())
		return;
	go_to_stage(1);
	watch_two();
	/* The second half of what was watched before, which is no place for 8 bytes; nothing touches it alone. */
	struct hardware_watch watches[] = {{.address = cells + 17, .size = 1},
					   {.address = cells + 8, .size = 1}};
	ck_assert_int_eq(tracee_set_watches(tracee, watches, 2), STATUS_OK);
	ck_assert_int_eq(resume().kind, STOP_WATCH);
	ck_assert_uint_eq(tracee_watches_hit(tracee), 2);
	ck_assert_int_eq(resume().kind, STOP_WATCH);
	ck_assert_uint_eq(tracee_watches_hit(tracee), 1);
	ck_assert_int_eq(tracee_set_watches(tracee, NULL, 0), STATUS_OK);
	ck_assert_int_eq(resume().kind, STOP_TRAP);
}
END_TEST

/* Nothing is watched in another program, though it be at the same address; there it can be watched again. */
START_TEST(watched_after_exec)
{
	if (!debug_registers_work())
		return;
	struct stop stop;
	go_to_stage(6);
	watch_two();
	const uint64_t before = cells;
	do
		stop = resume();
	while (stop.kind == STOP_SYSCALL || stop.kind == STOP_EXEC);
	ck_assert_int_eq(stop.kind, STOP_TRAP);
	cells = tracee_regs(tracee)->rdi;
	ck_assert_uint_eq(cells, before);
	watch_two();
	ck_assert_int_eq(resume().kind, STOP_WATCH);
	ck_assert_uint_eq(tracee_watches_hit(tracee), 1);
}
END_TEST

START_TEST(impossible_watches)
{
	if (!debug_registers_work())
		return;
	go_to_stage(1);
	const struct hardware_watch bad[] = {{.address = cells + 4, .size = 8},
					     {.address = cells, .size = 3},
					     {.address = cells, .size = 0},
					     {.address = UINT64_C(0xffffffff81000000), .size = 8}};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		watch_two();
		ck_assert_int_eq(tracee_set_watches(tracee, &bad[i], 1), STATUS_UNSUPPORTED);
	}
	const struct hardware_watch many[HARDWARE_WATCHES + 1] = {
	    {cells, 8, 0, 0}, {cells, 8, 0, 0}, {cells, 8, 0, 0}, {cells, 8, 0, 0}, {cells, 8, 0, 0}};
	ck_assert_int_eq(tracee_set_watches(tracee, many, HARDWARE_WATCHES + 1), STATUS_UNSUPPORTED);
	ck_assert_int_eq(resume().kind, STOP_TRAP);
	ck_assert_int_eq(cell(1), 20);
	ck_assert_int_eq(tracee_set_watches(tracee, many, HARDWARE_WATCHES), STATUS_OK);
}
END_TEST

static bool at_syscall(void)
{
	uint8_t code[2];
	ck_assert_int_eq(target_read(target, tracee_regs(tracee)->rip, code, 2), STATUS_OK);
	return code[0] == 0x0f && code[1] == 0x05;
}

START_TEST(steps_over_answered_calls)
{
	go_to_stage(2);
	while (!at_syscall())
		ck_assert_int_eq(step().kind, STOP_STEP);
	const uint64_t call = tracee_regs(tracee)->rip;
	ck_assert_int_eq(step().kind, STOP_STEP);
	ck_assert_uint_eq(tracee_regs(tracee)->rip, call + 2);
	ck_assert_int_eq((pid_t)tracee_regs(tracee)->rax, target_pid(target));
	ck_assert_int_eq(step().kind, STOP_STEP);
	ck_assert_uint_ne(tracee_regs(tracee)->rip, call + 2);
}
END_TEST

START_TEST(steps_over_skipped_calls)
{
	go_to_stage(3);
	while (!at_syscall())
		ck_assert_int_eq(step().kind, STOP_STEP);
	const uint64_t call = tracee_regs(tracee)->rip;
	ck_assert_int_eq(step().kind, STOP_SYSCALL);
	ck_assert_uint_eq(tracee_regs(tracee)->rip, call + 2);
	if (_i)
		tracee_skip_syscall(tracee, -EINTR);
	ck_assert_int_eq(step().kind, STOP_STEP);
	ck_assert_uint_eq(tracee_regs(tracee)->rip, call + 2);
	ck_assert_int_eq((int64_t)tracee_regs(tracee)->rax, _i ? -EINTR : 0);
	ck_assert_int_eq(step().kind, STOP_STEP);
	ck_assert_uint_ne(tracee_regs(tracee)->rip, call + 2);
}
END_TEST

/* A call for fmc from where the thread stands before one of its own. */
START_TEST(injected_before_a_call)
{
	const uint64_t none[6] = {0};
	int64_t result;
	go_to_stage(3);
	struct stop stop = resume();
	ck_assert_int_eq(stop.kind, STOP_SYSCALL);
	ck_assert_int_eq(stop.number, SYS_sched_yield);
	const struct user_regs_struct before = *tracee_regs(tracee);
	for (int i = 0; i < 10; i++) {
		ck_assert_int_eq(tracee_syscall(tracee, SYS_getppid, none, &result), STATUS_OK);
		ck_assert_int_eq(result, getpid());
		ck_assert_mem_eq(&before, tracee_regs(tracee), sizeof before);
	}
	tracee_skip_syscall(tracee, -EINTR);
	ck_assert_int_eq(tracee_syscall(tracee, SYS_getppid, none, &result), STATUS_OK);
	ck_assert_int_eq(step().kind, STOP_STEP);
	ck_assert_int_eq((int64_t)tracee_regs(tracee)->rax, -EINTR);
	ck_assert_int_eq(resume().kind, STOP_TRAP);
}
END_TEST

/* The same before a signal, which still tells what it told. */
START_TEST(injected_before_a_signal)
{
	const uint64_t none[6] = {0};
	int64_t result;
	siginfo_t info = {0};
	go_to_stage(1);
	tracee_change_regs(tracee)->rip = 8;
	struct stop stop = resume();
	ck_assert_int_eq(stop.kind, STOP_SIGNAL);
	ck_assert_uint_eq(stop.address, 8);
	const struct user_regs_struct before = *tracee_regs(tracee);
	ck_assert_int_eq(tracee_syscall(tracee, SYS_getppid, none, &result), STATUS_OK);
	ck_assert_int_eq(result, getpid());
	ck_assert_mem_eq(&before, tracee_regs(tracee), sizeof before);
	ck_assert_int_eq(ptrace(PTRACE_GETSIGINFO, tracee->tid, NULL, &info), 0);
	ck_assert_int_eq(info.si_signo, SIGSEGV);
	ck_assert_ptr_eq(info.si_addr, (void *)8);
	ck_assert_int_eq(target_resume(tracee, SIGSEGV), STATUS_OK);
	ck_assert_int_eq(target_wait(target, tracee, -1, &stop), STATUS_OK);
	ck_assert_int_eq(stop.kind, STOP_EXITING);
	ck_assert_int_eq(WTERMSIG(stop.value), SIGSEGV);
}
END_TEST

/* Where FXSAVE, and so XSAVE, keeps the register. */
#define XMM15 (160 + 16 * 15)

START_TEST(vector_registers)
{
	static uint8_t area[EXTENDED_ROOM], again[EXTENDED_ROOM];
	size_t size = sizeof area, room = 8;
	uint64_t value;
	go_to_stage(5);
	ck_assert_int_eq(tracee_extended(tracee, area, &size), STATUS_OK);
	ck_assert_uint_gt(size, XMM15 + 16);
	ck_assert_uint_lt(size, EXTENDED_ROOM);
	memcpy(&value, area + XMM15, sizeof value);
	ck_assert_uint_eq(value, UINT64_C(0x1234567890));
	value += 7;
	memcpy(area + XMM15, &value, sizeof value);
	ck_assert_int_eq(tracee_set_extended(tracee, area, size), STATUS_OK);
	ck_assert_int_eq(tracee_extended(tracee, again, &size), STATUS_OK);
	ck_assert_mem_eq(area, again, size);
	ck_assert_int_eq(tracee_extended(tracee, again, &room), STATUS_OK);
	ck_assert_uint_eq(room, 8);
	ck_assert_int_eq(tracee_set_extended(tracee, area, 8), STATUS_UNSUPPORTED);
	ck_assert_int_eq(resume().kind, STOP_TRAP);
	ck_assert_int_eq(cell(3), 0x1234567897);
}
END_TEST

/* What has no effect is told. */
START_TEST(watched_without_debug_registers)
{
	go_to_stage(1);
	const struct hardware_watch watch = {.address = cells, .size = 8, .write_only = true};
	ck_assert_int_eq(tracee_set_watches(tracee, &watch, 1),
			 debug_registers_work() ? STATUS_OK : STATUS_UNSUPPORTED);
}
END_TEST

SUITE("watch", 0, start, end, TEST(watched_while_free), TEST(watched_while_stepping),
      TEST(watched_instructions), TEST(watches_are_replaced), TEST(watched_after_exec),
      TEST(impossible_watches), TEST(watched_without_debug_registers), TEST(steps_over_answered_calls),
      TEST_LOOP(steps_over_skipped_calls, 2), TEST(injected_before_a_call), TEST(injected_before_a_signal),
      TEST(vector_registers))
