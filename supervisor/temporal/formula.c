#include "supervisor/temporal/formula.h"

#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>

/* Members of one conjunction or disjunction; what has more isn't brought into order any further. */
#define MEMBERS 64

bool formulas_init(struct formulas *formulas)
{
	*formulas = (struct formulas){0};
	return formula_make(formulas, FORMULA_TRUE, 0, 0) == FORMULA_ALWAYS &&
	       formula_make(formulas, FORMULA_FALSE, 0, 0) == FORMULA_NEVER;
}

void formulas_release(struct formulas *formulas)
{
	free(formulas->at);
	free(formulas->slots);
	*formulas = (struct formulas){0};
}

static uint32_t hash(const struct formula *formula)
{
	uint64_t digest = (uint64_t)formula->kind * UINT64_C(0x9e3779b97f4a7c15);
	digest = (digest ^ formula->a) * UINT64_C(0xbf58476d1ce4e5b9);
	digest = (digest ^ formula->b) * UINT64_C(0x94d049bb133111eb);
	return (uint32_t)(digest >> 32);
}

static uint32_t *slot_of(struct formulas *formulas, const struct formula *formula)
{
	const uint32_t mask = formulas->slots_room - 1;
	uint32_t i = hash(formula) & mask;
	while (formulas->slots[i]) {
		const struct formula *other = &formulas->at[formulas->slots[i] - 1];
		if (other->kind == formula->kind && other->a == formula->a && other->b == formula->b)
			break;
		i = (i + 1) & mask;
	}
	return &formulas->slots[i];
}

static bool grow(struct formulas *formulas)
{
	const uint32_t room = formulas->slots_room ? 2 * formulas->slots_room : 64;
	uint32_t *slots = calloc(room, sizeof *slots);
	if (!slots)
		return false;
	free(formulas->slots);
	formulas->slots = slots;
	formulas->slots_room = room;
	for (uint32_t i = 0; i < formulas->length; i++)
		*slot_of(formulas, &formulas->at[i]) = i + 1;
	return true;
}

/* As it is, once. */
static uint32_t intern(struct formulas *formulas, struct formula formula)
{
	if (2 * formulas->length >= formulas->slots_room && !grow(formulas))
		return NO_FORMULA;
	uint32_t *slot = slot_of(formulas, &formula);
	if (*slot)
		return *slot - 1;
	if (!ARRAY_GROW(formulas->at, formulas->length, formulas->room))
		return NO_FORMULA;
	formulas->at[formulas->length] = formula;
	*slot = ++formulas->length;
	return formulas->length - 1;
}

struct members {
	uint32_t at[MEMBERS];
	size_t length;
	bool many;
};

static void collect(const struct formulas *formulas, enum formula_kind kind, uint32_t formula,
		    struct members *members)
{
	const struct formula *f = &formulas->at[formula];
	if (f->kind == kind) {
		collect(formulas, kind, f->a, members);
		collect(formulas, kind, f->b, members);
		return;
	}
	for (size_t i = 0; i < members->length; i++)
		if (members->at[i] == formula)
			return;
	members->many |= members->length == MEMBERS;
	if (!members->many)
		members->at[members->length++] = formula;
}

static int ascending(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

/* A proposition and its negation among them. */
static bool contradicts(const struct formulas *formulas, const struct members *members)
{
	uint64_t holds = 0, fails = 0;
	for (size_t i = 0; i < members->length; i++) {
		const struct formula *f = &formulas->at[members->at[i]];
		holds |= f->kind == FORMULA_HOLDS ? UINT64_C(1) << f->a : 0;
		fails |= f->kind == FORMULA_FAILS ? UINT64_C(1) << f->a : 0;
	}
	return holds & fails;
}

/* Of all members in their order, each once: so that progression comes back to what it was. */
static uint32_t combine(struct formulas *formulas, enum formula_kind kind, uint32_t a, uint32_t b)
{
	const uint32_t neutral = kind == FORMULA_AND ? FORMULA_ALWAYS : FORMULA_NEVER;
	const uint32_t strong = kind == FORMULA_AND ? FORMULA_NEVER : FORMULA_ALWAYS;
	struct members members = {.length = 0};
	if (a == strong || b == strong)
		return strong;
	if (a == neutral || a == b)
		return b;
	if (b == neutral)
		return a;
	collect(formulas, kind, a, &members);
	collect(formulas, kind, b, &members);
	if (members.many)
		return intern(formulas, (struct formula){kind, a, b});
	if (contradicts(formulas, &members))
		return strong;
	qsort(members.at, members.length, sizeof *members.at, ascending);
	uint32_t all = members.at[members.length - 1];
	for (size_t i = members.length - 1; i-- > 0 && all != NO_FORMULA;)
		all = intern(formulas, (struct formula){kind, members.at[i], all});
	return all;
}

uint32_t formula_make(struct formulas *formulas, enum formula_kind kind, uint32_t a, uint32_t b)
{
	if (a == NO_FORMULA || b == NO_FORMULA)
		return NO_FORMULA;
	switch (kind) {
	case FORMULA_AND:
	case FORMULA_OR:
		return combine(formulas, kind, a, b);
	case FORMULA_NEXT:
		return a <= FORMULA_NEVER ? a : intern(formulas, (struct formula){kind, a, 0});
	case FORMULA_UNTIL:
		return b <= FORMULA_NEVER || a == FORMULA_NEVER
			   ? b
			   : intern(formulas, (struct formula){kind, a, b});
	case FORMULA_RELEASE:
		return b <= FORMULA_NEVER || a == FORMULA_ALWAYS
			   ? b
			   : intern(formulas, (struct formula){kind, a, b});
	default:
		return intern(formulas, (struct formula){kind, a, b});
	}
}

uint32_t formula_negate(struct formulas *formulas, uint32_t formula)
{
	static const enum formula_kind dual[] = {
	    [FORMULA_TRUE] = FORMULA_FALSE,    [FORMULA_FALSE] = FORMULA_TRUE,
	    [FORMULA_HOLDS] = FORMULA_FAILS,   [FORMULA_FAILS] = FORMULA_HOLDS,
	    [FORMULA_AND] = FORMULA_OR,	       [FORMULA_OR] = FORMULA_AND,
	    [FORMULA_NEXT] = FORMULA_NEXT,     [FORMULA_UNTIL] = FORMULA_RELEASE,
	    [FORMULA_RELEASE] = FORMULA_UNTIL,
	};
	if (formula == NO_FORMULA)
		return NO_FORMULA;
	const struct formula f = formulas->at[formula];
	if (f.kind <= FORMULA_FAILS)
		return formula_make(formulas, dual[f.kind], f.a, f.b);
	const uint32_t a = formula_negate(formulas, f.a);
	return formula_make(formulas, dual[f.kind], a,
			    f.kind == FORMULA_NEXT ? 0 : formula_negate(formulas, f.b));
}

uint32_t formula_progress(struct formulas *formulas, uint32_t formula, uint64_t state)
{
	if (formula == NO_FORMULA)
		return NO_FORMULA;
	const struct formula f = formulas->at[formula];
	switch (f.kind) {
	case FORMULA_TRUE:
	case FORMULA_FALSE:
		return formula;
	case FORMULA_HOLDS:
		return state >> f.a & 1 ? FORMULA_ALWAYS : FORMULA_NEVER;
	case FORMULA_FAILS:
		return state >> f.a & 1 ? FORMULA_NEVER : FORMULA_ALWAYS;
	case FORMULA_NEXT:
		return f.a;
	case FORMULA_AND:
	case FORMULA_OR:
		return formula_make(formulas, f.kind, formula_progress(formulas, f.a, state),
				    formula_progress(formulas, f.b, state));
	case FORMULA_UNTIL:
		return formula_make(
		    formulas, FORMULA_OR, formula_progress(formulas, f.b, state),
		    formula_make(formulas, FORMULA_AND, formula_progress(formulas, f.a, state), formula));
	case FORMULA_RELEASE:
		return formula_make(
		    formulas, FORMULA_AND, formula_progress(formulas, f.b, state),
		    formula_make(formulas, FORMULA_OR, formula_progress(formulas, f.a, state), formula));
	}
	return NO_FORMULA;
}

bool formula_counts(const struct formulas *formulas, uint32_t formula)
{
	const struct formula *f = &formulas->at[formula];
	if (f->kind == FORMULA_NEXT)
		return true;
	return f->kind > FORMULA_FAILS && (formula_counts(formulas, f->a) || formula_counts(formulas, f->b));
}

void formula_parts(const struct formulas *formulas, uint32_t formula, bool parts[])
{
	const struct formula *f = &formulas->at[formula];
	if (parts[formula])
		return;
	parts[formula] = true;
	if (f->kind <= FORMULA_FAILS)
		return;
	formula_parts(formulas, f->a, parts);
	if (f->kind != FORMULA_NEXT)
		formula_parts(formulas, f->b, parts);
}

/* A word, and what of each part holds from which position on. */
struct word {
	const uint64_t *states;
	size_t length, loop;
	bool **holds;
};

static bool at_position(const struct word *word, const struct formula *f, const bool *self, size_t i)
{
	const size_t next = i + 1 < word->length ? i + 1 : word->loop;
	switch (f->kind) {
	case FORMULA_TRUE:
	case FORMULA_FALSE:
		return f->kind == FORMULA_TRUE;
	case FORMULA_HOLDS:
		return word->states[i] >> f->a & 1;
	case FORMULA_FAILS:
		return !(word->states[i] >> f->a & 1);
	case FORMULA_AND:
		return word->holds[f->a][i] && word->holds[f->b][i];
	case FORMULA_OR:
		return word->holds[f->a][i] || word->holds[f->b][i];
	case FORMULA_NEXT:
		return word->holds[f->a][next];
	case FORMULA_UNTIL:
		return word->holds[f->b][i] || (word->holds[f->a][i] && self[next]);
	case FORMULA_RELEASE:
		return word->holds[f->b][i] && (word->holds[f->a][i] || self[next]);
	}
	return false;
}

/* U is the least solution of its equation, R the greatest: the second time round the loop nothing changes any more. */
static void evaluate(const struct word *word, const struct formula *f, bool *self)
{
	memset(self, f->kind == FORMULA_RELEASE, word->length);
	for (int round = 0; round < 2; round++)
		for (size_t i = word->length; i-- > 0;)
			self[i] = at_position(word, f, self, i);
}

bool formula_fulfilled(const struct formulas *formulas, uint32_t formula, const uint64_t states[],
		       size_t length, size_t loop, bool *failed)
{
	const size_t count = (size_t)formula + 1;
	bool *parts = calloc(count, sizeof *parts), result = false;
	struct word word = {states, length, loop, calloc(count, sizeof *word.holds)};
	*failed = !parts || !word.holds;
	if (!*failed)
		formula_parts(formulas, formula, parts);
	for (uint32_t i = 0; i < count && !*failed; i++) {
		if (!parts[i])
			continue;
		word.holds[i] = malloc(length);
		*failed = !word.holds[i];
		if (!*failed)
			evaluate(&word, &formulas->at[i], word.holds[i]);
	}
	if (!*failed)
		result = word.holds[formula][0];
	for (uint32_t i = 0; word.holds && i < count; i++)
		free(word.holds[i]);
	free(word.holds);
	free(parts);
	return result;
}
