/* The table of loop heads, and one as text. */
#include <fmc/breakpoints/loops.h>

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct loops *loops_shared(void)
{
	void *memory =
	    mmap(NULL, sizeof(struct loops), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return memory == MAP_FAILED ? NULL : memory;
}

void loops_release(struct loops *shared)
{
	if (shared)
		munmap(shared, sizeof *shared);
}

#define TRIES 10000

uint32_t loops_length(const struct loops *loops)
{
	return __atomic_load_n(&loops->length, __ATOMIC_ACQUIRE);
}

static bool add(struct loops *loops, const struct loop *loop)
{
	uint32_t length = loops_length(loops);
	for (uint32_t i = 0; i < length; i++)
		if (module_place_equal(&loops->at[i].head, &loop->head))
			return false;
	if (length == LOOPS_MOST)
		return false;
	loops->at[length] = *loop;
	__atomic_store_n(&loops->length, length + 1, __ATOMIC_RELEASE);
	return true;
}

bool loops_add(struct loops *loops, const struct loop *loop)
{
	/* Not for ever: a process that was killed meanwhile doesn't give it back. */
	for (unsigned tries = 0; __atomic_exchange_n(&loops->busy, 1, __ATOMIC_ACQUIRE) && tries < TRIES;
	     tries++)
		sched_yield();
	bool added = add(loops, loop);
	__atomic_store_n(&loops->busy, 0, __ATOMIC_RELEASE);
	return added;
}

void loop_print(const struct loop *loop, char text[LOOP_TEXT])
{
	module_place_print(&loop->head, text);
	size_t n = strlen(text);
	n += (size_t)snprintf(text + n, LOOP_TEXT - n, " %" PRIu32, loop->rounds);
	if (loop->from)
		snprintf(text + n, LOOP_TEXT - n, " from %" PRIu64, loop->from);
}

/* A number of digits, and nothing else; *at is after it then. */
static bool take_number(const char **at, uint64_t most, uint64_t *value)
{
	char *end;
	if (!isdigit((unsigned char)**at))
		return false;
	errno = 0;
	*value = strtoull(*at, &end, 10);
	bool good = errno == 0 && *value <= most;
	*at = end;
	return good;
}

static bool take_blanks(const char **at)
{
	size_t blanks = strspn(*at, " \t");
	*at += blanks;
	return blanks > 0;
}

bool loop_parse(const char *text, struct loop *loop)
{
	const char *at;
	uint64_t rounds;
	*loop = (struct loop){0};
	if (!module_place_parse(text, &loop->head, &at) || !take_blanks(&at) ||
	    !take_number(&at, INT32_MAX, &rounds) || rounds == 0)
		return false;
	loop->rounds = (uint32_t)rounds;
	if (*at == '\0')
		return true;
	if (!take_blanks(&at) || strncmp(at, "from", 4) != 0)
		return false;
	at += 4;
	return take_blanks(&at) && take_number(&at, UINT64_MAX, &loop->from) && *at == '\0';
}
