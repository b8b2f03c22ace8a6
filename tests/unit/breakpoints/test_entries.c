#include "tests/unit/scene.h"
#include "tests/unit/suite.h"
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <threads.h>

/*
 * Entry points on real programs: each target writes to its standard output which operations it makes, one a
 * line; here they are noted as they come and compared.
 */

/* Finish a call from outside, as if the function had returned. */
static void complete(struct tracee *tracee, const struct call *call, int64_t result)
{
	struct user_regs_struct *regs = tracee_change_regs(tracee);
	regs->rip = call->return_address;
	regs->rsp += 8;
	regs->rax = (uint64_t)call_result(call, result);
}

/* How the object is kept, for unlocking and posting: that is when kinds.c states it. */
static void note_state(struct scene *scene, const struct stop *stop, const struct call *call, char *got,
		       size_t room)
{
	struct object_state state;
	pid_t owner;
	size_t length = strlen(got);
	enum object_class class = op_class(call->op.kind);
	if (call->op.kind != OP_MUTEX_UNLOCK && call->op.kind != OP_SEM_POST)
		return;
	ck_assert_int_eq(object_peek(scene->target, scene->entries, class, call->object, &state, &owner),
			 STATUS_OK);
	ck_assert_int_eq(state.class, class);
	ck_assert_uint_eq(state.owner, NO_THREAD);
	ck_assert_int_eq(owner, class == CLASS_MUTEX && state.count > 0 ? stop->tracee->tid : 0);
	if (class == CLASS_MUTEX)
		snprintf(got + length, room - length, "%u %u\n", state.type, state.count);
	else
		snprintf(got + length, room - length, "%u\n", state.count);
}

static void note(char *got, size_t room, const struct call *call)
{
	size_t length = strlen(got);
	enum op_kind kind = call->op.kind;
	bool shown = kind == OP_MUTEX_INIT || kind == OP_MUTEX_SETPRIOCEILING || kind == OP_SEM_INIT ||
		     kind == OP_SEM_OPEN || kind == OP_SLEEP || kind == OP_POLL || kind == OP_PROCESS_EXIT;
	if (shown)
		snprintf(got + length, room - length, "%s %ld\n", op_name(kind), (long)call->op.arg);
	else
		snprintf(got + length, room - length, "%s\n", op_name(kind));
}

static void at_operation(struct scene *scene, const struct stop *stop, char *got, size_t room)
{
	struct call call;
	ck_assert_int_eq(entries_decode(scene->entries, stop, &call), STATUS_OK);
	bool is_futex = call.op.kind >= OP_FUTEX_WAIT && call.op.kind <= OP_FUTEX_WAKE_OP;
	if (scene->states && !call.libc_own)
		note_state(scene, stop, &call, got, room);
	else if (!call.libc_own && call.op.kind != OP_NONE && !is_futex)
		note(got, room, &call);
	if (stop->kind != STOP_TRAP)
		return;
	/* The making of a thread takes locks of libc's: no stop is worth that. */
	ck_assert(!call.libc_own || call.op.kind != OP_MUTEX_LOCK);
	if (call.op.kind == OP_THREAD_CREATE && !call.libc_own)
		ck_assert_int_eq(entries_plant_all(scene->entries, scene->target), STATUS_OK);
	if (call.op.kind == OP_COND_WAIT && !call.libc_own)
		complete(stop->tracee, &call, 0);
	else if (call.op.kind == OP_COND_TIMEDWAIT && !call.libc_own)
		complete(stop->tracee, &call, ETIMEDOUT);
	else
		ck_assert_int_eq(entries_pass(scene->entries, stop->tracee, stop->address), STATUS_OK);
}

/* Run one thread at a time, a new one first; returns the wait status of the process. */
static int run(struct scene *scene, char *got, size_t room)
{
	struct tracee *running = target_tracee(scene->target, 0);
	int result = -1;
	ck_assert_int_eq(target_resume(running, 0), STATUS_OK);
	for (;;) {
		struct stop stop;
		int signal = 0;
		enum status status = target_wait(scene->target, running, 10000, &stop);
		if (status == STATUS_NO_TRACEES)
			return result;
		ck_assert_msg(status == STATUS_OK, "%s after\n%s", status_text(status), got);
		if (stop.kind == STOP_CLONE) {
			running = stop.child;
		} else if (stop.kind == STOP_EXITED && stop.tracee->index != 0) {
			running = target_tracee(scene->target, 0);
		} else if (stop.kind == STOP_EXITED) {
			return stop.value;
		} else if (stop.kind == STOP_TRAP || stop.kind == STOP_SYSCALL) {
			at_operation(scene, &stop, got, room);
		} else if (stop.kind == STOP_SIGNAL) {
			signal = (int)stop.number;
		}
		(void)target_resume(running, signal); /* a death is told by the next wait */
	}
}

static void check_execution(struct scene *scene)
{
	char expected[8192] = "", got[8192] = "";
	ck_assert_int_eq(origin_start(scene->origin, &scene->target), STATUS_OK);
	int result = run(scene, got, sizeof(got));
	ck_assert_int_gt(read(scene->output[0], expected, sizeof(expected) - 1), 0);
	ck_assert_str_eq(got, expected);
	ck_assert_msg(WIFEXITED(result) && WEXITSTATUS(result) == 0, "wait status %#x", (unsigned)result);
	target_kill(scene->target);
	scene->target = NULL;
}

static const struct {
	const char *name;
	enum origin_kind kind;
} cases[] = {
    {"calls", ORIGIN_EXEC},
    {"calls", ORIGIN_COPY},
    {"calls.static", ORIGIN_EXEC},
    {"calls_c11", ORIGIN_EXEC},
    {"calls_c11.static", ORIGIN_EXEC},
    {"calls_c11.static", ORIGIN_COPY},
    {"calls_old", ORIGIN_EXEC},
};

START_TEST(operations_are_those_that_the_program_states)
{
	struct scene scene;
	scene_open(&scene, cases[_i].name, cases[_i].kind);
	for (int execution = 0; execution < 3; execution++)
		check_execution(&scene);
	scene_close(&scene);
}
END_TEST

START_TEST(objects_are_kept_as_the_program_states)
{
	static const char *const programs[] = {"kinds", "kinds.static"};
	struct scene scene;
	scene_open(&scene, programs[_i], ORIGIN_EXEC);
	scene.states = true;
	check_execution(&scene);
	scene_close(&scene);
}
END_TEST

START_TEST(program_without_its_traps_runs_by_itself)
{
	struct scene scene;
	struct stop stop;
	scene_open(&scene, "names", ORIGIN_EXEC);
	ck_assert_int_eq(origin_start(scene.origin, &scene.target), STATUS_OK);
	ck_assert_int_eq(entries_plant_all(scene.entries, scene.target), STATUS_OK);
	uint64_t copy = entries_function(scene.entries, "pthread_mutex_lock");
	ck_assert_uint_ne(copy, 0);
	ck_assert(!entries_is_trap(scene.entries, copy));
	ck_assert_uint_eq(entries_function(scene.entries, "main"), 0);
	ck_assert_int_eq(entries_unplant(scene.entries, scene.target), STATUS_OK);
	struct tracee *main_thread = target_tracee(scene.target, 0);
	ck_assert_int_eq(target_resume(main_thread, 0), STATUS_OK);
	do {
		ck_assert_int_eq(target_wait(scene.target, NULL, 10000, &stop), STATUS_OK);
		ck_assert_int_ne(stop.kind, STOP_TRAP);
		ck_assert_int_ne(stop.kind, STOP_SIGNAL);
		if (stop.kind == STOP_CLONE)
			(void)target_resume(stop.child, 0); /* a death is told by the next wait */
		if (stop.kind != STOP_EXITED)
			(void)target_resume(stop.tracee, 0); /* a death is told by the next wait */
	} while (stop.kind != STOP_EXITED || stop.tracee != main_thread);
	ck_assert_int_eq(stop.value, 0);
	scene_close(&scene);
}
END_TEST

START_TEST(first_traps_are_noticed_by_creation_only)
{
	struct scene scene;
	struct stop stop;
	struct call call;
	scene_open(&scene, "kinds", ORIGIN_EXEC);
	ck_assert_int_eq(origin_start(scene.origin, &scene.target), STATUS_OK);
	struct tracee *main_thread = target_tracee(scene.target, 0);
	do {
		ck_assert_int_eq(target_resume(main_thread, 0), STATUS_OK);
		ck_assert_int_eq(target_wait(scene.target, main_thread, 10000, &stop), STATUS_OK);
	} while (stop.kind != STOP_TRAP);
	ck_assert_int_eq(entries_decode(scene.entries, &stop, &call), STATUS_OK);
	ck_assert_int_eq(call.op.kind, OP_THREAD_CREATE);
	ck_assert_uint_ne(call.start_routine, 0);
	ck_assert_uint_eq(call.op.place, call.return_address);
	ck_assert(entries_is_trap(scene.entries, stop.address));
	stop.address++;
	ck_assert_int_eq(entries_decode(scene.entries, &stop, &call), STATUS_NOT_FOUND);
	ck_assert_int_eq(entries_pass(scene.entries, main_thread, stop.address), STATUS_NOT_FOUND);
	scene_close(&scene);
}
END_TEST

START_TEST(results_of_c11_names_are_theirs)
{
	const struct call posix = {.c11 = false}, c11 = {.c11 = true};
	ck_assert_int_eq(call_result(&posix, EBUSY), EBUSY);
	ck_assert_int_eq(call_result(&c11, 0), thrd_success);
	ck_assert_int_eq(call_result(&c11, EBUSY), thrd_busy);
	ck_assert_int_eq(call_result(&c11, ETIMEDOUT), thrd_timedout);
	ck_assert_int_eq(call_result(&c11, ENOMEM), thrd_nomem);
	ck_assert_int_eq(call_result(&c11, EPERM), thrd_error);
}
END_TEST

SUITE("entries", 60, NULL, NULL,
      TEST_LOOP(operations_are_those_that_the_program_states, sizeof(cases) / sizeof(cases[0])),
      TEST_LOOP(objects_are_kept_as_the_program_states, 2), TEST(program_without_its_traps_runs_by_itself),
      TEST(first_traps_are_noticed_by_creation_only), TEST(results_of_c11_names_are_theirs))
