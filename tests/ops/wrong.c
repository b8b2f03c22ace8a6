/*
 * A plug-in for samples/ticket_lock.c that is wrong in the way that FMC_WRONG names, and takes every call for possible
 * otherwise.
 */
#include <fmc/ops.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static bool decode(struct fmc_call *call, const struct fmc_memory *memory)
{
	uint32_t words[2];
	if (strcmp(getenv("FMC_WRONG"), "decode") == 0)
		raise(SIGSEGV);
	return memory->read(memory, call->object, words, sizeof words);
}

static bool enabled(const void *object, const struct fmc_step *step)
{
	return true;
}

static void apply(void *object, const struct fmc_step *step, struct fmc_effect *effect)
{
	volatile bool loop = strcmp(getenv("FMC_WRONG"), "loop") == 0;
	while (loop)
		;
	effect->predicted = strcmp(getenv("FMC_WRONG"), "result") == 0;
	effect->result = 7;
}

static struct fmc_op ops[] = {
    {.name = "wrong_lock", .function = "ticket_lock", .decode = decode, .enabled = enabled, .apply = apply},
    {.name = "wrong_unlock", .function = "ticket_unlock", .decode = decode, .apply = apply},
    {.name = "wrong_try", .function = "ticket_trylock", .returns = FMC_INT, .apply = apply},
};

static const struct fmc_class classes[] = {{.name = "wrong", .ops = ops, .ops_length = 3}};

const struct fmc_ops fmc_ops = FMC_OPS(classes);

__attribute__((constructor)) static void choose(void)
{
	const char *wrong = getenv("FMC_WRONG");
	if (strcmp(wrong, "constructor") == 0)
		abort();
	if (strcmp(wrong, "name") == 0)
		ops[0].name = "mutex_lock";
	if (strcmp(wrong, "absent") == 0)
		ops[2].function = "no_such_function";
}
