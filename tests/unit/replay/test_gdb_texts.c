/* What is said in GDB of threads, objects and the schedule, from real schedules. */
#include "replay/gdb/texts.h"
#include "tests/unit/suite.h"
#include "tests/unit/walk.h"

#include <fmc/supervisor/model.h>
#include <stdarg.h>
#include <unistd.h>

static struct walk walk;
static struct text text;

static void open_philosophers(void)
{
	walk_open(&walk, "philosophers", "3", FINDING_DEADLOCK);
}

static void tear_down(void)
{
	text_release(&text);
	walk_close(&walk);
}

static void go(size_t part)
{
	timeline_goto(walk.timeline, part, &walk.move);
	ck_assert_int_ne(walk.move.end, MOVE_FAILED);
}

static size_t end(void)
{
	return timeline_length(walk.timeline) + 1;
}

static const char *threads(void)
{
	text_clear(&text);
	gdb_text_threads(walk.timeline, &text);
	return text_string(&text);
}

static const char *objects(bool all)
{
	text_clear(&text);
	gdb_text_objects(walk.timeline, all, &text);
	return text_string(&text);
}

static const char *schedule(size_t count)
{
	text_clear(&text);
	gdb_text_schedule(walk.timeline, count, &text);
	return text_string(&text);
}

static const char *why(uint32_t thread)
{
	text_clear(&text);
	gdb_text_why(walk.timeline, thread, &text);
	return text_string(&text);
}

#define HAS(what, ...)                                                                                       \
	do {                                                                                                 \
		char wanted[256];                                                                            \
		const char *found = what;                                                                    \
		snprintf(wanted, sizeof wanted, __VA_ARGS__);                                                \
		ck_assert_msg(strstr(found, wanted) != NULL, "no '%s' in:\n%s", wanted, found);              \
	} while (0)

#define HAS_NOT(what, wanted) ck_assert_ptr_null(strstr(what, wanted))

static size_t lines(const char *string)
{
	size_t n = 0;
	for (; *string; string++)
		n += *string == '\n';
	return n;
}

/* The first transition of this kind; its part. */
static size_t find(enum op_kind kind)
{
	for (size_t i = 0; i < walk.schedule.length; i++)
		if (walk.schedule.lines[i].kind == kind)
			return i + 1;
	ck_abort_msg("no %s in the schedule", op_name(kind));
}

START_TEST(test_threads)
{
	open_philosophers();
	go(0);
	ck_assert_uint_eq(lines(threads()), 1);
	HAS(threads(), "=> T1 main  at the program's beginning");
	size_t lock = find(OP_MUTEX_LOCK);
	uint32_t locker = walk.schedule.lines[lock - 1].step.thread;
	go(lock);
	HAS(threads(), "=> T%u eat", locker + 1);
	HAS(threads(), "before mutex_lock forks[");
	timeline_step(walk.timeline, locker, 0, 0, &walk.move);
	HAS(threads(), "in the middle of transition %zu, mutex_lock forks[", lock);
	go(end());
	ck_assert_uint_eq(lines(threads()), 4);
	HAS_NOT(threads(), "=>");
	for (unsigned t = 2; t <= 4; t++)
		HAS(threads(), "T%u eat   waits for forks[", t);
	HAS(threads(), ", in mutex_lock  philosophers.c:35\n");
}
END_TEST

START_TEST(test_objects)
{
	open_philosophers();
	go(0);
	HAS(objects(false), "no object has been used yet");
	size_t lock = find(OP_MUTEX_LOCK);
	go(lock);
	HAS(objects(false), "as they were at first");
	go(lock + 1);
	uint32_t locker = walk.schedule.lines[lock - 1].step.thread;
	HAS(objects(false), "%s  mutex  held by T%u since transition %zu (philosophers.c:34)\n",
	    walk.schedule.lines[lock - 1].object, locker + 1, lock);
	go(end());
	ck_assert_uint_eq(lines(objects(false)), 3);
	HAS(objects(false), "; T2 waits\n");
	HAS(objects(false), "; T3 waits\n");
	HAS(objects(false), "; T4 waits\n");
}
END_TEST

START_TEST(test_schedule)
{
	open_philosophers();
	size_t length = timeline_length(walk.timeline);
	go(0);
	ck_assert_uint_eq(lines(schedule(3)), 3);
	HAS_NOT(schedule(3), "=>");
	HAS(schedule(3), " 1  T1   thread_create T2  philosophers.c:54  main\n");
	go(3);
	ck_assert_uint_eq(lines(schedule(3)), 3);
	HAS(schedule(3), "=> %*d  T", length >= 10 ? 2 : 1, 3);
	HAS_NOT(schedule(3), "deadlock");
	go(length + 1);
	ck_assert_uint_eq(lines(schedule(SIZE_MAX)), length + 1);
	HAS(schedule(SIZE_MAX), "=> deadlock: T");
}
END_TEST

START_TEST(test_why_cycle)
{
	open_philosophers();
	go(end());
	HAS(why(1), "T2 waits for forks[");
	HAS(why(1), ", in mutex_lock (philosophers.c:35)\n");
	HAS(why(1), "That is a cycle: T2 -> T");
	HAS(why(1), "Last transitions on forks[");
	/* Who waits for the cycle isn't in it. */
	HAS(why(0), "T1 waits for T2 to exit, in thread_join (philosophers.c:56)\nT2 waits for");
	HAS(why(0), "That is a cycle: T2 -> T");
	HAS(why(8), "T9 doesn't exist here; there are T1 to T4\n");
	go(1);
	HAS(why(0),
	    "T1 isn't blocked: it can go on with thread_create, in transition 1 (philosophers.c:54)\n");
	HAS(why(1), "T2 doesn't exist here; there is only T1\n");
	go(0);
	HAS(why(0), "T1 isn't blocked: at the program's beginning\n");
}
END_TEST

START_TEST(test_why_lost_wakeup)
{
	walk_open(&walk, "lost_wakeup", NULL, FINDING_DEADLOCK);
	go(end());
	uint32_t waiter = 0;
	while (waiter < timeline_threads(walk.timeline) && !strstr(why(waiter), "waits for a signal"))
		waiter++;
	HAS(why(waiter), "waits for a signal of ");
	HAS(why(waiter), "it was last signalled in transition %zu by T", find(OP_COND_SIGNAL));
	HAS(why(waiter), ", before T%u waited in transition %zu\n", waiter + 1, find(OP_COND_WAIT));
	HAS(why(waiter), "nobody is left who could signal it: no thread can go on\n");
	/* Before the signal somebody can still do it. */
	go(find(OP_COND_SIGNAL));
	HAS(why(walk.schedule.lines[find(OP_COND_SIGNAL) - 1].step.thread),
	    "isn't blocked: it can go on with cond_signal");
}
END_TEST

START_TEST(test_exited)
{
	walk_open(&walk, "lost_update", NULL, FINDING_EXIT);
	go(end());
	HAS(threads(), "T2 add   has exited\n");
	HAS(why(1), "T2 has exited, in transition ");
	HAS(threads(), "T1 main  ended the process\n");
}
END_TEST

/* The last transition from which another thread may go on. */
static bool branch_somewhere(void)
{
	for (size_t part = timeline_length(walk.timeline); part > 0; part--) {
		go(part);
		for (uint32_t t = 0; t < timeline_threads(walk.timeline); t++) {
			text_clear(&text);
			if (gdb_text_branch(walk.timeline, t, &text))
				return true;
			ck_assert_uint_gt(text.length, 0);
		}
	}
	return false;
}

START_TEST(test_branch_and_save)
{
	char name[] = "/tmp/fmc-branch.XXXXXX", reason[256];
	struct schedule saved;
	open_philosophers();
	go(1);
	ck_assert(!gdb_text_branch(walk.timeline, 0, &text));
	HAS(text_string(&text), "T1 is next anyway, in transition 1\n");
	text_clear(&text);
	ck_assert(!gdb_text_branch(walk.timeline, 3, &text));
	HAS(text_string(&text), "T4 doesn't exist here");
	ck_assert(branch_somewhere());
	size_t part = timeline_position(walk.timeline).part;
	const struct schedule *now = timeline_schedule(walk.timeline);
	HAS(text_string(&text), "T%u goes on instead of T%u from transition %zu on; the execution then ",
	    now->lines[part - 1].step.thread + 1, walk.schedule.lines[part - 1].step.thread + 1, part);
	HAS(text_string(&text), now->verdict == FINDING_NONE ? "ends well: exit 0, %zu tr" : ", %zu tr",
	    now->length);
	int fd = mkstemp(name);
	ck_assert_int_ge(fd, 0);
	close(fd);
	text_clear(&text);
	gdb_text_save(walk.timeline, name, true, &text);
	HAS(text_string(&text), "%zu transitions in %s.2\n", now->length, name);
	char *copy = strdup(strstr(text_string(&text), "/tmp"));
	copy[strcspn(copy, "\n")] = '\0';
	ck_assert_msg(schedule_load(&saved, copy, reason) == STATUS_OK, "%s", reason);
	ck_assert_str_eq(saved.header.strategy, "branch");
	ck_assert_str_eq(saved.header.program, walk.schedule.header.program);
	ck_assert_uint_eq(saved.length, now->length);
	schedule_release(&saved);
	unlink(copy);
	unlink(name);
	free(copy);
	text_clear(&text);
	gdb_text_save(walk.timeline, "/proc/x.sched", true, &text);
	HAS(text_string(&text), "/proc/x.sched: can't write the schedule: ");
}
END_TEST

SUITE("gdb_texts", 120, NULL, tear_down, TEST(test_threads), TEST(test_objects), TEST(test_schedule),
      TEST(test_why_cycle), TEST(test_why_lost_wakeup), TEST(test_exited), TEST(test_branch_and_save))
