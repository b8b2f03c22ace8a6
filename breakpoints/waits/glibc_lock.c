#include "breakpoints/waits/inspector.h"
#include <linux/futex.h>

/* Mutexes of glibc on x86-64, and the locks of its streams, which look alike to the kernel. */

/* struct __pthread_mutex_s */
struct mutex {
	uint32_t lock;
	uint32_t count;
	uint32_t owner;
	uint32_t users;
	uint32_t kind;
	int16_t spins, elision;
	uint64_t previous, next; /* in the owner's list of robust mutexes */
};

enum {
	KIND_TYPE = 3, /* normal, recursive, error-checking, adaptive */
	KIND_RECURSIVE = 1,
	KIND_ROBUST = 0x10,
	KIND_INHERIT = 0x20,
	KIND_PROTECT = 0x40,
	KIND_SHARED = 0x80,
	KIND_ELISION = 0x300, /* chosen for or against */
	KIND_KNOWN = 0x3f3,
};

#define CEILING	     0xfff80000u /* of the lock word, if KIND_PROTECT */
#define USERS_MOST   100000	 /* at one mutex, in its field `users` */
#define NUMBERS_MOST 0x400000	 /* Linux has no more threads at a time */

static bool on_owner_list(const struct mutex *mutex)
{
	return mutex->kind & (KIND_ROBUST | KIND_INHERIT);
}

/* The owner by the lock word, 0 if it doesn't hold it or is free. */
static uint32_t word_owner(const struct mutex *mutex)
{
	return on_owner_list(mutex) ? mutex->lock & FUTEX_TID_MASK : 0;
}

static bool is_held(const struct mutex *mutex)
{
	if (mutex->kind & KIND_PROTECT)
		return mutex->lock & ~CEILING;
	return on_owner_list(mutex) ? word_owner(mutex) != 0 : mutex->lock != 0;
}

/* Could a thread that locks this mutex have gone to sleep like this? */
static bool sleeps_so(const struct mutex *mutex, const struct futex *futex)
{
	bool inherit = futex->command == FUTEX_LOCK_PI || futex->command == FUTEX_LOCK_PI2;
	if (inherit != ((mutex->kind & KIND_INHERIT) != 0))
		return false;
	if (inherit)
		return true;
	if (mutex->kind & KIND_PROTECT)
		return (futex->expected & ~CEILING) == 2;
	if (mutex->kind & KIND_ROBUST)
		return (futex->expected & FUTEX_WAITERS) && (futex->expected & FUTEX_TID_MASK);
	return futex->expected == 2;
}

/* Fields that are always so, whatever the mutex's state is. */
static bool is_sound(const struct mutex *mutex, const struct futex *futex)
{
	if ((mutex->kind & ~(uint32_t)KIND_KNOWN) || mutex->users > USERS_MOST ||
	    mutex->owner > FUTEX_TID_MASK)
		return false;
	/* Robust mutexes are slept at as if they were shared, whether they are or not. */
	if (!on_owner_list(mutex) && ((mutex->kind & KIND_SHARED) != 0) != futex->shared)
		return false;
	return sleeps_so(mutex, futex);
}

/* Without the stack's word for it all of the memory has to agree. */
static bool is_beyond_doubt(const struct inspector *inspector, const struct mutex *mutex)
{
	if (!is_held(mutex) || mutex->users == 0 || (word_owner(mutex) && word_owner(mutex) != mutex->owner))
		return false;
	if (thread_of_number(inspector, (pid_t)mutex->owner) != NOBODY)
		return on_owner_list(mutex) || (mutex->previous == 0 && mutex->next == 0);
	return mutex->owner > 1 && mutex->owner < NUMBERS_MOST && mutex->users == 1 &&
	       !on_owner_list(mutex) && mutex->previous == 0 && mutex->next == 0 && mutex->count <= 1;
}

static void say_kind(const struct mutex *mutex, struct wait *wait)
{
	static const char *const types[] = {"", "recursive", "error-checking", "adaptive"};
	const char *type = types[mutex->kind & KIND_TYPE];
	const char *more = mutex->kind & KIND_ROBUST	? "robust"
			   : mutex->kind & KIND_INHERIT ? "priority-inheriting"
			   : mutex->kind & KIND_PROTECT ? "priority-protecting"
			   : mutex->kind & KIND_SHARED	? "process-shared"
							: "";
	if (mutex->kind & KIND_ROBUST && mutex->lock & FUTEX_OWNER_DIED)
		wait_say(wait, "robust, its owner has died");
	else if (*type || *more)
		wait_say(wait, "%s%s%s", type, *type && *more ? ", " : "", more);
}

static bool is_mutex(struct inspector *inspector, const struct futex *futex, enum wait_kind hint,
		     struct wait *wait)
{
	struct mutex mutex;
	if (!inspector_read(inspector, futex->address, &mutex, sizeof(mutex)) || !is_sound(&mutex, futex))
		return false;
	if (hint != WAIT_MUTEX && !is_beyond_doubt(inspector, &mutex))
		return false;
	wait_for(inspector, futex, WAIT_MUTEX, futex->address, wait);
	say_kind(&mutex, wait);
	if (!is_held(&mutex))
		return true;
	uint32_t owner = word_owner(&mutex) ? word_owner(&mutex) : mutex.owner;
	wait->count = (mutex.kind & KIND_TYPE) == KIND_RECURSIVE ? mutex.count : 1;
	if (owner) /* else its next holder is about to write its number */
		wait_held_by(inspector, (pid_t)owner, wait);
	return true;
}

/* _IO_lock_t: the lock of a FILE, which keeps the address of its owner's description. */
struct stream_lock {
	uint32_t lock;
	uint32_t count; /* from some version on not the first time */
	uint64_t owner;
};

static bool is_stream(struct inspector *inspector, const struct futex *futex, struct wait *wait)
{
	struct stream_lock lock;
	if (futex->expected != 2 || futex->shared || futex->command != FUTEX_WAIT ||
	    !inspector_read(inspector, futex->address, &lock, sizeof(lock)) || lock.lock == 0)
		return false;
	uint32_t owner = thread_of_description(inspector, lock.owner);
	if (owner == NOBODY)
		return false;
	wait_for(inspector, futex, WAIT_MUTEX, futex->address, wait);
	wait->call = "flockfile";
	wait->count = lock.count ? lock.count : 1;
	wait->certain = wait_add_holder(wait, owner);
	wait_say(wait, "the lock of a FILE");
	return true;
}

bool glibc_lock(struct inspector *inspector, const struct futex *futex, enum wait_kind hint,
		struct wait *wait)
{
	return is_mutex(inspector, futex, hint, wait) || is_stream(inspector, futex, wait);
}
