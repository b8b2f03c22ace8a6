/* The machine that evaluates GDB's agent expressions. */
#include "replay/packets/agent.h"

#include <string.h>

#define STACK 64
#define STEPS 10000u

enum {
	CODE_ADD = 0x02,
	CODE_SUB,
	CODE_MUL,
	CODE_DIV_SIGNED,
	CODE_DIV_UNSIGNED,
	CODE_REM_SIGNED,
	CODE_REM_UNSIGNED,
	CODE_LSH,
	CODE_RSH_SIGNED,
	CODE_RSH_UNSIGNED,
	CODE_LOG_NOT = 0x0e,
	CODE_BIT_AND,
	CODE_BIT_OR,
	CODE_BIT_XOR,
	CODE_BIT_NOT,
	CODE_EQUAL,
	CODE_LESS_SIGNED,
	CODE_LESS_UNSIGNED,
	CODE_EXT,
	CODE_REF8,
	CODE_REF16,
	CODE_REF32,
	CODE_REF64,
	CODE_IF_GOTO = 0x20,
	CODE_GOTO,
	CODE_CONST8,
	CODE_CONST16,
	CODE_CONST32,
	CODE_CONST64,
	CODE_REG,
	CODE_END,
	CODE_DUP,
	CODE_POP,
	CODE_ZERO_EXT,
	CODE_SWAP,
	CODE_PICK = 0x32,
	CODE_ROT
};

struct agent {
	const struct gdb_agent_state *state;
	const unsigned char *code;
	size_t length, next;
	uint64_t stack[STACK];
	size_t depth;
};

static bool push(struct agent *agent, uint64_t value)
{
	if (agent->depth == STACK)
		return false;
	agent->stack[agent->depth++] = value;
	return true;
}

static bool pop(struct agent *agent, uint64_t *value)
{
	if (agent->depth == 0)
		return false;
	*value = agent->stack[--agent->depth];
	return true;
}

/* An operand of the code: so many bytes, the most significant first. */
static bool take(struct agent *agent, size_t bytes, uint64_t *operand)
{
	*operand = 0;
	if (agent->length - agent->next < bytes)
		return false;
	while (bytes-- > 0)
		*operand = *operand << 8 | agent->code[agent->next++];
	return true;
}

static bool divide(unsigned char code, uint64_t a, uint64_t b, uint64_t *value)
{
	const bool rest = code == CODE_REM_SIGNED || code == CODE_REM_UNSIGNED;
	if (b == 0)
		return false;
	if (code == CODE_DIV_UNSIGNED || code == CODE_REM_UNSIGNED)
		*value = rest ? a % b : a / b;
	else if (b == UINT64_MAX)
		*value = rest ? 0 : 0 - a; /* the least number has no opposite */
	else
		*value = (uint64_t)(rest ? (int64_t)a % (int64_t)b : (int64_t)a / (int64_t)b);
	return true;
}

static uint64_t shift(unsigned char code, uint64_t a, uint64_t by)
{
	const uint64_t sign = code == CODE_RSH_SIGNED && a >> 63 ? UINT64_MAX : 0;
	if (by >= 64)
		return sign;
	if (code == CODE_LSH)
		return a << by;
	return a >> by | (by ? sign << (64 - by) : 0);
}

/* Of two values, a below b; false for a code that isn't offered, too. */
static bool combine(unsigned char code, uint64_t a, uint64_t b, uint64_t *value)
{
	switch (code) {
	case CODE_ADD:
		*value = a + b;
		return true;
	case CODE_SUB:
		*value = a - b;
		return true;
	case CODE_MUL:
		*value = a * b;
		return true;
	case CODE_LSH:
	case CODE_RSH_SIGNED:
	case CODE_RSH_UNSIGNED:
		*value = shift(code, a, b);
		return true;
	case CODE_BIT_AND:
		*value = a & b;
		return true;
	case CODE_BIT_OR:
		*value = a | b;
		return true;
	case CODE_BIT_XOR:
		*value = a ^ b;
		return true;
	case CODE_EQUAL:
		*value = a == b;
		return true;
	case CODE_LESS_SIGNED:
		*value = (int64_t)a < (int64_t)b;
		return true;
	case CODE_LESS_UNSIGNED:
		*value = a < b;
		return true;
	case CODE_DIV_SIGNED:
	case CODE_DIV_UNSIGNED:
	case CODE_REM_SIGNED:
	case CODE_REM_UNSIGNED:
		return divide(code, a, b, value);
	default:
		return false;
	}
}

static bool do_binary(struct agent *agent, unsigned char code)
{
	uint64_t a, b, value;
	return pop(agent, &b) && pop(agent, &a) && combine(code, a, b, &value) && push(agent, value);
}

/* The lowest bits of a value, the rest as its sign says or zeros. */
static bool extend(struct agent *agent, bool is_signed)
{
	uint64_t bits, value;
	if (!take(agent, 1, &bits) || bits == 0 || bits > 64 || !pop(agent, &value))
		return false;
	const uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
	const bool negative = is_signed && value >> (bits - 1) & 1;
	return push(agent, negative ? value | ~mask : value & mask);
}

static bool refer(struct agent *agent, size_t size)
{
	uint64_t address, value = 0;
	return pop(agent, &address) && agent->state->memory(agent->state->context, address, &value, size) &&
	       push(agent, value);
}

static bool jump(struct agent *agent, bool always)
{
	uint64_t to, value = 1;
	if (!take(agent, 2, &to) || (!always && !pop(agent, &value)) || to >= agent->length)
		return false;
	if (value)
		agent->next = (size_t)to;
	return true;
}

static bool push_register(struct agent *agent)
{
	uint64_t number, value;
	return take(agent, 2, &number) &&
	       agent->state->reg(agent->state->context, (uint32_t)number, &value) && push(agent, value);
}

static bool push_operand(struct agent *agent, size_t bytes)
{
	uint64_t value;
	return take(agent, bytes, &value) && push(agent, value);
}

/* One of those below the top; 0 is the top itself. */
static bool push_again(struct agent *agent, uint64_t below)
{
	return below < agent->depth && push(agent, agent->stack[agent->depth - 1 - below]);
}

static bool pick(struct agent *agent)
{
	uint64_t below;
	return take(agent, 1, &below) && push_again(agent, below);
}

/* The top goes below the next `count` ones. */
static bool rotate(struct agent *agent, size_t count)
{
	if (agent->depth <= count)
		return false;
	uint64_t *top = &agent->stack[agent->depth - 1], value = *top;
	memmove(top - count + 1, top - count, count * sizeof *top);
	top[-(ptrdiff_t)count] = value;
	return true;
}

static bool negate(struct agent *agent, bool logically)
{
	uint64_t value;
	return pop(agent, &value) && push(agent, logically ? !value : ~value);
}

static bool step(struct agent *agent, unsigned char code)
{
	uint64_t value;
	switch (code) {
	case CODE_LOG_NOT:
		return negate(agent, true);
	case CODE_BIT_NOT:
		return negate(agent, false);
	case CODE_EXT:
		return extend(agent, true);
	case CODE_ZERO_EXT:
		return extend(agent, false);
	case CODE_REF8:
	case CODE_REF16:
	case CODE_REF32:
	case CODE_REF64:
		return refer(agent, (size_t)1 << (code - CODE_REF8));
	case CODE_IF_GOTO:
		return jump(agent, false);
	case CODE_GOTO:
		return jump(agent, true);
	case CODE_CONST8:
	case CODE_CONST16:
	case CODE_CONST32:
	case CODE_CONST64:
		return push_operand(agent, (size_t)1 << (code - CODE_CONST8));
	case CODE_REG:
		return push_register(agent);
	case CODE_DUP:
		return push_again(agent, 0);
	case CODE_POP:
		return pop(agent, &value);
	case CODE_SWAP:
		return rotate(agent, 1);
	case CODE_PICK:
		return pick(agent);
	case CODE_ROT:
		return rotate(agent, 2);
	default:
		return do_binary(agent, code);
	}
}

bool gdb_agent_evaluate(const unsigned char *code, size_t length, const struct gdb_agent_state *state,
			uint64_t *value)
{
	struct agent agent = {.state = state, .code = code, .length = length};
	for (unsigned steps = 0; steps < STEPS && agent.next < length; steps++) {
		const unsigned char next = code[agent.next++];
		if (next == CODE_END)
			return pop(&agent, value);
		if (!step(&agent, next))
			return false;
	}
	return false;
}
