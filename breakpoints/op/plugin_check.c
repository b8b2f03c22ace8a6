#include <fmc/breakpoints/plugin.h>
#include <string.h>

/* Does what a plug-in says of independence hold in the states that are come by? */

struct side {
	const struct op *op;
	uint32_t thread;
	struct fmc_effect effect; /* performed first */
	_Alignas(8) unsigned char after[FMC_OBJECT_BYTES];
};

static void perform(struct side *side, const void *object)
{
	memcpy(side->after, object, FMC_OBJECT_BYTES);
	plugin_apply(side->op, side->thread, side->after, &side->effect);
}

/* The same after the other: true if it comes to the same thing. */
static bool same_after(const struct side *side, const struct side *other,
		       unsigned char both[FMC_OBJECT_BYTES])
{
	struct fmc_effect effect;
	memcpy(both, other->after, FMC_OBJECT_BYTES);
	if (!plugin_enabled(side->op, side->thread, both))
		return false;
	plugin_apply(side->op, side->thread, both, &effect);
	return effect.waits == side->effect.waits && effect.yields == side->effect.yields &&
	       effect.predicted == side->effect.predicted && effect.result == side->effect.result &&
	       effect.misuse == side->effect.misuse;
}

static bool commute(struct side *a, struct side *b, const void *object)
{
	_Alignas(8) unsigned char ab[FMC_OBJECT_BYTES], ba[FMC_OBJECT_BYTES];
	perform(a, object);
	if (!plugin_enabled(b->op, b->thread, object))
		return !plugin_enabled(b->op, b->thread, a->after);
	perform(b, object);
	return same_after(b, a, ab) && same_after(a, b, ba) && memcmp(ab, ba, FMC_OBJECT_BYTES) == 0;
}

void plugin_check(const struct op *a, uint32_t thread, const struct op *b, uint32_t other, const void *object)
{
	struct side first = {.op = a, .thread = thread}, second = {.op = b, .thread = other};
	if (plugin_failure() || !plugin_enabled(a, thread, object) || commute(&first, &second, object))
		return;
	plugin_blame(
	    "dependent() says that %s and %s are independent, but there is a state where they aren't",
	    op_name((enum op_kind)a->kind), op_name((enum op_kind)b->kind));
}
