/* Formulas as text. */
#include "supervisor/temporal/formula.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define DEEPEST 200

struct reader {
	struct formulas *formulas;
	const char *text;
	size_t at;
	unsigned depth;
	const struct proposition_finder *finder;
	struct expression_problem *problem;
};

static uint32_t read_either(struct reader *reader);
static uint32_t read_unary(struct reader *reader);

/* Always NO_FORMULA. */
static uint32_t fail(struct reader *reader, size_t at, const char *text)
{
	if (!*reader->problem->text) {
		reader->problem->column = at + 1;
		snprintf(reader->problem->text, sizeof reader->problem->text, "%s", text);
	}
	return NO_FORMULA;
}

static const char *skip_blanks(struct reader *reader)
{
	reader->at += strspn(reader->text + reader->at, " \t\n");
	return reader->text + reader->at;
}

static bool in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Take this sign, or this letter as a word of its own. */
static bool take(struct reader *reader, const char *sign)
{
	const char *text = skip_blanks(reader);
	const size_t length = strlen(sign);
	if (strncmp(text, sign, length) != 0 || (isalpha((unsigned char)*sign) && in_name(text[length])))
		return false;
	reader->at += length;
	return true;
}

static uint32_t found(struct reader *reader, const char *text, size_t length, bool quoted, size_t at)
{
	const int number =
	    reader->finder->find(reader->finder->context, text, length, quoted, at, reader->problem);
	return number < 0 ? NO_FORMULA : formula_make(reader->formulas, FORMULA_HOLDS, (uint32_t)number, 0);
}

/* An expression in braces or quotes. */
static uint32_t read_quoted(struct reader *reader, char close)
{
	const size_t begin = reader->at + 1;
	const char *end = strchr(reader->text + begin, close);
	if (!end)
		return fail(reader, reader->at, "it isn't closed");
	reader->at = (size_t)(end - reader->text) + 1;
	return found(reader, reader->text + begin, (size_t)(end - reader->text) - begin, true, begin);
}

static uint32_t read_name(struct reader *reader)
{
	const size_t begin = reader->at;
	while (in_name(reader->text[reader->at]))
		reader->at++;
	const size_t length = reader->at - begin;
	const char *text = reader->text + begin;
	if (length == 4 && strncmp(text, "true", 4) == 0)
		return FORMULA_ALWAYS;
	if (length == 5 && strncmp(text, "false", 5) == 0)
		return FORMULA_NEVER;
	if (length == 1 && strchr("URW", *text))
		return fail(reader, begin, "a formula is expected before it");
	return found(reader, text, length, false, begin);
}

static uint32_t read_primary(struct reader *reader)
{
	const char *text = skip_blanks(reader);
	if (take(reader, "(")) {
		const uint32_t inner = read_either(reader);
		if (inner != NO_FORMULA && !take(reader, ")"))
			return fail(reader, reader->at, "')' is expected");
		return inner;
	}
	if (*text == '{')
		return read_quoted(reader, '}');
	if (*text == '\'' || *text == '"')
		return read_quoted(reader, *text);
	if (isalpha((unsigned char)*text) || *text == '_')
		return read_name(reader);
	return fail(reader, reader->at,
		    *text
			? "a formula is expected: a name of --prop, {an expression}, or one after !, X, F, G"
			: "a formula is missing at the end");
}

static uint32_t make(struct reader *reader, enum formula_kind kind, uint32_t a, uint32_t b)
{
	return formula_make(reader->formulas, kind, a, b);
}

static uint32_t read_sign(struct reader *reader)
{
	if (take(reader, "!"))
		return formula_negate(reader->formulas, read_unary(reader));
	if (take(reader, "X"))
		return make(reader, FORMULA_NEXT, read_unary(reader), 0);
	if (take(reader, "F") || take(reader, "<>"))
		return make(reader, FORMULA_UNTIL, FORMULA_ALWAYS, read_unary(reader));
	if (take(reader, "G") || take(reader, "[]"))
		return make(reader, FORMULA_RELEASE, FORMULA_NEVER, read_unary(reader));
	return read_primary(reader);
}

static uint32_t read_unary(struct reader *reader)
{
	if (reader->depth == DEEPEST)
		return fail(reader, reader->at, "it is nested too deeply");
	reader->depth++;
	const uint32_t formula = read_sign(reader);
	reader->depth--;
	return formula;
}

/* To the right: a U b U c is a U (b U c). */
static uint32_t read_until(struct reader *reader)
{
	const uint32_t a = read_unary(reader);
	if (a == NO_FORMULA || reader->depth == DEEPEST)
		return a;
	reader->depth++;
	uint32_t result = a;
	if (take(reader, "U")) {
		result = make(reader, FORMULA_UNTIL, a, read_until(reader));
	} else if (take(reader, "R")) {
		result = make(reader, FORMULA_RELEASE, a, read_until(reader));
	} else if (take(reader, "W")) {
		const uint32_t b = read_until(reader);
		result = make(reader, FORMULA_RELEASE, b, make(reader, FORMULA_OR, a, b));
	}
	reader->depth--;
	return result;
}

static uint32_t read_and(struct reader *reader)
{
	uint32_t a = read_until(reader);
	while (a != NO_FORMULA && take(reader, "&&"))
		a = make(reader, FORMULA_AND, a, read_until(reader));
	return a;
}

static uint32_t read_or(struct reader *reader)
{
	uint32_t a = read_and(reader);
	while (a != NO_FORMULA && take(reader, "||"))
		a = make(reader, FORMULA_OR, a, read_and(reader));
	return a;
}

static uint32_t read_implied(struct reader *reader)
{
	const uint32_t a = read_or(reader);
	if (a == NO_FORMULA || reader->depth == DEEPEST || !take(reader, "->"))
		return a;
	reader->depth++;
	const uint32_t b = read_implied(reader);
	reader->depth--;
	return make(reader, FORMULA_OR, formula_negate(reader->formulas, a), b);
}

static uint32_t read_either(struct reader *reader)
{
	uint32_t a = read_implied(reader);
	while (a != NO_FORMULA && take(reader, "<->")) {
		const uint32_t b = read_implied(reader);
		const uint32_t both = make(reader, FORMULA_AND, a, b);
		const uint32_t neither = make(reader, FORMULA_AND, formula_negate(reader->formulas, a),
					      formula_negate(reader->formulas, b));
		a = make(reader, FORMULA_OR, both, neither);
	}
	return a;
}

uint32_t formula_parse(struct formulas *formulas, const char *text, const struct proposition_finder *finder,
		       struct expression_problem *problem)
{
	struct reader reader = {formulas, text, 0, 0, finder, problem};
	*problem = (struct expression_problem){0};
	const uint32_t formula = read_either(&reader);
	if (formula == NO_FORMULA)
		return fail(&reader, reader.at, "out of memory");
	if (*skip_blanks(&reader))
		return fail(&reader, reader.at, "an operator is expected: && || -> <-> U R W");
	return formula;
}
