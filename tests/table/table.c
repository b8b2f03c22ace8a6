/* The table machine: interprets toy programs. */
#include "table.h"

#include <assert.h>
#include <string.h>

/* Invisible instructions in a row before a thread counts as spinning. */
#define FUEL 1000

/* Run the invisible code of a thread up to its next operation. */
static void run_on(const struct table_program *p, struct table_state *s, uint32_t thread,
		   struct outcome *outcome)
{
	const struct table_body *body = &p->bodies[s->threads[thread].body];
	int64_t *registers = s->threads[thread].registers;
	uint32_t pc = s->threads[thread].pc;
	for (int fuel = FUEL; fuel > 0; fuel--) {
		const struct table_code *code = &body->code[pc];
		if (pc == body->length || code->kind == TABLE_FINISH) {
			s->threads[thread].exited = true;
			outcome->kind = OUTCOME_EXITED;
			return;
		}
		s->threads[thread].pc = pc++;
		switch (code->kind) {
		case TABLE_OP:
			outcome->kind = OUTCOME_PENDING;
			outcome->next = code->op;
			outcome->next.place = 0x1000 * (uint64_t)(s->threads[thread].body + 1) + pc;
			return;
		case TABLE_LOAD:
			registers[code->a] = s->variables[code->b];
			break;
		case TABLE_STORE:
			s->variables[code->b] = registers[code->a];
			break;
		case TABLE_SET:
			registers[code->a] = code->value;
			break;
		case TABLE_ADD:
			registers[code->a] += code->value;
			break;
		case TABLE_JUMP:
			pc = code->target;
			break;
		case TABLE_RETURN:
			s->threads[thread].handling = false;
			pc = s->threads[thread].back;
			break;
		case TABLE_JUMP_IF:
			pc = registers[code->a] == code->value ? code->target : pc;
			break;
		case TABLE_JUMP_NOT:
			pc = registers[code->a] != code->value ? code->target : pc;
			break;
		default:
			outcome->kind = OUTCOME_PROCESS_END;
			outcome->end = END_SIGNAL;
			outcome->end_value = 6;
			return;
		}
	}
	outcome->kind = OUTCOME_FAILED;
	outcome->end = END_SPIN;
}

static uint32_t add_thread(struct table_state *s, struct model_block *block, uint8_t body)
{
	uint32_t t = model_block_add_thread(block);
	assert(t == s->thread_count && t < TABLE_THREADS);
	memset(&s->threads[t], 0, sizeof s->threads[t]);
	s->threads[t].body = body;
	s->thread_count++;
	return t;
}

void table_start(const struct table_program *p, struct table_state *s, struct model_block *block,
		 struct outcome *first)
{
	memcpy(s->variables, p->variables, sizeof s->variables);
	s->thread_count = 0;
	for (uint32_t o = 0; o < p->object_count; o++)
		model_block_add_object(block, &p->objects[o]);
	for (uint32_t i = 0; i < p->start_count; i++)
		add_thread(s, block, p->starts[i]);
	/* All of them have started and are before their first operation: their births are not interleaved. */
	for (uint32_t t = s->thread_count; t-- > 0;) {
		struct effect effect;
		model_perform(block->model, t, CHOICE_DEFAULT, NULL, &effect);
		memset(first, 0, sizeof *first);
		first->created = NO_THREAD;
		run_on(p, s, t, first);
		assert(first->kind == OUTCOME_PENDING || first->kind == OUTCOME_EXITED);
		if (first->kind == OUTCOME_PENDING)
			model_set_pending(block->model, t, &first->next);
		else
			model_thread_exit(block->model, t);
	}
}

void table_observe(const struct table_program *p, const struct table_state *s, const struct op *op,
		   struct observation *seen)
{
	seen->word = (uint32_t)s->variables[p->words[op->object]];
	if (op->object2 != NO_OBJECT)
		seen->word2 = (uint32_t)s->variables[p->words[op->object2]];
}

/* Those that sleep as the model says would take it later, which is left out here. */
static bool takes(const struct table_program *p, const struct table_state *s, const struct model *model,
		  uint32_t thread)
{
	const struct op *op = model_pending(model, thread);
	if (thread >= s->thread_count || s->threads[thread].exited || s->threads[thread].handling ||
	    !p->bodies[s->threads[thread].body].handler || op->kind == OP_THREAD_START)
		return false;
	return op->kind == OP_FUTEX_ASLEEP || !op_is_by_model(op->kind);
}

void table_aim(const struct table_program *p, const struct table_state *s, const struct model *model,
	       uint32_t thread, struct op *op)
{
	if (op->kind != OP_SIGNAL_SEND)
		return;
	op->arg2 = op->arg3 = 0;
	if (op->object != NO_OBJECT)
		op->arg3 = takes(p, s, model, op->object);
	for (uint32_t t = 0; op->object == NO_OBJECT && t < s->thread_count; t++)
		if (t != thread && takes(p, s, model, t))
			op->arg3 |= INT64_C(1) << t;
	op->arg2 = op->object == NO_OBJECT ? op->arg3 : 0;
}

void table_aim_all(const struct table_program *p, const struct table_state *s, struct model *model)
{
	for (uint32_t t = 0; t < model_threads(model); t++) {
		struct op op = *model_pending(model, t);
		if (op.kind != OP_SIGNAL_SEND)
			continue;
		table_aim(p, s, model, t, &op);
		model_set_pending(model, t, &op);
	}
}

static void take_signal(const struct table_program *p, struct table_state *s, uint32_t thread)
{
	s->threads[thread].handling = true;
	s->threads[thread].back = s->threads[thread].pc;
	s->threads[thread].pc = p->bodies[s->threads[thread].body].handler;
}

void table_perform(const struct table_program *p, struct table_state *s, struct model_block *block,
		   uint32_t thread, const struct op *op, const struct effect *effect, struct outcome *outcome)
{
	const struct table_code *code = &p->bodies[s->threads[thread].body].code[s->threads[thread].pc];
	*outcome = (struct outcome){.created = NO_THREAD};
	if (op->kind == OP_PROCESS_EXIT) {
		outcome->kind = OUTCOME_PROCESS_END;
		outcome->end = END_EXIT;
		outcome->end_value = (int)op->arg;
		return;
	}
	if (op->kind == OP_SIGNAL_TAKE) {
		take_signal(p, s, thread);
		run_on(p, s, thread, outcome);
		return;
	}
	if (op->kind == OP_THREAD_START) {
		run_on(p, s, thread, outcome);
		return;
	}
	if (op->kind == OP_THREAD_CREATE) {
		outcome->created = add_thread(s, block, (uint8_t)op->arg);
		outcome->births = 1;
	}
	if (effect->writes2)
		s->variables[p->words[op->object2]] = effect->value2;
	s->threads[thread].registers[code->a] = effect->result;
	s->threads[thread].pc++;
	run_on(p, s, thread, outcome);
	outcome->result = effect->result;
	outcome->result_valid = effect->result_known;
	outcome->result_checked = effect->result_known;
}

void table_digest(const struct table_state *s, uint64_t digest[2])
{
	uint64_t h = s->thread_count;
	for (uint32_t v = 0; v < TABLE_VARIABLES; v++)
		h = (h ^ (uint64_t)s->variables[v]) * UINT64_C(0x100000001b3) + v;
	for (uint32_t t = 0; t < s->thread_count; t++) {
		h = (h ^ s->threads[t].pc) * UINT64_C(0x9e3779b97f4a7c15) + s->threads[t].exited;
		h = (h ^ s->threads[t].back ^ (uint64_t)s->threads[t].handling << 32) *
			UINT64_C(0x9e3779b97f4a7c15) +
		    t;
		h = (h ^ s->threads[t].body) * UINT64_C(0x9e3779b97f4a7c15) + t;
		for (uint32_t r = 0; r < TABLE_REGISTERS; r++)
			h = (h ^ (uint64_t)s->threads[t].registers[r] ^ h >> 31) *
				UINT64_C(0xbf58476d1ce4e5b9) +
			    r;
	}
	digest[0] = h ^ h >> 29;
	digest[1] = h * UINT64_C(0x94d049bb133111eb);
}

static struct table_machine *table(struct machine *machine)
{
	return (struct table_machine *)machine;
}

static void machine_start(struct machine *machine, struct model_block *block, struct outcome *first)
{
	table(machine)->block = block;
	table_start(table(machine)->program, &table(machine)->state, block, first);
}

static void machine_observe(struct machine *machine, uint32_t thread, const struct op *op,
			    struct observation *seen)
{
	(void)thread;
	table_observe(table(machine)->program, &table(machine)->state, op, seen);
}

static void machine_perform(struct machine *machine, uint32_t thread, const struct op *op, int32_t choice,
			    const struct effect *effect, struct outcome *outcome)
{
	(void)choice;
	struct table_machine *m = table(machine);
	table_perform(m->program, &m->state, m->block, thread, op, effect, outcome);
	outcome->result += m->lie;
	outcome->still = m->still;
}

static void machine_sleep(struct machine *machine, uint32_t thread, const struct op *op,
			  struct outcome *outcome)
{
	(void)machine, (void)thread, (void)op;
	outcome->kind = OUTCOME_PENDING;
}

static bool machine_ready(struct machine *machine, uint32_t thread, const struct op *op)
{
	(void)thread, (void)op;
	return !table(machine)->deny;
}

static void machine_aim(struct machine *machine, uint32_t thread, struct op *op)
{
	struct table_machine *m = table(machine);
	table_aim(m->program, &m->state, m->block->model, thread, op);
}

static bool machine_digest(struct machine *machine, uint64_t digest[2])
{
	table_digest(&table(machine)->state, digest);
	return true;
}

static void machine_finish(struct machine *machine)
{
	table(machine)->block = NULL;
}

static const struct machine_ops table_ops = {
    .start = machine_start,
    .observe = machine_observe,
    .perform = machine_perform,
    .sleep = machine_sleep,
    .ready = machine_ready,
    .aim = machine_aim,
    .digest = machine_digest,
    .finish = machine_finish,
};

void table_machine_init(struct table_machine *machine, const struct table_program *program)
{
	memset(machine, 0, sizeof *machine);
	machine->machine.ops = &table_ops;
	machine->program = program;
}
