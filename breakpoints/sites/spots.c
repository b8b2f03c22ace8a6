#include "breakpoints/instructions/sweep.h"
#include "breakpoints/symbols/lines.h"
#include "breakpoints/symbols/symbols.h"

#include <fmc/breakpoints/spots.h>
#include <fmc/tracer/array.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A text in its parts. */
struct spelled {
	char name[256];	 /* of a file or a function; empty: an address */
	int line;	 /* 0: it is no line */
	uint64_t number; /* the address, or what comes after '+' */
};

static bool read_number(const char *text, uint64_t *number)
{
	char *end;
	*number = strtoull(text, &end, 0);
	return isdigit((unsigned char)*text) && !*end;
}

/* Could it be one, with scopes of C++'s? */
static bool is_function(const char *text)
{
	for (const char *colon = text; (colon = strchr(colon, ':')) != NULL; colon += 2)
		if (colon[1] != ':')
			return false;
	return !strchr(text, '/');
}

static bool take_apart(const char *text, struct spelled *spelled)
{
	const char *colon = strrchr(text, ':'), *plus = strrchr(text, '+');
	uint64_t number = 0;
	*spelled = (struct spelled){.line = 0};
	if (strncmp(text, "0x", 2) == 0)
		return read_number(text, &spelled->number);
	const bool line = colon && colon > text && colon[-1] != ':' && read_number(colon + 1, &number);
	const bool offset = !line && plus && plus > text && read_number(plus + 1, &number);
	const size_t length = line ? (size_t)(colon - text) : offset ? (size_t)(plus - text) : strlen(text);
	if (length == 0 || length >= sizeof spelled->name || (line && (number == 0 || number > INT32_MAX)) ||
	    (!line && !is_function(text)))
		return false;
	memcpy(spelled->name, text, length);
	spelled->line = line ? (int)number : 0;
	spelled->number = offset ? number : 0;
	return true;
}

bool spots_check(const char *text, char why[SPOTS_WHY])
{
	struct spelled spelled;
	if (take_apart(text, &spelled))
		return true;
	snprintf(why, SPOTS_WHY, "a place is FILE:LINE, FUNCTION, FUNCTION+0x12 or 0xADDRESS, not '%.60s'",
		 text);
	return false;
}

/* Always false. */
static bool say_no_line(struct places *places, const struct spelled *spelled, const struct line_code *code,
			char why[SPOTS_WHY])
{
	const char *near = lines_near_file(places, spelled->name);
	if (!code->has_lines)
		snprintf(why, SPOTS_WHY,
			 "the program has no debug information of lines: compile it with -g, or say "
			 "FUNCTION+0x12 or 0xADDRESS");
	else if (!code->has_file)
		snprintf(why, SPOTS_WHY, "there is no code of a file '%.60s'%s%.60s%s", spelled->name,
			 near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
	else if (code->before && code->after)
		snprintf(why, SPOTS_WHY, "line %d of %.60s has no code; the nearest that have are %d and %d",
			 spelled->line, spelled->name, code->before, code->after);
	else
		snprintf(why, SPOTS_WHY, "line %d of %.60s has no code; the %s that has is %d", spelled->line,
			 spelled->name, code->before ? "last" : "first",
			 code->before ? code->before : code->after);
	return false;
}

static bool find_line(struct spots *spots, struct places *places, const struct spelled *spelled,
		      char why[SPOTS_WHY])
{
	struct line_code code;
	if (lines_find(places, spelled->name, spelled->line, &code) != STATUS_OK) {
		snprintf(why, SPOTS_WHY, "out of memory");
		return false;
	}
	if (code.length == 0) {
		(void)say_no_line(places, spelled, &code, why);
		lines_release(&code);
		return false;
	}
	*spots = (struct spots){code.at, code.length};
	return true;
}

/* Does an instruction begin at the address, for certain? A trap in the middle of one would make another one of it. */
struct beginning {
	uint64_t address;
	bool found;
};

static void visit_instruction(void *context, const struct instruction *instruction)
{
	struct beginning *beginning = context;
	beginning->found |= instruction->address == beginning->address;
}

static bool begins_instruction(struct places *places, uint64_t address)
{
	const struct module *module = modules_find(&places->modules, address);
	struct beginning beginning = {address, false};
	const struct sweep_visitor visitor = {.context = &beginning, .instruction = visit_instruction};
	return module && sweep_module(module, &visitor) == STATUS_OK && beginning.found;
}

static bool add_instruction(struct spots *spots, struct places *places, uint64_t address, char why[SPOTS_WHY])
{
	if (!begins_instruction(places, address)) {
		snprintf(why, SPOTS_WHY, "no instruction of the program begins at %#lx for certain",
			 (unsigned long)address);
		return false;
	}
	if (!ARRAY_ONE_MORE(spots->at, spots->length)) {
		snprintf(why, SPOTS_WHY, "out of memory");
		return false;
	}
	spots->at[spots->length++] = address;
	return true;
}

struct function_search {
	const char *name;
	uint64_t address, size;
};

static bool is_named(const char *symbol, const char *name)
{
	char *plain = demangle(symbol);
	const size_t length = strlen(name);
	const char *full = plain ? plain : symbol;
	const bool same = strcmp(symbol, name) == 0 || (strncmp(full, name, length) == 0 &&
							(full[length] == '\0' || strchr("(@", full[length])));
	free(plain);
	return same;
}

static void visit_symbol(void *context, const struct symbol *symbol)
{
	struct function_search *search = context;
	if (search->address || !symbol->function || !is_named(symbol->name, search->name))
		return;
	search->address = symbol->address;
	search->size = symbol->size;
}

static bool find_function(struct spots *spots, struct places *places, const struct spelled *spelled,
			  char why[SPOTS_WHY])
{
	struct function_search search = {.name = spelled->name};
	for (size_t i = 0; i < places->modules.length && !search.address; i++)
		if (module_is_own(&places->modules.at[i]))
			(void)symbols_each(&places->modules.at[i], visit_symbol, &search);
	if (!search.address) {
		snprintf(why, SPOTS_WHY, "there is no function '%.60s' among the program's symbols",
			 spelled->name);
		return false;
	}
	if (search.size && spelled->number >= search.size) {
		snprintf(why, SPOTS_WHY, "'%.60s' has %#lx bytes", spelled->name, (unsigned long)search.size);
		return false;
	}
	return add_instruction(spots, places,
			       spelled->number ? search.address + spelled->number
					       : lines_after_prologue(places, search.address),
			       why);
}

bool spots_find(struct spots *spots, struct places *places, const char *text, char why[SPOTS_WHY])
{
	struct spelled spelled;
	*spots = (struct spots){0};
	if (!spots_check(text, why) || !take_apart(text, &spelled))
		return false;
	if (spelled.line)
		return find_line(spots, places, &spelled, why);
	return *spelled.name ? find_function(spots, places, &spelled, why)
			     : add_instruction(spots, places, spelled.number, why);
}

void spots_release(struct spots *spots)
{
	free(spots->at);
	*spots = (struct spots){0};
}
