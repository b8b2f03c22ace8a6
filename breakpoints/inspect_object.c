#include "breakpoints/inspect.h"
#include "breakpoints/locals.h"
#include <stdlib.h>
#include <string.h>

/*
 * Names of what threads wait for. Variables with fixed addresses have theirs; another object is named by the type and the member
 * by which a variable of a waiting function knows it, and by where it is: `account.lock at heap +0x2a0`. So all threads call it the
 * same, whatever their own variables are called.
 */

#define NAME_BYTES    256
#define WAITERS_MOST  8 /* whose stacks are looked at for one object */
#define FRAMES_MOST   24
#define OBJECTS_MOST  1000 /* that are looked for in variables */
#define ACROSS_MOST   512  /* places in the code */
#define STARTS_WITHIN (UINT64_C(1) << 31)

/* The functions at a place in the code, once they have been found. */
struct known_scopes {
	uint64_t pc;
	struct scopes scopes;
};

struct naming {
	struct inspector *inspector;
	struct surroundings around;
	struct known_scopes *known;
	size_t known_length;
	size_t objects; /* so many were looked for */
};

static const struct subject_thread *thread_at(const struct inspector *inspector, size_t i)
{
	return subject_thread(inspector->subject, i);
}

static bool find_stack(const void *context, const struct region *region, uint32_t *thread)
{
	const struct inspector *inspector = context;
	for (uint32_t i = 0; i < inspector->inspection->length; i++) {
		uint64_t stack = thread_at(inspector, i)->regs.rsp;
		if (stack < region->low || stack > region->high)
			continue;
		*thread = i;
		return true;
	}
	return false;
}

/* A core file doesn't say which mapping it is: that behind the program's own, where the kernel lets it begin. */
static bool is_heap(const struct inspector *inspector, const struct subject_mapping *mapping)
{
	const struct modules *modules = &inspector->places->modules;
	if (!subject_is_core(inspector->subject) || modules->length == 0 || mapping->path ||
	    !mapping->writable)
		return mapping->path && strcmp(mapping->path, "[heap]") == 0;
	for (size_t i = 0; i < subject_mappings(inspector->subject); i++) {
		const struct subject_mapping *other = subject_mapping(inspector->subject, i);
		if (other->low >= modules->at[0].high)
			return other == mapping && mapping->low - modules->at[0].high < STARTS_WITHIN;
	}
	return false;
}

static bool find_region(const void *context, uint64_t address, struct region *region)
{
	const struct inspector *inspector = context;
	const struct subject_mapping *mapping = mapping_of(inspector, address);
	if (!mapping)
		return false;
	*region =
	    (struct region){.low = mapping->low, .high = mapping->high, .heap = is_heap(inspector, mapping)};
	return true;
}

static enum status read_subject(void *context, uint64_t address, void *to, size_t size)
{
	return subject_read(context, address, to, size);
}

/* What libdwfl has lost. */
static void find_rbx(const struct inspector *inspector, uint32_t thread)
{
	const struct steps *steps = &inspector->steps[thread];
	for (size_t i = 1; i < steps->length && i < FRAMES_MOST; i++) {
		const struct step *callee = &steps->at[i - 1];
		uint64_t *rbx = &steps->at[i].registers.rbx;
		if (*rbx == 0 && callee->registers.rbx && steps->at[i].registers.pc &&
		    places_leaves_rbx(inspector->places, callee->pc - (i > 1)))
			*rbx = callee->registers.rbx;
	}
}

static struct activation activation_of(const struct inspector *inspector, uint32_t thread, size_t frame)
{
	const struct step *step = &inspector->steps[thread].at[frame];
	return (struct activation){.registers = step->registers,
				   .cfa = step->cfa,
				   .is_return = frame > 0,
				   .read = read_subject,
				   .context = inspector->subject};
}

/* Many threads stand at the same places. */
static const struct scopes *scopes_at(struct naming *naming, uint64_t pc, bool is_return)
{
	static const struct scopes none;
	for (size_t i = 0; i < naming->known_length; i++)
		if (naming->known[i].pc == pc)
			return &naming->known[i].scopes;
	if (naming->known_length == ACROSS_MOST)
		return &none;
	if (!naming->known)
		naming->known = calloc(ACROSS_MOST, sizeof(*naming->known));
	if (!naming->known)
		return &none;
	struct known_scopes *known = &naming->known[naming->known_length++];
	known->pc = pc;
	scopes_find(naming->inspector->places, pc, is_return, &known->scopes);
	return &known->scopes;
}

/* So large an object of libc's is at least. */
static uint64_t size_of(const struct wait *wait)
{
	static const uint64_t sizes[WAIT_KINDS] = {
	    [WAIT_MUTEX] = 40, [WAIT_COND] = 48,  [WAIT_SEMAPHORE] = 32,
	    [WAIT_READ] = 56,  [WAIT_WRITE] = 56, [WAIT_BARRIER] = 32};
	bool libc = wait->call && !strstr(wait->call, "::") && strcmp(wait->call, "flockfile") != 0;
	return libc && sizes[wait->kind] ? sizes[wait->kind] : sizeof(uint32_t);
}

/* A variable of the function whose frame the object is in: `queue.lock in main`. */
static bool name_local(struct naming *naming, const struct sought *sought, struct text *text)
{
	struct inspector *inspector = naming->inspector;
	struct covering covering;
	struct region region;
	uint32_t thread;
	if (!find_region(inspector, sought->address, &region) || !find_stack(inspector, &region, &thread))
		return false;
	const struct steps *steps = &inspector->steps[thread];
	size_t at = 0;
	while (at < steps->length && (steps->at[at].cfa == 0 || steps->at[at].cfa <= sought->address))
		at++;
	if (at == steps->length || steps->at[at].stack > sought->address || !steps->at[at].function)
		return false;
	struct activation activation = activation_of(inspector, thread, at);
	const struct scopes *scopes = scopes_at(naming, steps->at[at].pc, at > 0);
	if (!locals_cover(scopes, &activation, sought, &covering))
		return false;
	text_append(text, "%s", covering.variable);
	covering_path(&covering, sought, NULL, text);
	text_append(text, " in %s", steps->at[at].function);
	return true;
}

static void lead_from(struct naming *naming, uint32_t thread, const struct sought *sought,
		      struct covering *found)
{
	const struct steps *steps = &naming->inspector->steps[thread];
	find_rbx(naming->inspector, thread);
	for (size_t i = 0; i < steps->length && i < FRAMES_MOST; i++) {
		if (steps->at[i].foreign || steps->at[i].registers.pc == 0)
			continue;
		struct activation activation = activation_of(naming->inspector, thread, i);
		locals_lead(scopes_at(naming, steps->at[i].pc, i > 0), &activation, sought, found);
	}
}

/* A member of what variables of the waiting functions point to: `account.lock`. */
static bool name_member(struct naming *naming, const uint32_t *waiters, size_t length,
			const struct sought *sought, struct text *text)
{
	struct covering found = {0};
	for (size_t i = 0; i < length && i < WAITERS_MOST && found.size == 0; i++)
		lead_from(naming, waiters[i], sought, &found);
	if (found.size == 0)
		return false;
	covering_narrow(naming->inspector->places, &found, sought);
	const char *type = places_type_name(naming->inspector->places, &found.type);
	if (type)
		text_append(text, "%s", type);
	return type && covering_path(&found, sought, NULL, text);
}

/* A lock of Rust's is a structure around its word: `A.inner.futex.v.value`. */
static void cut_innards(const struct wait *wait, struct text *text)
{
	char *inner = wait->call && strstr(wait->call, "::") ? strstr(text->at, ".inner.") : NULL;
	if (inner)
		text->length = (size_t)(inner - text->at);
	text->at[text->length] = 0;
}

static void name_object(struct naming *naming, const uint32_t *waiters, size_t length, char name[NAME_BYTES])
{
	struct inspector *inspector = naming->inspector;
	const struct wait *wait = &inspector->inspection->threads[waiters[0]].wait;
	const struct sought sought = {.address = wait->object, .size = size_of(wait)};
	struct text text = {.at = name, .room = NAME_BYTES - 64};
	name[0] = 0;
	bool fixed = modules_find(&inspector->places->modules, sought.address);
	if (!fixed && naming->objects++ < OBJECTS_MOST &&
	    (name_local(naming, &sought, &text) || name_member(naming, waiters, length, &sought, &text))) {
		cut_innards(wait, &text);
		text_append(&text, " at ");
	} else {
		text.length = 0;
	}
	places_name_in(inspector->places, &naming->around, sought.address, name + text.length,
		       NAME_BYTES - text.length);
	if (text.length == 0) {
		text.length = strlen(name);
		cut_innards(wait, &text);
	}
}

static int by_object(const void *a, const void *b, void *context)
{
	const struct inspected_thread *threads = context;
	uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
	uint64_t x = threads[one].wait.object, y = threads[other].wait.object;
	return x != y ? (x < y ? -1 : 1) : one < other ? -1 : one > other;
}

void objects_name(struct inspector *inspector)
{
	struct inspected_thread *threads = inspector->inspection->threads;
	struct naming naming = {.inspector = inspector,
				.around = {.context = inspector, .region = find_region, .stack = find_stack}};
	uint32_t *order = malloc((inspector->inspection->length + 1) * sizeof(*order));
	size_t length = 0;
	if (!order)
		return;
	for (uint32_t i = 0; i < inspector->inspection->length; i++)
		if (threads[i].wait.object && !threads[i].wait.name)
			order[length++] = i;
	qsort_r(order, length, sizeof(*order), by_object, threads);
	for (size_t first = 0, end; first < length; first = end) {
		char name[NAME_BYTES];
		uint64_t object = threads[order[first]].wait.object;
		for (end = first + 1; end < length && threads[order[end]].wait.object == object;)
			end++;
		name_object(&naming, order + first, end - first, name);
		for (size_t i = first; i < end; i++)
			threads[order[i]].wait.name = strdup(name);
	}
	for (size_t i = 0; i < naming.known_length; i++)
		scopes_release(&naming.known[i].scopes);
	free(naming.known);
	free(order);
}
