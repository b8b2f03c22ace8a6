#include "breakpoints/entry_table.h"
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

/* In the order of strcmp(), which entry_point_find() relies on. */
static const struct entry_point table[] = {
    PLAIN_C11("cnd_broadcast", OP_COND_BROADCAST),
    PLAIN_C11("cnd_destroy", OP_COND_DESTROY),
    PLAIN_C11("cnd_init", OP_COND_INIT),
    PLAIN_C11("cnd_signal", OP_COND_SIGNAL),
    TIMED_COND("cnd_timedwait", 2, true),
    SHAPED("cnd_wait", OP_COND_WAIT, SHAPE_COND_WAIT, true),
    PLAIN_C11("mtx_destroy", OP_MUTEX_DESTROY),
    SHAPED("mtx_init", OP_MUTEX_INIT, SHAPE_MTX_INIT, true),
    PLAIN_C11("mtx_lock", OP_MUTEX_LOCK),
    {"mtx_timedlock", OP_MUTEX_TIMEDLOCK, OP_MUTEX_LOCK, SHAPE_OBJECT, 1, true},
    PLAIN_C11("mtx_trylock", OP_MUTEX_TRYLOCK),
    PLAIN_C11("mtx_unlock", OP_MUTEX_UNLOCK),
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
    TIMED("pthread_mutex_timedlock", OP_MUTEX_TIMEDLOCK, OP_MUTEX_LOCK, 1),
    PLAIN("pthread_mutex_trylock", OP_MUTEX_TRYLOCK),
    PLAIN("pthread_mutex_unlock", OP_MUTEX_UNLOCK),
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

const struct entry_point *entry_point_find(const char *name)
{
	return bsearch(name, table, sizeof(table) / sizeof(table[0]), sizeof(table[0]), compare);
}

const struct entry_point *entry_points(size_t *length)
{
	*length = sizeof(table) / sizeof(table[0]);
	return table;
}
