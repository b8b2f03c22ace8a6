/*
 * Algorithm 1 of Musuvathi and Qadeer, Fair Stateless Model Checking, PLDI 2008. Numbers in the comments are
 * its lines; P, E(u), D(u), S(u) are its sets, each a row of the block after struct fair:
 *
 *     P(t)  the threads that t lets go first: (t, u) in P iff u is in P(t)
 *     E(u)  threads enabled all the time since the last yield of u
 *     D(u)  threads disabled by some transition of u since its last yield
 *     S(u)  threads scheduled since the last yield of u
 *
 * Before its first counted yield a thread has E empty and D, S full, and lines 14 to 22 leave them so; `open`
 * marks the threads past that point, the only ones whose sets have to be touched. A full set has the bits of
 * threads not yet born set as well: a thread born during the first, incomplete window can't be in H.
 */
#include <fmc/supervisor/bitset.h>
#include <fmc/supervisor/fair.h>

/* Threads that fair_acyclic() can look at: as many as an execution may have. */
#define MAX_THREADS 4096u
#define MAX_WORDS   (MAX_THREADS / BITSET_WORD_BITS)

struct fair {
	uint32_t room;
	uint32_t words;
	uint32_t threads;
	uint32_t k;
	uint32_t opened; /* how many threads are open */
	uint32_t unused;
	uint64_t block[]; /* open, then the rows P, E, D, S of each thread, then the yields of each thread */
};

enum row { ROW_P, ROW_E, ROW_D, ROW_S, ROWS };

static size_t rows_at(uint32_t words)
{
	return words;
}

static size_t yields_at(uint32_t room, uint32_t words)
{
	return rows_at(words) + (size_t)room * ROWS * words;
}

size_t fair_bytes(uint32_t threads)
{
	return sizeof(struct fair) + sizeof(uint64_t) * (yields_at(threads, bitset_words(threads)) + threads);
}

static uint64_t *row(struct fair *f, uint32_t t, enum row which)
{
	return f->block + rows_at(f->words) + ((size_t)t * ROWS + which) * f->words;
}

static const uint64_t *row_const(const struct fair *f, uint32_t t, enum row which)
{
	return f->block + rows_at(f->words) + ((size_t)t * ROWS + which) * f->words;
}

static bool is_open(const struct fair *f, uint32_t t)
{
	return bitset_has(f->block, t);
}

struct fair *fair_init(void *memory, uint32_t threads, uint32_t k)
{
	struct fair *f = memory;
	f->room = threads;
	f->words = bitset_words(threads);
	f->threads = 0;
	f->k = k;
	f->opened = 0;
	f->unused = 0;
	bitset_clear(f->block, f->words);
	return f;
}

/* Lines 1 to 4 for one thread. */
void fair_add_thread(struct fair *f)
{
	uint32_t t = f->threads++;
	bitset_clear(row(f, t, ROW_P), f->words);
	bitset_clear(row(f, t, ROW_E), f->words);
	bitset_fill(row(f, t, ROW_D), f->words);
	bitset_fill(row(f, t, ROW_S), f->words);
	f->block[yields_at(f->room, f->words) + t] = 0;
}

struct fair *fair_copy(void *memory, uint32_t threads, const struct fair *from)
{
	struct fair *f = fair_init(memory, threads, from->k);
	for (uint32_t t = 0; t < from->threads; t++) {
		fair_add_thread(f);
		f->block[yields_at(f->room, f->words) + t] =
		    from->block[yields_at(from->room, from->words) + t];
		if (!is_open(from, t))
			continue; /* full sets stay full in the larger room */
		for (enum row r = ROW_P; r < ROWS; r++) {
			bitset_clear(row(f, t, r), f->words);
			bitset_copy(row(f, t, r), row_const(from, t, r),
				    from->words < f->words ? from->words : f->words);
		}
		bitset_add(f->block, t);
	}
	f->opened = from->opened;
	return f;
}

uint32_t fair_threads(const struct fair *f)
{
	return f->threads;
}

uint32_t fair_words(const struct fair *f)
{
	return f->words;
}

void fair_schedulable(const struct fair *f, const uint64_t *enabled, uint64_t *schedulable)
{
	/* pre(P, enabled): decided before anything is written, as the two sets may be the same memory. */
	uint64_t before[MAX_WORDS];
	bitset_copy(before, enabled, f->words);
	bitset_copy(schedulable, before, f->words);
	if (f->opened == 0)
		return; /* P is empty */
	uint32_t t;
	BITSET_EACH(t, before, f->words)
	{
		if (bitset_intersects(row_const(f, t, ROW_P), before, f->words))
			bitset_remove(schedulable, t);
	}
}

/* Lines 24 to 28: t begins a new window. */
static void begin_window(struct fair *f, uint32_t t, const uint64_t *after)
{
	uint64_t *p = row(f, t, ROW_P), *e = row(f, t, ROW_E), *d = row(f, t, ROW_D), *s = row(f, t, ROW_S);
	for (uint32_t w = 0; w < f->words; w++) {
		uint64_t h = (e[w] | d[w]) & ~s[w]; /* 24 */
		p[w] |= h;			    /* 25 */
		e[w] = after[w];		    /* 26 */
		d[w] = 0;			    /* 27 */
		s[w] = 0;			    /* 28 */
	}
	if (!is_open(f, t)) {
		bitset_add(f->block, t);
		f->opened++;
	}
}

bool fair_step(struct fair *f, uint32_t t, bool yield, const uint64_t *before, const uint64_t *after)
{
	if (f->k == 0)
		return false;
	uint32_t u;
	BITSET_EACH(u, f->block, f->words)
	{
		bitset_remove(row(f, u, ROW_P), t); /* 13 */
		uint64_t *e = row(f, u, ROW_E), *d = row(f, u, ROW_D);
		for (uint32_t w = 0; w < f->words; w++) {
			e[w] &= after[w]; /* 15 */
			if (u == t)
				d[w] |= before[w] & ~after[w]; /* 16 to 18 */
		}
		bitset_add(row(f, u, ROW_S), t); /* 21 */
	}
	if (!yield) /* 23 */
		return false;
	uint64_t *yields = f->block + yields_at(f->room, f->words) + t;
	*yields = (*yields + 1) % f->k;
	if (*yields != 0)
		return false;
	begin_window(f, t, after);
	return true;
}

void fair_late(struct fair *f, uint32_t t, uint32_t by, const uint64_t *after)
{
	uint32_t u;
	if (f->k == 0)
		return;
	BITSET_EACH(u, f->block, f->words)
	{
		uint64_t *e = row(f, u, ROW_E);
		for (uint32_t w = 0; w < f->words; w++)
			e[w] &= after[w];
	}
	if (by < f->threads && by != t && is_open(f, by))
		bitset_add(row(f, by, ROW_D), t);
}

bool fair_counts(const struct fair *f, uint32_t t, bool yield)
{
	return yield && f->k != 0 && (f->block[yields_at(f->room, f->words) + t] + 1) % f->k == 0;
}

bool fair_yields_to(const struct fair *f, uint32_t t, uint32_t u)
{
	return bitset_has(row_const(f, t, ROW_P), u);
}

bool fair_yields(const struct fair *f, uint32_t t)
{
	return !bitset_empty(row_const(f, t, ROW_P), f->words);
}

/* Take away threads that point to none of those left, until nothing changes: what stays contains a cycle. */
bool fair_acyclic(const struct fair *f)
{
	uint64_t left[MAX_WORDS];
	bitset_copy(left, f->block, f->words); /* only open threads have edges going out */
	bool changed = true;
	while (changed) {
		changed = false;
		uint32_t t;
		BITSET_EACH(t, left, f->words)
		{
			if (bitset_intersects(row_const(f, t, ROW_P), left, f->words))
				continue;
			bitset_remove(left, t);
			changed = true;
		}
	}
	return bitset_empty(left, f->words);
}
