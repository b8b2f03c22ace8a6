/* The functions of tests/targets/gate.c. */
#include <fmc/ops.h>

static bool is_open(const void *object, const struct fmc_step *step)
{
	return *(const int *)object != 0;
}

static void open_it(void *object, const struct fmc_step *step, struct fmc_effect *effect)
{
	*(int *)object = 1;
}

/* It may have been opened before there was a second thread. */
static void init(void *object, uint64_t address, const struct fmc_memory *memory)
{
	memory->read(memory, address, object, sizeof(int));
}

static const struct fmc_op ops[] = {{.name = "gate_pass", .function = "gate_pass", .enabled = is_open},
				    {.name = "gate_open", .function = "gate_open", .apply = open_it}};

static const struct fmc_class classes[] = {{.name = "gate", .ops = ops, .ops_length = 2, .init = init}};

const struct fmc_ops fmc_ops = FMC_OPS(classes);
