#include "breakpoints/names/naming.h"
#include "breakpoints/names/name.h"
#include <stdlib.h>
#include <string.h>

#define USERS_MOST   8 /* whose stacks are looked at for one object */
#define FRAMES_MOST  24
#define OBJECTS_MOST 1000 /* that are looked for in variables */
#define KNOWN_MOST   512  /* places in the code */

/* The functions at a place in the code, once they have been found. */
struct known_scopes {
	uint64_t pc;
	struct scopes scopes;
};

void step_find(struct places *places, struct step *step, struct place *place)
{
	const struct module *module = modules_find(&places->modules, step->pc);
	bool libc = step->pc >= places->libc_low && step->pc < places->libc_high;
	places_find(places, step->pc, step->is_return, place);
	step->function = place->function;
	step->library = place->library;
	step->program = module && module->kind == MODULE_PROGRAM && !libc;
	step->foreign = !step->program && (!module || module->kind != MODULE_OTHER);
	step->libc = libc || (module && (module->kind == MODULE_LIBC || module->kind == MODULE_THREADS));
}

static struct activation activation_of(const struct naming *naming, uint32_t thread, size_t frame)
{
	const struct step *step = &naming->steps[thread].at[frame];
	return (struct activation){.registers = step->registers,
				   .cfa = step->cfa,
				   .is_return = step->is_return,
				   .read = naming->read,
				   .context = naming->context};
}

/* Many threads stand at the same places. */
static const struct scopes *scopes_at(struct naming *naming, uint64_t pc, bool is_return)
{
	static const struct scopes none;
	for (size_t i = 0; i < naming->known_length; i++)
		if (naming->known[i].pc == pc)
			return &naming->known[i].scopes;
	if (naming->known_length == KNOWN_MOST)
		return &none;
	if (!naming->known)
		naming->known = calloc(KNOWN_MOST, sizeof(*naming->known));
	if (!naming->known)
		return &none;
	struct known_scopes *known = &naming->known[naming->known_length++];
	known->pc = pc;
	scopes_find(naming->places, pc, is_return, &known->scopes);
	return &known->scopes;
}

/* A variable of the function whose frame the object is in: `queue.lock in main`. */
static bool name_local(struct naming *naming, const struct sought *sought, struct text *text)
{
	struct covering covering;
	struct region region;
	uint32_t thread;
	const struct surroundings *around = &naming->around;
	if (!around->region(around->context, sought->address, &region) ||
	    !around->stack(around->context, &region, &thread) || thread >= naming->threads)
		return false;
	const struct steps *steps = &naming->steps[thread];
	size_t at = 0;
	while (at < steps->length && (steps->at[at].cfa == 0 || steps->at[at].cfa <= sought->address))
		at++;
	if (at == steps->length || steps->at[at].stack > sought->address || !steps->at[at].function)
		return false;
	struct activation activation = activation_of(naming, thread, at);
	const struct scopes *scopes = scopes_at(naming, steps->at[at].pc, steps->at[at].is_return);
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
	const struct steps *steps = &naming->steps[thread];
	for (size_t i = 0; i < steps->length && i < FRAMES_MOST; i++) {
		if (steps->at[i].foreign || steps->at[i].registers.pc == 0)
			continue;
		struct activation activation = activation_of(naming, thread, i);
		locals_lead(scopes_at(naming, steps->at[i].pc, steps->at[i].is_return), &activation, sought,
			    found);
	}
}

/* A member of what variables of the waiting functions point to: `account.lock`. */
static bool name_member(struct naming *naming, const uint32_t *users, size_t length,
			const struct sought *sought, struct text *text)
{
	struct covering found = {0};
	for (size_t i = 0; i < length && i < USERS_MOST && found.size == 0; i++)
		lead_from(naming, users[i], sought, &found);
	if (found.size == 0)
		return false;
	covering_narrow(naming->places, &found, sought);
	const char *type = places_type_name(naming->places, &found.type);
	if (type)
		text_append(text, "%s", type);
	return type && covering_path(&found, sought, NULL, text);
}

/* A lock of Rust's is a structure around its word: `A.inner.futex.v.value`. */
static void cut_innards(struct text *text)
{
	char *inner = strstr(text->at, ".inner.");
	if (!inner)
		return;
	*inner = 0;
	text->length = (size_t)(inner - text->at);
}

static bool is_rusts(const char *kind)
{
	return kind && strncmp(kind, "std::sync::", strlen("std::sync::")) == 0;
}

/* A variable of the program's own is called by its name, and the kind of what it is or has there. */
static bool name_fixed(struct naming *naming, uint64_t address, bool rust, struct text *text)
{
	const char *kind = places_kind(naming->places, address);
	places_name_in(naming->places, &naming->around, address, text->at, text->room);
	text->length = strlen(text->at);
	text->room = NAME_BYTES;
	if (rust || is_rusts(kind))
		cut_innards(text);
	if (kind)
		text_append(text, " (%s)", kind);
	naming->meant = kind ? places_meant(naming->places, address) : MEANT_UNKNOWN;
	return kind != NULL;
}

bool naming_name(struct naming *naming, const struct sought *sought, const uint32_t *users, size_t length,
		 bool rust, char name[NAME_BYTES])
{
	struct text text = {.at = name, .room = NAME_BYTES - 64};
	name[0] = 0;
	if (modules_find(&naming->places->modules, sought->address))
		return name_fixed(naming, sought->address, rust, &text);
	const bool found =
	    naming->objects++ < OBJECTS_MOST &&
	    (name_local(naming, sought, &text) || name_member(naming, users, length, sought, &text));
	naming->meant = !found ? MEANT_UNKNOWN : text.meant ? MEANT_SHARED : MEANT_NOT;
	if (found && (rust || is_rusts(text.kind)))
		cut_innards(&text);
	if (found && text.kind)
		text_append(&text, " (%s)", text.kind);
	if (found)
		text_append(&text, " at ");
	else
		text.length = 0;
	places_name_in(naming->places, &naming->around, sought->address, name + text.length,
		       NAME_BYTES - text.length);
	if (!found && rust)
		cut_innards(&text);
	return found;
}

void naming_release(struct naming *naming)
{
	for (size_t i = 0; i < naming->known_length; i++)
		scopes_release(&naming->known[i].scopes);
	free(naming->known);
	naming->known = NULL;
	naming->known_length = 0;
}
