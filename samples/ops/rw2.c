/*
 * A lock for any number of readers and two writers as a primitive, after McMini, appendix A: the functions of
 * reader_two_writers.c for fmc. Writers that wait go before readers.
 *
 *     fmc check --ops rw2.so -- reader_two_writers 1
 */
#include <fmc/ops.h>
#include <stdio.h>

enum { READ_LOCK, READ_UNLOCK, WRITE_LOCK, WRITE_UNLOCK };

struct lock {
	uint64_t readers; /* threads, a bit each */
	uint32_t writing; /* the thread, from 1; 0: nobody */
	uint32_t waiting; /* writers that have come */
};

static bool can_read(const void *object, const struct fmc_step *step)
{
	const struct lock *lock = object;
	return !lock->writing && !lock->waiting;
}

static void read_lock(void *object, const struct fmc_step *step, struct fmc_effect *effect)
{
	((struct lock *)object)->readers |= UINT64_C(1) << step->thread % 64;
}

static void read_unlock(void *object, const struct fmc_step *step, struct fmc_effect *effect)
{
	((struct lock *)object)->readers &= ~(UINT64_C(1) << step->thread % 64);
}

/* To come to the lock is always possible. */
static bool can_write(const void *object, const struct fmc_step *step)
{
	const struct lock *lock = object;
	return !step->waits || (!lock->writing && !lock->readers);
}

static void write_lock(void *object, const struct fmc_step *step, struct fmc_effect *effect)
{
	struct lock *lock = object;
	effect->waits = !step->waits && (lock->writing || lock->readers);
	if (effect->waits) {
		lock->waiting++;
		return;
	}
	lock->waiting -= step->waits;
	lock->writing = step->thread + 1;
}

static void write_unlock(void *object, const struct fmc_step *step, struct fmc_effect *effect)
{
	((struct lock *)object)->writing = 0;
}

/* Readers don't disturb each other. */
static bool dependent(uint32_t a, uint32_t b)
{
	return a >= WRITE_LOCK || b >= WRITE_LOCK;
}

static uint32_t holder(const void *object)
{
	const struct lock *lock = object;
	bool single = lock->readers && !(lock->readers & (lock->readers - 1));
	return lock->writing ? lock->writing - 1
	       : single	     ? (uint32_t)__builtin_ctzll(lock->readers)
			     : FMC_NOBODY;
}

static void describe(const void *object, char *text, size_t size)
{
	const struct lock *lock = object;
	snprintf(text, size, "%d reading, %d writing, %u waiting to write",
		 __builtin_popcountll(lock->readers), lock->writing != 0, lock->waiting);
}

static const struct fmc_op ops[] = {
    [READ_LOCK] = {.name = "rw2_read_lock", .function = "lock_read", .enabled = can_read, .apply = read_lock},
    [READ_UNLOCK] = {.name = "rw2_read_unlock", .function = "unlock_read", .apply = read_unlock},
    [WRITE_LOCK] = {.name = "rw2_write_lock",
		    .function = "lock_write",
		    .enabled = can_write,
		    .apply = write_lock},
    [WRITE_UNLOCK] = {.name = "rw2_write_unlock", .function = "unlock_write", .apply = write_unlock},
};

static const struct fmc_class classes[] = {{.name = "rw2",
					    .ops = ops,
					    .ops_length = 4,
					    .dependent = dependent,
					    .holder = holder,
					    .describe = describe}};

const struct fmc_ops fmc_ops = FMC_OPS(classes);
