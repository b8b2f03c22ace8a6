#include "breakpoints/op/entry_table.h"
#include <stdlib.h>
#include <string.h>

#define PLAIN(name, kind)                                                                                    \
	{                                                                                                    \
		name, kind, kind, SHAPE_OBJECT, -1, false                                                    \
	}
#define PLAIN_C11(name, kind)                                                                                \
	{                                                                                                    \
		name, kind, kind, SHAPE_OBJECT, -1, true                                                     \
	}
#define SHAPED(name, kind, shape, c11)                                                                       \
	{                                                                                                    \
		name, kind, kind, shape, -1, c11                                                             \
	}
#define TIMED(name, kind, untimed, at)                                                                       \
	{                                                                                                    \
		name, kind, untimed, SHAPE_OBJECT, at, false                                                 \
	}
#define TIMED_COND(name, at, c11)                                                                            \
	{                                                                                                    \
		name, OP_COND_TIMEDWAIT, OP_COND_WAIT, SHAPE_COND_WAIT, at, c11                              \
	}

_Static_assert(OP_ALL <= UINT8_MAX, "a kind fits an entry point");

const char *entry_own_name(size_t i)
{
	static const char *const names[] = {"fmc_choose", "fmc_point", ENTRY_ACCESS};
	return i < sizeof names / sizeof *names ? names[i] : NULL;
}

/* In the order of strcmp(), which entry_point_find() relies on. */
static const struct entry_point table[] = {
    PLAIN("__cxa_guard_abort", OP_GUARD_ABORT),
    PLAIN("__cxa_guard_acquire", OP_GUARD_ACQUIRE),
    PLAIN("__cxa_guard_release", OP_GUARD_RELEASE),
    SHAPED("_dl_debug_state", OP_NONE, SHAPE_LOADER, false),
    PLAIN("call_once", OP_ONCE),
    PLAIN_C11("cnd_broadcast", OP_COND_BROADCAST),
    PLAIN_C11("cnd_destroy", OP_COND_DESTROY),
    PLAIN_C11("cnd_init", OP_COND_INIT),
    PLAIN_C11("cnd_signal", OP_COND_SIGNAL),
    TIMED_COND("cnd_timedwait", 2, true),
    SHAPED("cnd_wait", OP_COND_WAIT, SHAPE_COND_WAIT, true),
    SHAPED(ENTRY_ACCESS, OP_MEMORY_READ, SHAPE_ACCESS, false),
    SHAPED("fmc_choose", OP_CHOOSE, SHAPE_NUMBER, false),
    SHAPED("fmc_point", OP_MEMORY_READ, SHAPE_POINT, false),
    PLAIN_C11("mtx_destroy", OP_MUTEX_DESTROY),
    SHAPED("mtx_init", OP_MUTEX_INIT, SHAPE_MTX_INIT, true),
    PLAIN_C11("mtx_lock", OP_MUTEX_LOCK),
    {"mtx_timedlock", OP_MUTEX_TIMEDLOCK, OP_MUTEX_LOCK, SHAPE_OBJECT, 1, true},
    PLAIN_C11("mtx_trylock", OP_MUTEX_TRYLOCK),
    PLAIN_C11("mtx_unlock", OP_MUTEX_UNLOCK),
    PLAIN("pthread_barrier_destroy", OP_BARRIER_DESTROY),
    SHAPED("pthread_barrier_init", OP_BARRIER_INIT, SHAPE_BARRIER_INIT, false),
    PLAIN("pthread_barrier_wait", OP_BARRIER_WAIT),
    PLAIN("pthread_cancel", OP_THREAD_CANCEL),
    TIMED("pthread_clockjoin_np", OP_THREAD_TIMEDJOIN, OP_THREAD_JOIN, 3),
    PLAIN("pthread_cond_broadcast", OP_COND_BROADCAST),
    TIMED_COND("pthread_cond_clockwait", 3, false),
    PLAIN("pthread_cond_destroy", OP_COND_DESTROY),
    PLAIN("pthread_cond_init", OP_COND_INIT),
    PLAIN("pthread_cond_signal", OP_COND_SIGNAL),
    TIMED_COND("pthread_cond_timedwait", 2, false),
    SHAPED("pthread_cond_wait", OP_COND_WAIT, SHAPE_COND_WAIT, false),
    SHAPED("pthread_create", OP_THREAD_CREATE, SHAPE_CREATE, false),
    PLAIN("pthread_detach", OP_THREAD_DETACH),
    PLAIN("pthread_join", OP_THREAD_JOIN),
    TIMED("pthread_mutex_clocklock", OP_MUTEX_TIMEDLOCK, OP_MUTEX_LOCK, 2),
    PLAIN("pthread_mutex_consistent", OP_MUTEX_CONSISTENT),
    PLAIN("pthread_mutex_destroy", OP_MUTEX_DESTROY),
    SHAPED("pthread_mutex_init", OP_MUTEX_INIT, SHAPE_MUTEX_INIT, false),
    PLAIN("pthread_mutex_lock", OP_MUTEX_LOCK),
    SHAPED("pthread_mutex_setprioceiling", OP_MUTEX_SETPRIOCEILING, SHAPE_OBJECT_NUMBER, false),
    TIMED("pthread_mutex_timedlock", OP_MUTEX_TIMEDLOCK, OP_MUTEX_LOCK, 1),
    PLAIN("pthread_mutex_trylock", OP_MUTEX_TRYLOCK),
    PLAIN("pthread_mutex_unlock", OP_MUTEX_UNLOCK),
    PLAIN("pthread_once", OP_ONCE),
    TIMED("pthread_rwlock_clockrdlock", OP_RWLOCK_TIMEDRDLOCK, OP_RWLOCK_RDLOCK, 2),
    TIMED("pthread_rwlock_clockwrlock", OP_RWLOCK_TIMEDWRLOCK, OP_RWLOCK_WRLOCK, 2),
    PLAIN("pthread_rwlock_destroy", OP_RWLOCK_DESTROY),
    SHAPED("pthread_rwlock_init", OP_RWLOCK_INIT, SHAPE_RWLOCK_INIT, false),
    PLAIN("pthread_rwlock_rdlock", OP_RWLOCK_RDLOCK),
    TIMED("pthread_rwlock_timedrdlock", OP_RWLOCK_TIMEDRDLOCK, OP_RWLOCK_RDLOCK, 1),
    TIMED("pthread_rwlock_timedwrlock", OP_RWLOCK_TIMEDWRLOCK, OP_RWLOCK_WRLOCK, 1),
    PLAIN("pthread_rwlock_tryrdlock", OP_RWLOCK_TRYRDLOCK),
    PLAIN("pthread_rwlock_trywrlock", OP_RWLOCK_TRYWRLOCK),
    PLAIN("pthread_rwlock_unlock", OP_RWLOCK_UNLOCK),
    PLAIN("pthread_rwlock_wrlock", OP_RWLOCK_WRLOCK),
    SHAPED("pthread_setcancelstate", OP_THREAD_CANCELSTATE, SHAPE_NUMBER, false),
    SHAPED("pthread_setcanceltype", OP_THREAD_CANCELTYPE, SHAPE_NUMBER, false),
    PLAIN("pthread_spin_destroy", OP_SPIN_DESTROY),
    PLAIN("pthread_spin_init", OP_SPIN_INIT),
    PLAIN("pthread_spin_lock", OP_SPIN_LOCK),
    PLAIN("pthread_spin_trylock", OP_SPIN_TRYLOCK),
    PLAIN("pthread_spin_unlock", OP_SPIN_UNLOCK),
    SHAPED("pthread_testcancel", OP_THREAD_TESTCANCEL, SHAPE_NUMBER, false),
    TIMED("pthread_timedjoin_np", OP_THREAD_TIMEDJOIN, OP_THREAD_JOIN, 2),
    PLAIN("pthread_tryjoin_np", OP_THREAD_TRYJOIN),
    TIMED("sem_clockwait", OP_SEM_TIMEDWAIT, OP_SEM_WAIT, 2),
    PLAIN("sem_close", OP_SEM_CLOSE),
    PLAIN("sem_destroy", OP_SEM_DESTROY),
    PLAIN("sem_getvalue", OP_SEM_GETVALUE),
    SHAPED("sem_init", OP_SEM_INIT, SHAPE_SEM_INIT, false),
    SHAPED("sem_open", OP_SEM_OPEN, SHAPE_SEM_OPEN, false),
    PLAIN("sem_post", OP_SEM_POST),
    TIMED("sem_timedwait", OP_SEM_TIMEDWAIT, OP_SEM_WAIT, 1),
    PLAIN("sem_trywait", OP_SEM_TRYWAIT),
    PLAIN("sem_wait", OP_SEM_WAIT),
    SHAPED("thrd_create", OP_THREAD_CREATE, SHAPE_THRD_CREATE, true),
    PLAIN_C11("thrd_detach", OP_THREAD_DETACH),
    PLAIN_C11("thrd_join", OP_THREAD_JOIN),
};

static int compare(const void *name, const void *entry)
{
	return strcmp(name, ((const struct entry_point *)entry)->name);
}

bool entry_point_is_own(const struct entry_point *point)
{
	return point->kind == OP_CHOOSE || point->shape == SHAPE_POINT || point->shape == SHAPE_ACCESS;
}

bool entry_point_is_loader(const struct entry_point *point)
{
	return point->shape == SHAPE_LOADER;
}

bool entry_point_takes_object(const struct entry_point *point)
{
	return point->shape == SHAPE_OBJECT || point->shape == SHAPE_OBJECT_NUMBER;
}

bool entry_point_is_user(const struct entry_point *point)
{
	return point->shape == SHAPE_USER;
}

static const struct entry_point asking[] = {
    SHAPED("getenv", OP_NONE, SHAPE_VARIABLE, false),
    SHAPED("secure_getenv", OP_NONE, SHAPE_VARIABLE, false),
};

const struct entry_point *entry_point_asking(const char *name)
{
	for (size_t i = 0; i < sizeof(asking) / sizeof(asking[0]); i++)
		if (strcmp(asking[i].name, name) == 0)
			return &asking[i];
	return NULL;
}

bool entry_point_asks(const struct entry_point *point)
{
	return point->shape == SHAPE_VARIABLE;
}

/* In any order. Those that write to standard errors alone (perror(), warn()) aren't among them. */
static const struct entry_point writing[] = {
    SHAPED("printf", OP_OUTPUT, SHAPE_STDOUT, false),
    SHAPED("vprintf", OP_OUTPUT, SHAPE_STDOUT, false),
    SHAPED("__printf_chk", OP_OUTPUT, SHAPE_STDOUT, false),
    SHAPED("__vprintf_chk", OP_OUTPUT, SHAPE_STDOUT, false),
    SHAPED("wprintf", OP_OUTPUT, SHAPE_STDOUT, false),
    SHAPED("vwprintf", OP_OUTPUT, SHAPE_STDOUT, false),
    SHAPED("__wprintf_chk", OP_OUTPUT, SHAPE_STDOUT, false),
    SHAPED("__vwprintf_chk", OP_OUTPUT, SHAPE_STDOUT, false),
    SHAPED("puts", OP_OUTPUT, SHAPE_STDOUT, false),
    SHAPED("putchar", OP_OUTPUT, SHAPE_STDOUT, false),
    SHAPED("putchar_unlocked", OP_OUTPUT, SHAPE_STDOUT, false),
    SHAPED("putwchar", OP_OUTPUT, SHAPE_STDOUT, false),
    SHAPED("putwchar_unlocked", OP_OUTPUT, SHAPE_STDOUT, false),
    SHAPED("fprintf", OP_OUTPUT, SHAPE_STREAM, false),
    SHAPED("vfprintf", OP_OUTPUT, SHAPE_STREAM, false),
    SHAPED("__fprintf_chk", OP_OUTPUT, SHAPE_STREAM, false),
    SHAPED("__vfprintf_chk", OP_OUTPUT, SHAPE_STREAM, false),
    SHAPED("fwprintf", OP_OUTPUT, SHAPE_STREAM, false),
    SHAPED("vfwprintf", OP_OUTPUT, SHAPE_STREAM, false),
    SHAPED("__fwprintf_chk", OP_OUTPUT, SHAPE_STREAM, false),
    SHAPED("__vfwprintf_chk", OP_OUTPUT, SHAPE_STREAM, false),
    SHAPED("__overflow", OP_OUTPUT, SHAPE_STREAM, false),
    SHAPED("fclose", OP_OUTPUT, SHAPE_STREAM, false),
    SHAPED("fflush", OP_OUTPUT, SHAPE_STREAM, false),
    SHAPED("fflush_unlocked", OP_OUTPUT, SHAPE_STREAM, false),
    SHAPED("fputs", OP_OUTPUT, SHAPE_STREAM_1, false),
    SHAPED("fputs_unlocked", OP_OUTPUT, SHAPE_STREAM_1, false),
    SHAPED("fputws", OP_OUTPUT, SHAPE_STREAM_1, false),
    SHAPED("fputws_unlocked", OP_OUTPUT, SHAPE_STREAM_1, false),
    SHAPED("fputc", OP_OUTPUT, SHAPE_STREAM_1, false),
    SHAPED("fputc_unlocked", OP_OUTPUT, SHAPE_STREAM_1, false),
    SHAPED("putc", OP_OUTPUT, SHAPE_STREAM_1, false),
    SHAPED("putc_unlocked", OP_OUTPUT, SHAPE_STREAM_1, false),
    SHAPED("_IO_putc", OP_OUTPUT, SHAPE_STREAM_1, false),
    SHAPED("fputwc", OP_OUTPUT, SHAPE_STREAM_1, false),
    SHAPED("putwc", OP_OUTPUT, SHAPE_STREAM_1, false),
    SHAPED("putw", OP_OUTPUT, SHAPE_STREAM_1, false),
    SHAPED("fwrite", OP_OUTPUT, SHAPE_STREAM_3, false),
    SHAPED("fwrite_unlocked", OP_OUTPUT, SHAPE_STREAM_3, false),
};

const struct entry_point *entry_point_written(size_t i)
{
	return i < sizeof(writing) / sizeof(writing[0]) ? &writing[i] : NULL;
}

const struct entry_point *entry_point_writing(const char *name)
{
	for (size_t i = 0; i < sizeof(writing) / sizeof(writing[0]); i++)
		if (strcmp(writing[i].name, name) == 0)
			return &writing[i];
	return NULL;
}

/* After the table: those of a plug-in, in the order of their coming. */
static struct entry_point added[OP_USER_MOST];
static size_t added_length;

bool entry_point_add(const char *name, enum op_kind kind)
{
	if (added_length == OP_USER_MOST)
		return false;
	added[added_length++] =
	    (struct entry_point){name, (uint8_t)kind, (uint8_t)kind, SHAPE_USER, -1, false};
	return true;
}

const struct entry_point *entry_point_added(size_t i)
{
	return i < added_length ? &added[i] : NULL;
}

const struct entry_point *entry_point_find(const char *name)
{
	for (size_t i = 0; i < added_length; i++)
		if (strcmp(added[i].name, name) == 0)
			return &added[i];
	return bsearch(name, table, sizeof(table) / sizeof(table[0]), sizeof(table[0]), compare);
}

const struct entry_point *entry_points(size_t *length)
{
	*length = sizeof(table) / sizeof(table[0]);
	return table;
}
