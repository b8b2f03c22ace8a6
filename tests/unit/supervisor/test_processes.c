#include "supervisor/model/check.h"
#include "supervisor/state/state.h"
#include "tests/unit/suite.h"

#include <check.h>
#include <fmc/supervisor/dependence.h>
#include <stdlib.h>

/* Processes in the model: T1 is alone in one, which has made that of T2 and T3, and that of T4. */
enum { PARENT, CHILD, CHILDS_OTHER, SECOND, THREADS };
enum { FILES = 2 };

static struct model *m;

static void set_up(void)
{
	struct effect effect;
	m = model_init(aligned_alloc(16, (model_bytes(THREADS, FILES) + 15) & ~(size_t)15), THREADS, FILES);
	for (uint32_t t = 0; t < THREADS; t++) {
		ck_assert_uint_eq(model_add_thread(m), t);
		model_perform(m, t, CHOICE_DEFAULT, NULL, &effect);
	}
	model_thread_of(m, CHILD, CHILD, PARENT);
	model_thread_of(m, CHILDS_OTHER, CHILD, PARENT);
	model_thread_of(m, SECOND, SECOND, PARENT);
}

static void tear_down(void)
{
	free(m);
}

static void pend(uint32_t t, enum op_kind kind, int64_t arg, int64_t arg2)
{
	const struct op op = {
	    .kind = (uint16_t)kind, .object = NO_OBJECT, .object2 = NO_OBJECT, .arg = arg, .arg2 = arg2};
	model_set_pending(m, t, &op);
}

static struct effect perform(uint32_t t)
{
	struct effect effect;
	model_perform(m, t, CHOICE_DEFAULT, NULL, &effect);
	return effect;
}

/* As the machine does: the thread that ends its process exits itself. */
static void end_process(uint32_t t)
{
	pend(t, OP_PROCESS_EXIT, 0, 0);
	perform(t);
	model_thread_exit(m, t);
}

static bool depend(uint32_t t, uint32_t u)
{
	struct footprint one = {0}, other = {0};
	dependence_begin(&one, m, t, CHOICE_DEFAULT);
	dependence_begin(&other, m, u, CHOICE_DEFAULT);
	const bool conflict = dependence_conflict((struct accesses){one.at, one.length},
						  (struct accesses){other.at, other.length}, false);
	footprint_release(&one);
	footprint_release(&other);
	return conflict;
}

START_TEST(waits_for_all_threads)
{
	enum object_class class;
	uint32_t object;
	pend(PARENT, OP_PROCESS_WAIT, CHILD, 0);
	ck_assert(!model_enabled(m, PARENT));
	model_thread_exit(m, CHILD);
	ck_assert(!model_process_over(m, CHILD) && !model_enabled(m, PARENT));
	ck_assert_uint_eq(model_waits_for(m, PARENT, &class, &object), CHILDS_OTHER);
	model_thread_exit(m, CHILDS_OTHER);
	ck_assert(model_process_over(m, CHILD) && model_enabled(m, PARENT));
	ck_assert(!perform(PARENT).yield);
	/* It has been collected: the kernel answers that there is no such child. */
	pend(PARENT, OP_PROCESS_WAIT, CHILD, 0);
	ck_assert(model_enabled(m, PARENT));
}
END_TEST

START_TEST(end_takes_all_threads)
{
	end_process(CHILDS_OTHER);
	ck_assert(model_exited(m, CHILD) && model_process_over(m, CHILD));
	ck_assert(!model_exited(m, SECOND) && model_has_others(m, CHILD));
	model_thread_exit(m, PARENT);
	ck_assert(!model_has_others(m, SECOND));
	ck_assert_ptr_null(model_check(m));
}
END_TEST

START_TEST(any_child)
{
	pend(PARENT, OP_PROCESS_WAIT, ANY_PROCESS, PROCESS_NO_WAIT);
	ck_assert(perform(PARENT).yield);
	pend(PARENT, OP_PROCESS_WAIT, ANY_PROCESS, 0);
	ck_assert(!model_enabled(m, PARENT));
	end_process(SECOND);
	end_process(CHILD);
	/* Each is found once, but where it is left to be waited for again. */
	for (int i = 0; i < 4; i++) {
		pend(PARENT, OP_PROCESS_WAIT, ANY_PROCESS, i < 2 ? PROCESS_KEEP : PROCESS_NO_WAIT);
		ck_assert(model_enabled(m, PARENT));
		ck_assert(!perform(PARENT).yield);
	}
	ck_assert_uint_eq(model_thread(m, CHILD)->flags & PROCESS_COLLECTED, PROCESS_COLLECTED);
	ck_assert_uint_eq(model_thread(m, SECOND)->flags & PROCESS_COLLECTED, PROCESS_COLLECTED);
}
END_TEST

START_TEST(dependence)
{
	pend(PARENT, OP_PROCESS_WAIT, SECOND, 0);
	pend(CHILD, OP_PROCESS_EXIT, 0, 0);
	pend(CHILDS_OTHER, OP_YIELD, 0, 0);
	pend(SECOND, OP_PROCESS_EXIT, 0, 0);
	ck_assert(depend(PARENT, SECOND));
	ck_assert(!depend(PARENT, CHILD));
	ck_assert(depend(CHILD, CHILDS_OTHER));
	ck_assert(!depend(CHILD, SECOND) && !depend(SECOND, CHILDS_OTHER));
	/* Its parent handles the signal. */
	pend(SECOND, OP_PROCESS_EXIT, 0, 1);
	ck_assert(depend(SECOND, CHILDS_OTHER));
	/* Of those that have ended the kernel finds the first: what comes of later ones doesn't matter. */
	end_process(CHILD);
	pend(PARENT, OP_PROCESS_WAIT, ANY_PROCESS, 0);
	pend(SECOND, OP_YIELD, 0, 0);
	ck_assert(!depend(PARENT, SECOND));
}
END_TEST

/* The parent takes it before it does anything else, once. */
START_TEST(end_is_a_signal)
{
	const uint32_t ends[] = {SECOND, CHILD};
	pend(PARENT, OP_SYSCALL, 34, 0);
	for (int i = 0; i < 2; i++) {
		const struct op ending = {.kind = OP_PROCESS_EXIT,
					  .object = NO_OBJECT,
					  .object2 = NO_OBJECT,
					  .arg2 = 1,
					  .arg3 = 1 + PARENT};
		model_set_pending(m, ends[i], &ending);
		perform(ends[i]);
		model_thread_exit(m, ends[i]);
		ck_assert_uint_eq(model_pending(m, PARENT)->kind, OP_SIGNAL_TAKE);
		ck_assert_int_eq(model_pending(m, PARENT)->arg, MODEL_SIGCHLD);
		ck_assert_uint_eq(model_under(m, PARENT)->kind, OP_SYSCALL);
		ck_assert(model_enabled(m, PARENT));
	}
	ck_assert_ptr_null(model_check(m));
}
END_TEST

static void pend_lock(uint32_t t, uint32_t file, int64_t how)
{
	const struct op op = {.kind = OP_FILE_LOCK_SET, .object = file, .object2 = NO_OBJECT, .arg = how};
	model_set_pending(m, t, &op);
}

/* Who waits for whose locks of one file matters to who wants to wait for another one, but not to locks that belong to no process. */
START_TEST(locks_of_processes)
{
	for (int i = 0; i < FILES; i++)
		model_add_object(m, &(struct object_state){CLASS_FILE_LOCK, .owner = NO_THREAD});
	for (int how = 0; how <= LOCK_OF_PROCESS; how++) {
		pend_lock(PARENT, 0, how);
		pend_lock(SECOND, 1, how);
		ck_assert_int_eq(depend(PARENT, SECOND), how == LOCK_OF_PROCESS);
	}
	pend_lock(PARENT, 0, 1);
	ck_assert(!depend(PARENT, SECOND));
}
END_TEST

SUITE("processes", 0, set_up, tear_down, TEST(waits_for_all_threads), TEST(end_takes_all_threads),
      TEST(any_child), TEST(dependence), TEST(end_is_a_signal), TEST(locks_of_processes))
