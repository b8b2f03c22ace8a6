/*
 * A ticket lock as a primitive: who comes first gets it first. The functions of ticket_lock.c for fmc.
 *
 *     fmc check --ops ticket.so -- ticket_lock 2
 */
#include <fmc/ops.h>
#include <stdio.h>
#include <string.h>

enum { LOCK, TRYLOCK, UNLOCK };
enum { MOST_WAITING = 56, BUSY = 16 };

struct lock {
	uint8_t held; /* by this thread, from 1; 0: free */
	uint8_t waiting;
	uint8_t queue[MOST_WAITING]; /* threads, from 1, in the order of their coming */
};

static bool can_lock(const void *object, const struct fmc_step *step)
{
	const struct lock *lock = object;
	if (!step->waits)
		return lock->waiting < MOST_WAITING;
	return !lock->held && lock->queue[0] == step->thread + 1;
}

static void take(void *object, const struct fmc_step *step, struct fmc_effect *effect)
{
	struct lock *lock = object;
	if (step->waits) {
		lock->waiting--;
		memmove(lock->queue, lock->queue + 1, MOST_WAITING - 1);
		lock->queue[MOST_WAITING - 1] = 0;
	} else if (lock->held || lock->waiting) {
		lock->queue[lock->waiting++] = (uint8_t)(step->thread + 1);
		effect->waits = true;
		return;
	}
	lock->held = (uint8_t)(step->thread + 1);
}

static void try(void *object, const struct fmc_step *step, struct fmc_effect *effect)
{
	struct lock *lock = object;
	effect->predicted = true;
	if (lock->held || lock->waiting) {
		effect->result = BUSY;
		effect->reads = effect->yields = true;
		return;
	}
	lock->held = (uint8_t)(step->thread + 1);
}

static void give_back(void *object, const struct fmc_step *step, struct fmc_effect *effect)
{
	struct lock *lock = object;
	if (lock->held != step->thread + 1)
		effect->misuse = lock->held ? FMC_UNLOCKS_OTHERS : FMC_UNLOCKS_FREE;
	lock->held = 0;
}

static uint32_t holder(const void *object)
{
	const struct lock *lock = object;
	return lock->held ? lock->held - 1u : FMC_NOBODY;
}

static void describe(const void *object, char *text, size_t size)
{
	const struct lock *lock = object;
	int length = snprintf(text, size, lock->waiting ? "in this order:" : "nobody waits");
	for (int i = 0; i < lock->waiting && (size_t)length + 8 < size; i++)
		length += snprintf(text + length, size - (size_t)length, " T%d", lock->queue[i]);
}

static const struct fmc_op ops[] = {
    [LOCK] = {.name = "ticket_lock", .function = "ticket_lock", .enabled = can_lock, .apply = take},
    [TRYLOCK] = {.name = "ticket_trylock", .function = "ticket_trylock", .returns = FMC_INT, .apply = try},
    [UNLOCK] = {.name = "ticket_unlock", .function = "ticket_unlock", .apply = give_back},
};

static const struct fmc_class classes[] = {
    {.name = "ticket", .ops = ops, .ops_length = 3, .holder = holder, .describe = describe}};

const struct fmc_ops fmc_ops = FMC_OPS(classes);
