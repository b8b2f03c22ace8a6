/* Operations that a plug-in describes: plug-ins are loaded into fmc, so the agent never meets any. */
#include <fmc/breakpoints/plugin.h>

#include <fmc/tracer/assert.h>

static _Noreturn void unexpected(void)
{
	fmc_fails(FMC_HERE "the agent has met an operation of a plug-in's");
}

const char *plugin_failure(void)
{
	return NULL;
}

void plugin_blame(const char *format, ...)
{
	(void)format;
	unexpected();
}

bool plugin_enabled(const struct op *op, uint32_t thread, const void *object)
{
	(void)op, (void)thread, (void)object;
	unexpected();
}

void plugin_apply(const struct op *op, uint32_t thread, void *object, struct fmc_effect *effect)
{
	(void)op, (void)thread, (void)object, (void)effect;
	unexpected();
}

uint32_t plugin_dependent(enum op_kind kind)
{
	(void)kind;
	unexpected();
}

uint32_t plugin_number(enum op_kind kind)
{
	(void)kind;
	unexpected();
}

void plugin_check(const struct op *a, uint32_t thread, const struct op *b, uint32_t other, const void *object)
{
	(void)a, (void)thread, (void)b, (void)other, (void)object;
	unexpected();
}

uint32_t plugin_holder(enum object_class class, const void *object)
{
	(void)class, (void)object;
	unexpected();
}
