#include "supervisor/temporal/tableau.h"

#include <fmc/supervisor/bitset.h>
#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>

/* A node that is being made: what is still to be looked at, what has been, and what it leaves to the next one. */
struct draft {
	uint64_t *now, *done, *next;
	uint64_t holds, fails;
};

void tableau_release(struct tableau *tableau)
{
	free(tableau->parts);
	free(tableau->nodes);
	free(tableau->sets);
	free(tableau->bits);
	free(tableau->members);
}

static bool fail(struct tableau *tableau)
{
	tableau->failed = true;
	return false;
}

static uint32_t part_of(const struct tableau *tableau, uint32_t formula)
{
	uint32_t low = 0, high = tableau->parts_length;
	while (high - low > 1) {
		const uint32_t middle = low + (high - low) / 2;
		if (tableau->parts[middle] <= formula)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static const struct formula *formula_of(const struct tableau *tableau, uint32_t part)
{
	return &tableau->formulas->at[tableau->parts[part]];
}

static bool list_parts(struct tableau *tableau, uint32_t formula)
{
	bool *has = calloc((size_t)formula + 1, sizeof *has);
	tableau->parts = calloc((size_t)formula + 1, sizeof *tableau->parts);
	if (has)
		formula_parts(tableau->formulas, formula, has);
	for (uint32_t i = 0; has && tableau->parts && i <= formula; i++)
		if (has[i])
			tableau->parts[tableau->parts_length++] = i;
	free(has);
	tableau->words = bitset_words(tableau->parts_length);
	return (has && tableau->parts) || fail(tableau);
}

static bool list_untils(struct tableau *tableau)
{
	for (uint32_t i = 0; i < tableau->parts_length; i++) {
		if (formula_of(tableau, i)->kind != FORMULA_UNTIL)
			continue;
		tableau->large |= tableau->untils_length == 64;
		if (tableau->large)
			return false;
		tableau->untils[tableau->untils_length++] = i;
	}
	return true;
}

/* The number of this set, which is kept. */
static uint32_t intern_set(struct tableau *tableau, const uint64_t *bits)
{
	const uint32_t words = tableau->words;
	for (uint32_t s = 0; s < tableau->sets_length; s++)
		if (bitset_equal(tableau->bits + (size_t)s * words, bits, words))
			return s;
	tableau->large |= tableau->sets_length == TABLEAU_MOST;
	if (tableau->large)
		return 0;
	const uint32_t s = tableau->sets_length;
	if (!ARRAY_GROW(tableau->sets, s, tableau->sets_room) ||
	    !ARRAY_RESERVE(tableau->bits, (s + 1) * words, tableau->bits_room)) {
		tableau->failed = true;
		return 0;
	}
	tableau->sets[s] = (struct tableau_set){0};
	bitset_copy(tableau->bits + (size_t)s * words, bits, words);
	tableau->sets_length++;
	return s;
}

static bool same_node(const struct tableau_node *a, const struct tableau_node *b)
{
	return a->holds == b->holds && a->fails == b->fails && a->kept == b->kept && a->next == b->next;
}

static uint32_t intern_node(struct tableau *tableau, struct tableau_node node)
{
	for (uint32_t n = 0; n < tableau->nodes_length; n++)
		if (same_node(&tableau->nodes[n], &node))
			return n;
	tableau->large |= tableau->nodes_length == TABLEAU_MOST;
	if (tableau->large)
		return 0;
	if (!ARRAY_GROW(tableau->nodes, tableau->nodes_length, tableau->nodes_room)) {
		tableau->failed = true;
		return 0;
	}
	tableau->nodes[tableau->nodes_length] = node;
	return tableau->nodes_length++;
}

static uint64_t kept(const struct tableau *tableau, const struct draft *draft)
{
	uint64_t bits = 0;
	for (uint32_t u = 0; u < tableau->untils_length; u++) {
		const uint32_t until = tableau->untils[u];
		const uint32_t b = part_of(tableau, formula_of(tableau, until)->b);
		if (!bitset_has(draft->done, until) || bitset_has(draft->done, b))
			bits |= UINT64_C(1) << u;
	}
	return bits;
}

/* Whatever begins with `weak` may begin so if it begins with `strong`. */
static bool covers(const struct tableau *tableau, const struct tableau_node *weak,
		   const struct tableau_node *strong)
{
	return (weak->holds & ~strong->holds) == 0 && (weak->fails & ~strong->fails) == 0 &&
	       (strong->kept & ~weak->kept) == 0 &&
	       bitset_subset(tableau->bits + (size_t)weak->next * tableau->words,
			     tableau->bits + (size_t)strong->next * tableau->words, tableau->words);
}

/* One more member of the set, the last in the list; those that another member makes needless aren't kept. */
static void add_member(struct tableau *tableau, uint32_t set, struct tableau_node node)
{
	struct tableau_set *members = &tableau->sets[set];
	uint32_t kept_length = members->first;
	for (uint32_t m = members->first; m < tableau->members_length; m++)
		if (covers(tableau, &tableau->nodes[tableau->members[m]], &node))
			return;
	for (uint32_t m = members->first; m < tableau->members_length; m++)
		if (!covers(tableau, &node, &tableau->nodes[tableau->members[m]]))
			tableau->members[kept_length++] = tableau->members[m];
	tableau->members_length = kept_length;
	const uint32_t number = intern_node(tableau, node);
	if (!ARRAY_GROW(tableau->members, tableau->members_length, tableau->members_room))
		tableau->failed = true;
	else
		tableau->members[tableau->members_length++] = number;
}

static void want(const struct tableau *tableau, struct draft *draft, uint32_t formula)
{
	const uint32_t part = part_of(tableau, formula);
	if (!bitset_has(draft->done, part))
		bitset_add(draft->now, part);
}

static bool has(const struct tableau *tableau, const struct draft *draft, uint32_t formula)
{
	return bitset_has(draft->done, part_of(tableau, formula));
}

static void expand(struct tableau *tableau, uint32_t set, struct draft *draft);

/* The other of two ways. */
static void expand_other(struct tableau *tableau, uint32_t set, const struct draft *draft,
			 const uint32_t wanted[2], uint32_t length)
{
	const uint32_t words = tableau->words;
	uint64_t *bits = calloc(words, 3 * sizeof *bits);
	if (!bits) {
		tableau->failed = true;
		return;
	}
	struct draft other = {bits, bits + words, bits + 2 * (size_t)words, draft->holds, draft->fails};
	bitset_copy(other.now, draft->now, words);
	bitset_copy(other.done, draft->done, words);
	bitset_copy(other.next, draft->next, words);
	for (uint32_t i = 0; i < length; i++)
		want(tableau, &other, wanted[i]);
	expand(tableau, set, &other);
	free(bits);
}

/* Of a disjunction, or an equation of U or R, one way is taken here, and the other on a copy. */
static void split(struct tableau *tableau, uint32_t set, struct draft *draft, uint32_t part)
{
	const struct formula f = *formula_of(tableau, part);
	const uint32_t both[2] = {f.b, f.a};
	const bool a = has(tableau, draft, f.a), b = has(tableau, draft, f.b);
	if (f.kind == FORMULA_RELEASE ? a && b : b || (f.kind == FORMULA_OR && a))
		return;
	expand_other(tableau, set, draft, both, f.kind == FORMULA_RELEASE ? 2 : 1);
	want(tableau, draft, f.kind == FORMULA_RELEASE ? f.b : f.a);
	if (f.kind != FORMULA_OR)
		bitset_add(draft->next, part);
}

/* False: the node contradicts itself. */
static bool take(struct tableau *tableau, uint32_t set, struct draft *draft, uint32_t part)
{
	const struct formula f = *formula_of(tableau, part);
	switch (f.kind) {
	case FORMULA_TRUE:
		return true;
	case FORMULA_FALSE:
		return false;
	case FORMULA_HOLDS:
		draft->holds |= UINT64_C(1) << f.a;
		return !(draft->fails >> f.a & 1);
	case FORMULA_FAILS:
		draft->fails |= UINT64_C(1) << f.a;
		return !(draft->holds >> f.a & 1);
	case FORMULA_AND:
		want(tableau, draft, f.a);
		want(tableau, draft, f.b);
		return true;
	case FORMULA_NEXT:
		bitset_add(draft->next, part_of(tableau, f.a));
		return true;
	default:
		split(tableau, set, draft, part);
		return true;
	}
}

static void expand(struct tableau *tableau, uint32_t set, struct draft *draft)
{
	uint32_t part;
	while ((part = bitset_next(draft->now, tableau->words, 0)) != UINT32_MAX) {
		bitset_remove(draft->now, part);
		bitset_add(draft->done, part);
		if (tableau->failed || tableau->large || !take(tableau, set, draft, part))
			return;
	}
	const uint32_t next = intern_set(tableau, draft->next);
	if (!tableau->failed && !tableau->large)
		add_member(tableau, set,
			   (struct tableau_node){draft->holds, draft->fails, kept(tableau, draft), next});
}

/* The nodes that cover this set. */
static void cover(struct tableau *tableau, uint32_t set, uint64_t *bits)
{
	const uint32_t words = tableau->words;
	struct draft draft = {.now = bits, .done = bits + words, .next = bits + 2 * (size_t)words};
	bitset_clear(bits, 3 * words);
	bitset_copy(draft.now, tableau->bits + (size_t)set * words, words);
	tableau->sets[set].first = tableau->members_length;
	expand(tableau, set, &draft);
	tableau->sets[set].length = tableau->members_length - tableau->sets[set].first;
}

bool tableau_make(struct tableau *tableau, const struct formulas *formulas, uint32_t formula)
{
	*tableau = (struct tableau){.formulas = formulas};
	if (!list_parts(tableau, formula) || !list_untils(tableau))
		return false;
	uint64_t *bits = calloc(tableau->words, 3 * sizeof *bits);
	if (!bits)
		return fail(tableau);
	bitset_add(bits, part_of(tableau, formula));
	(void)intern_set(tableau, bits);
	for (uint32_t s = 0; s < tableau->sets_length && !tableau->failed && !tableau->large; s++)
		cover(tableau, s, bits);
	free(bits);
	return !tableau->failed && !tableau->large;
}
