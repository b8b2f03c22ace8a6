#include "breakpoints/op/entry_table.h"
#include "breakpoints/symbols/places.h"
#include "breakpoints/symbols/rust.h"
#include <stdlib.h>
#include <string.h>

/* Symbols as a reader of the program's source knows them. */

/*
 * Part of the C++ run-time (libstdc++, libc++abi). Weak, so that fmc also links without it: then C++
 * functions are shown by their symbols.
 */
extern char *__cxa_demangle(const char *symbol, char *buffer, size_t *length, int *status)
    __attribute__((weak));

char *demangle(const char *symbol)
{
	int status;
	if (strncmp(symbol, "_R", 2) == 0)
		return rust_demangle(symbol);
	if (!__cxa_demangle || strncmp(symbol, "_Z", 2) != 0)
		return NULL;
	char *name = __cxa_demangle(symbol, NULL, NULL, &status);
	if (name)
		rust_unescape(name);
	return name;
}

static bool begins_with(const char *text, const char *beginning)
{
	return strncmp(text, beginning, strlen(beginning)) == 0;
}

/* After `operator` and its sign: the sign may hold brackets that open nothing. */
static char *after_operator(char *c)
{
	c += strlen("operator");
	if (begins_with(c, "()") || begins_with(c, "[]"))
		return c + 2;
	return c + strspn(c, "<>=!+-*/%^&|~,");
}

/*
 * Without the type of the result, which is there for templates only, and without parameters: they make lines
 * long. "int f<long>(long)" is "f<long>", "(anonymous namespace)::pool::run() const" is "(anonymous
 * namespace)::pool::run".
 */
static char *shorten_cpp(char *name)
{
	char *start = name;
	int depth = 0;
	bool is_operator = false;
	for (char *c = name; *c; c++) {
		if (depth == 0 && begins_with(c, "operator") && (c == name || c[-1] == ':' || c[-1] == ' ')) {
			c = after_operator(c) - 1;
			is_operator = true;
		} else if (depth == 0 && *c == '(' && !begins_with(c, "(anonymous namespace)")) {
			*c = 0;
			break;
		} else if (strchr("<({[", *c)) {
			depth++;
		} else if (strchr(">)}]", *c)) {
			depth--;
		} else if (depth == 0 && *c == ' ' && !is_operator) {
			start = c + 1;
		}
	}
	return start;
}

/* pthread_create@@GLIBC_2.34, __pthread_mutex_lock: the names of one version and of libc's own use. */
static char *shorten_c(char *name)
{
	if (begins_with(name, "__GI_")) /* glibc's name for its own use of a public one */
		name += strlen("__GI_");
	char *version = strchr(name, '@');
	if (version && version != name)
		*version = 0;
	char *public = name + strspn(name, "_");
	return entry_point_find(public) ? public : name;
}

char *function_shorten(char *name)
{
	return strpbrk(name, "(<: ") ? shorten_cpp(name) : shorten_c(name);
}
