#include "fair_reference.h"

#include <string.h>

size_t fair_reference_bytes(uint32_t threads)
{
	return sizeof(struct fair_reference) + (size_t)REFERENCE_SETS * threads * threads * sizeof(bool);
}

static size_t index_of(const struct fair_reference *f, enum reference_set set, uint32_t u, uint32_t v)
{
	return ((size_t)set * f->threads + u) * f->threads + v;
}

bool *fair_reference_at(struct fair_reference *f, enum reference_set set, uint32_t u, uint32_t v)
{
	return &f->in[index_of(f, set, u, v)];
}

void fair_reference_init(struct fair_reference *f, uint32_t threads, uint32_t k)
{
	memset(f, 0, fair_reference_bytes(threads));
	f->threads = threads;
	f->k = k;
	for (uint32_t u = 0; u < threads; u++)
		for (uint32_t v = 0; v < threads; v++)
			*fair_reference_at(f, REFERENCE_D, u, v) = *fair_reference_at(f, REFERENCE_S, u, v) =
			    true;
}

bool fair_reference_may_run(const struct fair_reference *f, const bool *enabled, uint32_t t)
{
	for (uint32_t u = 0; u < f->threads; u++)
		if (f->in[index_of(f, REFERENCE_P, t, u)] && enabled[u])
			return false;
	return enabled[t];
}

void fair_reference_step(struct fair_reference *f, uint32_t t, bool yield, const bool *before,
			 const bool *after)
{
	for (uint32_t u = 0; u < f->threads; u++) {
		*fair_reference_at(f, REFERENCE_P, u, t) = false;
		for (uint32_t v = 0; v < f->threads; v++) {
			*fair_reference_at(f, REFERENCE_E, u, v) &= after[v];
			if (u == t)
				*fair_reference_at(f, REFERENCE_D, u, v) |= before[v] && !after[v];
		}
		*fair_reference_at(f, REFERENCE_S, u, t) = true;
	}
	if (!yield || ++f->yields[t] % f->k != 0)
		return;
	for (uint32_t v = 0; v < f->threads; v++) {
		bool *e = fair_reference_at(f, REFERENCE_E, t, v),
		     *d = fair_reference_at(f, REFERENCE_D, t, v);
		bool *s = fair_reference_at(f, REFERENCE_S, t, v);
		bool h = (*e || *d) && !*s;
		*fair_reference_at(f, REFERENCE_P, t, v) |= h;
		*e = after[v];
		*d = *s = false;
	}
}
