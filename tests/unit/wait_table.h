#ifndef FMC_TESTS_WAIT_TABLE_H
#define FMC_TESTS_WAIT_TABLE_H

/* What is to be found out about the threads of tests/targets/waits.c. */
#include "tests/unit/wait_scene.h"

struct expected {
	const char *thread;
	enum wait_kind kind;
	const char *object;
	const char *holder;
	bool timed, certain;
	uint32_t count;
	const char *detail, *call;
};

#define MUTEX "pthread_mutex_lock"
static const struct expected expected[] = {
    {"holder", WAIT_SIGNAL, NULL, NULL, false, false, 0, NULL, "pause"},
    {"normal", WAIT_MUTEX, "normal", "holder", false, true, 1, NULL, MUTEX},
    {"recursive", WAIT_MUTEX, "recursive", "holder", false, true, 3, "recursive", MUTEX},
    {"errorcheck", WAIT_MUTEX, "errorcheck", "holder", false, true, 1, "error-checking", MUTEX},
    {"robust", WAIT_MUTEX, "robust", "holder", false, true, 1, "robust", MUTEX},
    {"inherit", WAIT_MUTEX, "inherit", "holder", false, true, 1, "priority-inheriting", MUTEX},
    {"adaptive", WAIT_MUTEX, "adaptive", "holder", false, true, 1, "adaptive", MUTEX},
    {"ceiling", WAIT_MUTEX, "ceiling", "holder", false, true, 1, "priority-protecting",
     "pthread_mutex_setprioceiling"},
    {"shared", WAIT_MUTEX, NULL, "holder", false, true, 1, "process-shared", MUTEX},
    {"dead", WAIT_MUTEX, "dead", NULL, false, true, 1, NULL, MUTEX},
    {"timed", WAIT_MUTEX, "timed", "holder", true, false, 1, NULL, "pthread_mutex_timedlock"},
    {"cond", WAIT_COND, "pool.ready", NULL, false, true, 0, "2 threads wait there", "pthread_cond_wait"},
    {"cond_timed", WAIT_COND, "pool.ready", NULL, true, false, 0, "2 threads wait there",
     "pthread_cond_timedwait"},
    {"relock", WAIT_MUTEX, "again.lock", "main", false, true, 1, NULL, "pthread_cond_wait"},
    {"semaphore", WAIT_SEMAPHORE, "items", NULL, false, true, 0, "value 0", "sem_wait"},
    {"sem_timed", WAIT_SEMAPHORE, "items", NULL, true, false, 0, "value 0", "sem_timedwait"},
    {"read_lock", WAIT_READ, "written", "holder", false, true, 0, NULL, "pthread_rwlock_rdlock"},
    {"write_lock", WAIT_WRITE, "read_by_two", NULL, false, true, 2, "2 readers have it",
     "pthread_rwlock_wrlock"},
    {"second_write", WAIT_WRITE, "read_by_two", NULL, false, true, 2, "2 readers have it",
     "pthread_rwlock_wrlock"},
    {"after_write", WAIT_WRITE, "written", "holder", false, true, 0, NULL, "pthread_rwlock_wrlock"},
    {"polite_write", WAIT_WRITE, "polite", NULL, false, true, 1, "1 reader has it", "pthread_rwlock_wrlock"},
    {"polite_read", WAIT_READ, "polite", NULL, false, true, 1,
     "a writer comes first, which waits for 1 reader", "pthread_rwlock_rdlock"},
    {"barrier", WAIT_BARRIER, "meeting", NULL, false, true, 1, "2 of 3 have come", "pthread_barrier_wait"},
    {"barrier2", WAIT_BARRIER, "meeting", NULL, false, true, 1, "2 of 3 have come", "pthread_barrier_wait"},
    {"join", WAIT_JOIN, NULL, "holder", false, true, 0, NULL, "pthread_join"},
    {"once", WAIT_ONCE, "once", "initialises", false, true, 0, "initialisation is under way", "pthread_once"},
    {"futex", WAIT_FUTEX, "word", NULL, false, true, 0, "value 7", "futex"},
    {"stream", WAIT_MUTEX, NULL, "holder", false, true, 1, "the lock of a FILE", "flockfile"},
    {"sleep", WAIT_SLEEP, NULL, NULL, true, false, 0, NULL, NULL},
    {"poll", WAIT_POLL, NULL, NULL, false, false, 0, NULL, "poll"},
    {"epoll", WAIT_POLL, NULL, NULL, false, false, 0, NULL, NULL},
    {"nested", WAIT_POLL, NULL, NULL, true, false, 0, NULL, NULL},
    {"child", WAIT_CHILD, NULL, NULL, false, false, 0, NULL, "wait4"},
    {"sigwait", WAIT_SIGNAL, NULL, NULL, false, false, 0, NULL, "rt_sigtimedwait"},
};

/* What musl's objects don't tell: who has locked a normal mutex, or a read-write lock to write. */
static const struct expected expected_musl[] = {
    {"normal", WAIT_MUTEX, "normal", NULL, false, true, 1, "normal mutexes of musl keep no owner", MUTEX},
    {"recursive", WAIT_MUTEX, "recursive", "holder", false, true, 3, NULL, MUTEX},
    {"errorcheck", WAIT_MUTEX, "errorcheck", "holder", false, true, 1, NULL, MUTEX},
    {"robust", WAIT_MUTEX, "robust", "holder", false, true, 1, NULL, MUTEX},
    {"inherit", WAIT_MUTEX, "inherit", "holder", false, true, 1, NULL, MUTEX},
    {"timed", WAIT_MUTEX, "timed", NULL, true, false, 1, NULL, "pthread_mutex_timedlock"},
    {"cond", WAIT_COND, "pool.ready", NULL, false, true, 0, NULL, "pthread_cond_wait"},
    {"cond_timed", WAIT_COND, "pool.ready", NULL, true, false, 0, NULL, "pthread_cond_timedwait"},
    {"semaphore", WAIT_SEMAPHORE, "items", NULL, false, true, 0, "value 0", "sem_wait"},
    {"read_lock", WAIT_READ, "written", NULL, false, true, 0, "a writer has it", "pthread_rwlock_rdlock"},
    {"write_lock", WAIT_WRITE, "read_by_two", NULL, false, true, 2, "2 readers have it",
     "pthread_rwlock_wrlock"},
    {"barrier", WAIT_BARRIER, "meeting", NULL, false, true, 1, "2 of 3 have come", "pthread_barrier_wait"},
    {"barrier2", WAIT_BARRIER, "meeting", NULL, false, true, 1, "2 of 3 have come", "pthread_barrier_wait"},
    {"join", WAIT_JOIN, NULL, "holder", false, true, 0, NULL, "pthread_join"},
    {"futex", WAIT_FUTEX, "word", NULL, false, true, 0, "value 7", "futex"},
    {"stream", WAIT_MUTEX, NULL, "holder", false, true, 0, "the lock of a FILE", "flockfile"},
    {"sleep", WAIT_SLEEP, NULL, NULL, true, false, 0, NULL, NULL},
};

/* Nothing in shared memory is certain where it can't be seen who has it. */
static inline bool sees_others(const struct scene *scene, const struct wait *wait)
{
	const bool shared = wait->detail && strcmp(wait->detail, "process-shared") == 0;
	return !shared || (geteuid() == 0 && !snapshot_is_core(scene->snapshot) && !wait->guessed);
}

static inline void check_wait(const struct scene *scene, const struct expected *row)
{
	const struct wait *wait = wait_of(scene, row->thread);
	ck_assert_msg(wait->kind == row->kind, "%s waits for %s", row->thread, wait_kind_name(wait->kind));
	ck_assert_msg(wait->timed == row->timed, "%s", row->thread);
	ck_assert_msg(wait->certain == (row->certain && sees_others(scene, wait)), "%s", row->thread);
	ck_assert_msg(!row->call || (wait->call && strcmp(wait->call, row->call) == 0), "%s in %s",
		      row->thread, wait->call);
	ck_assert_msg(wait->count == row->count || row->kind == WAIT_MUTEX, "%s: %u", row->thread,
		      wait->count);
	ck_assert_msg(!row->count || wait->count == row->count, "%s: %u", row->thread, wait->count);
	if (row->detail)
		ck_assert_msg(wait->detail && strcmp(wait->detail, row->detail) == 0, "%s: %s", row->thread,
			      wait->detail);
	ck_assert_msg(wait->holders_length == (row->holder != NULL), "%s", row->thread);
	if (row->holder)
		ck_assert_msg(wait->holders[0] == find(scene, row->holder), "%s", row->thread);
}

static inline void check_waits(const struct scene *scene, const struct expected *rows, size_t length)
{
	for (size_t i = 0; i < length; i++)
		check_wait(scene, &rows[i]);
}

static inline void check_names(const struct scene *scene, const struct expected *rows, size_t length)
{
	ck_assert(scene->inspection.symbols);
	for (size_t i = 0; i < length; i++) {
		const struct wait *wait = wait_of(scene, rows[i].thread);
		if (rows[i].object)
			ck_assert_msg(wait->name && strcmp(wait->name, rows[i].object) == 0, "%s: %s",
				      rows[i].thread, wait->name);
	}
}

#endif
