#include "breakpoints/symbols/rust.h"
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Names of Rust's functions. The present scheme ("v0") is a grammar of paths with references to earlier parts; the older one
 * makes C++ names with escapes and a digest at their end. Arguments of generics are left out: they make lines long.
 */

#define NAME_ROOM  512
#define DEPTH_MOST 64 /* of paths within paths; references could go round for ever */

struct reader {
	const char *start; /* after "_R": what references count from */
	const char *at;
	char name[NAME_ROOM];
	size_t length;
	unsigned depth;
	unsigned silent; /* inside of this many parts that aren't shown */
	bool failed;
};

static void path(struct reader *reader);
static void type(struct reader *reader);

static void put(struct reader *reader, const char *text, size_t length)
{
	if (reader->silent || reader->failed)
		return;
	if (length >= NAME_ROOM - reader->length) {
		reader->failed = true;
		return;
	}
	memcpy(reader->name + reader->length, text, length);
	reader->length += length;
	reader->name[reader->length] = 0;
}

static void say(struct reader *reader, const char *text)
{
	put(reader, text, strlen(text));
}

static bool eat(struct reader *reader, char wanted)
{
	if (*reader->at != wanted)
		return false;
	reader->at++;
	return true;
}

static char next(struct reader *reader)
{
	if (*reader->at == 0) {
		reader->failed = true;
		return 0;
	}
	return *reader->at++;
}

/* "_" is 0, "0_" is 1. */
static uint64_t number62(struct reader *reader)
{
	uint64_t value = 0;
	if (eat(reader, '_'))
		return 0;
	for (char c; (c = next(reader)) != '_';) {
		unsigned digit = isdigit((unsigned char)c)   ? (unsigned)(c - '0')
				 : islower((unsigned char)c) ? (unsigned)(c - 'a' + 10)
				 : isupper((unsigned char)c) ? (unsigned)(c - 'A' + 36)
							     : 62;
		if (digit == 62 || value > (UINT64_MAX - digit) / 62) {
			reader->failed = true;
			return 0;
		}
		value = value * 62 + digit;
	}
	return value + 1;
}

/* What stands before a name to tell it from others of the same name, or before an implementation. */
static uint64_t disambiguator(struct reader *reader)
{
	return eat(reader, 's') ? number62(reader) + 1 : 0;
}

/* A name's own letters; *length 0: it has none. */
static const char *letters(struct reader *reader, size_t *length)
{
	*length = 0;
	(void)eat(reader, 'u');	      /* punycode, shown as it is */
	bool none = eat(reader, '0'); /* a number has no zero before it */
	while (!none && isdigit((unsigned char)*reader->at) && *length < NAME_ROOM)
		*length = 10 * *length + (size_t)(*reader->at++ - '0');
	(void)eat(reader, '_');
	const char *text = reader->at;
	if (strnlen(text, *length) < *length) {
		reader->failed = true;
		*length = 0;
	}
	reader->at += *length;
	return text;
}

/* Read an earlier part as if it stood here. */
static void refer(struct reader *reader, void (*part)(struct reader *))
{
	const char *here = reader->at - 1;
	uint64_t offset = number62(reader);
	if (reader->failed || offset >= (uint64_t)(here - reader->start)) {
		reader->failed = true;
		return;
	}
	const char *after = reader->at;
	reader->at = reader->start + offset;
	part(reader);
	reader->at = after;
}

/* A value of a generic's parameter, which isn't shown. */
static void constant(struct reader *reader)
{
	if (eat(reader, 'p'))
		return;
	if (eat(reader, 'B')) {
		refer(reader, constant);
		return;
	}
	type(reader);
	(void)eat(reader, 'n');
	while (isxdigit((unsigned char)*reader->at))
		reader->at++;
	reader->failed |= !eat(reader, '_');
}

static void argument(struct reader *reader)
{
	if (eat(reader, 'L'))
		number62(reader);
	else if (eat(reader, 'K'))
		constant(reader);
	else
		type(reader);
}

static void list(struct reader *reader, void (*part)(struct reader *))
{
	while (!reader->failed && !eat(reader, 'E'))
		part(reader);
}

static void function_type(struct reader *reader)
{
	size_t length;
	if (eat(reader, 'G'))
		number62(reader);
	(void)eat(reader, 'U');
	if (eat(reader, 'K') && !eat(reader, 'C'))
		letters(reader, &length);
	list(reader, type);
	type(reader);
}

static void bound(struct reader *reader)
{
	size_t length;
	path(reader);
	while (!reader->failed && eat(reader, 'p')) {
		letters(reader, &length);
		type(reader);
	}
}

static void compound_type(struct reader *reader, char kind)
{
	reader->silent++;
	switch (kind) {
	case 'A':
		type(reader);
		constant(reader);
		break;
	case 'T':
		list(reader, type);
		break;
	case 'F':
		function_type(reader);
		break;
	case 'D':
		if (eat(reader, 'G'))
			number62(reader);
		list(reader, bound);
		reader->failed |= !eat(reader, 'L');
		number62(reader);
		break;
	default: /* references, pointers, slices */
		if (eat(reader, 'L'))
			number62(reader);
		type(reader);
	}
	reader->silent--;
}

static const char *compound_name(char kind)
{
	switch (kind) {
	case 'A':
	case 'S':
		return "[_]";
	case 'T':
		return "(_)";
	case 'F':
		return "fn";
	case 'D':
		return "dyn";
	default:
		return "&_";
	}
}

static const char *const basic_types[26] = {
    "i8",   "bool", "char", "f64", "str", "f32", NULL,	"u8", "isize", "usize", NULL,  "i32", "u32",
    "i128", "u128", "_",    NULL,  NULL,  "i16", "u16", "()", "...",   NULL,	"i64", "u64", "!"};

static void type(struct reader *reader)
{
	char kind = *reader->at;
	if (reader->failed || ++reader->depth > DEPTH_MOST) {
		reader->failed = true;
		return;
	}
	if (islower((unsigned char)kind)) {
		const char *name = basic_types[kind - 'a'];
		reader->at++;
		reader->failed |= !name;
		say(reader, name ? name : "");
	} else if (kind && strchr("ASTRQPOFD", kind)) {
		reader->at++;
		say(reader, compound_name(kind));
		compound_type(reader, kind);
	} else if (eat(reader, 'B')) {
		refer(reader, type);
	} else {
		path(reader);
	}
	reader->depth--;
}

static void unseen_path(struct reader *reader)
{
	reader->silent++;
	path(reader);
	reader->silent--;
}

/* A name within a path: of a lower-case namespace as it is, of the others (closures) as what it is. */
static void nested(struct reader *reader)
{
	size_t length;
	char space = next(reader), more[32];
	path(reader);
	uint64_t which = disambiguator(reader);
	const char *text = letters(reader, &length);
	if (isupper((unsigned char)space)) {
		snprintf(more, sizeof(more), "::{%s%s",
			 space == 'C'	? "closure"
			 : space == 'S' ? "shim"
					: "inner",
			 length ? ":" : "");
		say(reader, more);
		put(reader, text, length);
		snprintf(more, sizeof(more), "#%llu}", (unsigned long long)which);
		say(reader, more);
	} else if (length) {
		say(reader, "::");
		put(reader, text, length);
	}
}

static void implementation(struct reader *reader, char kind)
{
	if (kind != 'Y') { /* where it stands in the source */
		disambiguator(reader);
		unseen_path(reader);
	}
	if (kind != 'M')
		say(reader, "<");
	type(reader);
	if (kind == 'M')
		return;
	say(reader, " as ");
	path(reader);
	say(reader, ">");
}

static void path(struct reader *reader)
{
	size_t length;
	if (reader->failed || ++reader->depth > DEPTH_MOST) {
		reader->failed = true;
		return;
	}
	char kind = next(reader);
	switch (kind) {
	case 'C': {
		disambiguator(reader);
		const char *text = letters(reader, &length);
		put(reader, text, length);
		break;
	}
	case 'N':
		nested(reader);
		break;
	case 'M':
	case 'X':
	case 'Y':
		implementation(reader, kind);
		break;
	case 'I':
		path(reader);
		reader->silent++;
		list(reader, argument);
		reader->silent--;
		break;
	case 'B':
		refer(reader, path);
		break;
	default:
		reader->failed = true;
	}
	reader->depth--;
}

char *rust_demangle(const char *symbol)
{
	if (strncmp(symbol, "_R", 2) != 0 || !isupper((unsigned char)symbol[2]))
		return NULL;
	struct reader *reader = calloc(1, sizeof(*reader));
	if (!reader)
		return NULL;
	reader->start = reader->at = symbol + 2;
	path(reader);
	char *name = reader->failed || reader->length == 0 ? NULL : strdup(reader->name);
	free(reader);
	return name;
}

#define DIGEST 19 /* "::h" and 16 digits */

static bool ends_with_digest(const char *name, size_t length)
{
	if (length <= DIGEST || strncmp(name + length - DIGEST, "::h", 3) != 0)
		return false;
	return strspn(name + length - 16, "0123456789abcdef") == 16;
}

/* The letter that an escape stands for; 0: it is none. *length takes the escape's. */
static char unescape(const char *text, size_t *length)
{
	static const struct {
		const char *escape;
		char letter;
	} known[] = {{"$LT$", '<'},  {"$GT$", '>'},  {"$LP$", '('},  {"$RP$", ')'},  {"$RF$", '&'},
		     {"$BP$", '*'},  {"$C$", ','},   {"$SP$", '@'},  {"$u20$", ' '}, {"$u27$", '\''},
		     {"$u5b$", '['}, {"$u5d$", ']'}, {"$u7b$", '{'}, {"$u7d$", '}'}, {"$u7e$", '~'}};
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		*length = strlen(known[i].escape);
		if (strncmp(text, known[i].escape, *length) == 0)
			return known[i].letter;
	}
	return 0;
}

void rust_unescape(char *name)
{
	size_t length = strlen(name), escape;
	if (!ends_with_digest(name, length))
		return;
	name[length - DIGEST] = 0;
	char *to = name, letter;
	for (const char *from = name; *from;) {
		bool begins = from == name || from[-1] == ':';
		if (begins && from[0] == '_' && from[1] == '$') {
			from++; /* a part of a name mustn't begin with an escape */
		} else if ((letter = unescape(from, &escape))) {
			*to++ = letter;
			from += escape;
		} else if (from[0] == '.' && from[1] == '.') {
			*to++ = ':';
			*to++ = ':';
			from += 2;
		} else {
			*to++ = *from++;
		}
	}
	*to = 0;
}
