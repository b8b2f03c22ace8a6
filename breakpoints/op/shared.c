/* The table of descriptors that threads share, and one as text. */
#include <fmc/breakpoints/shared.h>

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct shared *shared_new(void)
{
	void *memory =
	    mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return memory == MAP_FAILED ? NULL : memory;
}

void shared_release(struct shared *shared)
{
	if (shared)
		munmap(shared, sizeof *shared);
}

#define TRIES 10000

uint32_t shared_length(const struct shared *shared)
{
	return __atomic_load_n(&shared->length, __ATOMIC_ACQUIRE);
}

static bool is_same(const struct shared_descriptor *one, enum object_class class, int descriptor)
{
	return one->class == class && one->descriptor == descriptor;
}

static bool add(struct shared *shared, const struct shared_descriptor *descriptor)
{
	const uint32_t length = shared_length(shared);
	for (uint32_t i = 0; i < length; i++)
		if (is_same(&shared->at[i], descriptor->class, descriptor->descriptor))
			return false;
	if (length == SHARED_MOST)
		return false;
	shared->at[length] = *descriptor;
	__atomic_store_n(&shared->length, length + 1, __ATOMIC_RELEASE);
	return true;
}

bool shared_add(struct shared *shared, const struct shared_descriptor *descriptor)
{
	/* Not for ever: a process that was killed meanwhile doesn't give it back. */
	for (unsigned tries = 0; __atomic_exchange_n(&shared->busy, 1, __ATOMIC_ACQUIRE) && tries < TRIES;
	     tries++)
		sched_yield();
	const bool added = add(shared, descriptor);
	__atomic_store_n(&shared->busy, 0, __ATOMIC_RELEASE);
	return added;
}

bool shared_has(const struct shared *shared, uint32_t length, enum object_class class, int descriptor,
		uint64_t transition)
{
	for (uint32_t i = 0; i < length; i++)
		if (is_same(&shared->at[i], class, descriptor))
			return shared->at[i].from <= transition;
	return false;
}

bool shared_has_class(const struct shared *shared, uint32_t length, enum object_class class)
{
	for (uint32_t i = 0; i < length; i++)
		if (shared->at[i].class == class)
			return true;
	return false;
}

bool shared_in_common(const struct shared *shared)
{
	const uint32_t length = shared_length(shared);
	for (uint32_t i = 0; i < length; i++)
		if (shared->at[i].class >= CLASS_FILE_LOCK)
			return true;
	return false;
}

void shared_print(const struct shared_descriptor *descriptor, char text[SHARED_TEXT])
{
	int n = snprintf(text, SHARED_TEXT, "%s %d", class_name(descriptor->class), descriptor->descriptor);
	if (descriptor->from)
		snprintf(text + n, SHARED_TEXT - (size_t)n, " from %" PRIu64, descriptor->from);
}

bool shared_parse(const char *text, struct shared_descriptor *descriptor)
{
	char class[32], again[SHARED_TEXT];
	*descriptor = (struct shared_descriptor){.class = CLASS_NONE};
	if (sscanf(text, "%31s %d from %" SCNu64, class, &descriptor->descriptor, &descriptor->from) < 2)
		return false;
	descriptor->class = class_by_name(class);
	if (!class_in_kernel(descriptor->class) || descriptor->descriptor < 0)
		return false;
	/* Nothing else is in the line. */
	shared_print(descriptor, again);
	return strcmp(text, again) == 0;
}
