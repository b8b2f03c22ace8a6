#include "table_ops.h"

#include <string.h>

struct lock {
	uint32_t holder; /* from 1; 0: nobody */
	uint32_t readers, waiting;
	uint8_t queue[48];
};

static bool is_free(const void *object, const struct fmc_step *step)
{
	const struct lock *lock = object;
	(void)step;
	return lock->holder == 0;
}

static void take(void *object, const struct fmc_step *step, struct fmc_effect *effect)
{
	struct lock *lock = object;
	effect->predicted = true;
	lock->holder = step->thread + 1;
}

static void try(void *object, const struct fmc_step *step, struct fmc_effect *effect)
{
	const struct lock *lock = object;
	if (lock->holder == 0) {
		take(object, step, effect);
		return;
	}
	effect->predicted = effect->yields = true;
	effect->reads = lock->holder != step->thread + 1;
	effect->result = 16; /* EBUSY */
}

static void give_back(void *object, const struct fmc_step *step, struct fmc_effect *effect)
{
	struct lock *lock = object;
	(void)step;
	effect->predicted = true;
	lock->holder = 0;
}

static bool is_unused(const void *object, const struct fmc_step *step)
{
	const struct lock *lock = object;
	return is_free(object, step) && lock->readers == 0;
}

static void enter(void *object, const struct fmc_step *step, struct fmc_effect *effect)
{
	struct lock *lock = object;
	(void)step;
	effect->predicted = true;
	lock->readers++;
}

static void leave(void *object, const struct fmc_step *step, struct fmc_effect *effect)
{
	struct lock *lock = object;
	(void)step;
	effect->predicted = true;
	lock->readers--;
}

static bool conflict(uint32_t a, uint32_t b)
{
	bool writes = a == COPY_WRLOCK || a == COPY_WRUNLOCK || b == COPY_WRLOCK || b == COPY_WRUNLOCK;
	return writes;
}

static bool turn(const void *object, const struct fmc_step *step)
{
	const struct lock *lock = object;
	return !step->waits || (lock->holder == 0 && lock->queue[0] == step->thread + 1);
}

static void queue(void *object, const struct fmc_step *step, struct fmc_effect *effect)
{
	struct lock *lock = object;
	if (!step->waits && (lock->holder || lock->waiting)) {
		lock->queue[lock->waiting++] = (uint8_t)(step->thread + 1);
		effect->waits = true;
		return;
	}
	if (step->waits) {
		memmove(lock->queue, lock->queue + 1, sizeof lock->queue - 1);
		lock->waiting--;
	}
	take(object, step, effect);
}

static uint32_t holder(const void *object)
{
	const struct lock *lock = object;
	return lock->holder ? lock->holder - 1 : FMC_NOBODY;
}

#define KIND(what, on, does)                                                                                 \
	{                                                                                                    \
		.name = what, .function = "table_" what, .returns = FMC_INT, .enabled = on, .apply = does    \
	}

static const struct fmc_op mutex_ops[] = {
    [COPY_LOCK] = KIND("copy_mutex_lock", is_free, take),
    [COPY_TRYLOCK] = KIND("copy_mutex_trylock", NULL, try),
    [COPY_UNLOCK] = KIND("copy_mutex_unlock", NULL, give_back),
};

static const struct fmc_op rwlock_ops[] = {
    [COPY_RDLOCK] = KIND("copy_rwlock_rdlock", is_free, enter),
    [COPY_WRLOCK] = KIND("copy_rwlock_wrlock", is_unused, take),
    [COPY_RDUNLOCK] = KIND("copy_rwlock_rdunlock", NULL, leave),
    [COPY_WRUNLOCK] = KIND("copy_rwlock_wrunlock", NULL, give_back),
};

static const struct fmc_op fifo_ops[] = {
    [COPY_LOCK] = KIND("copy_fifo_lock", turn, queue),
    [COPY_TRYLOCK] = KIND("copy_fifo_trylock", NULL, try),
    [COPY_UNLOCK] = KIND("copy_fifo_unlock", NULL, give_back),
};

static const struct fmc_class classes[] = {
    {.name = "copy_mutex", .ops = mutex_ops, .ops_length = 3, .holder = holder},
    {.name = "copy_rwlock", .ops = rwlock_ops, .ops_length = 4, .dependent = conflict, .holder = holder},
    {.name = "copy_fifo", .ops = fifo_ops, .ops_length = 3, .holder = holder},
};

const struct fmc_ops table_ops = FMC_OPS(classes);
