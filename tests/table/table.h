#ifndef FMC_TESTS_TABLE_H
#define FMC_TESTS_TABLE_H

#include <fmc/supervisor/machine.h>

/*
 * Toy programs as tables of instructions, and a machine that runs them: what the search is tested on without
 * a process. Visible operations are any of the model's; between two of them a thread runs invisible code on
 * its own registers and on shared variables, as in a real program.
 */
#define TABLE_BODIES	20
#define TABLE_CODE	64
#define TABLE_THREADS	160
#define TABLE_OBJECTS	128
#define TABLE_VARIABLES 128
#define TABLE_REGISTERS 2

enum table_kind {
	TABLE_OP,	/* perform `op`; its result goes to register a */
	TABLE_LOAD,	/* register a = variable b */
	TABLE_STORE,	/* variable b = register a */
	TABLE_SET,	/* register a = value */
	TABLE_ADD,	/* register a += value */
	TABLE_JUMP,	/* to `target` */
	TABLE_JUMP_IF,	/* to `target` if register a == value */
	TABLE_JUMP_NOT, /* to `target` if register a != value */
	TABLE_CRASH,	/* the process dies of SIGABRT */
	TABLE_FINISH,	/* the thread exits, as at the end of its body */
	TABLE_RETURN,	/* from the handler: to the operation before which the signal came */
};

struct table_code {
	enum table_kind kind;
	struct op op;
	uint8_t a, b;
	int64_t value;
	uint32_t target;
};

struct table_body {
	struct table_code code[TABLE_CODE];
	uint32_t length;
	uint32_t
	    handler; /* where that of signals begins, which blocks them meanwhile; 0: all are blocked for ever */
};

struct table_program {
	struct table_body bodies[TABLE_BODIES];
	uint32_t body_count;
	uint8_t starts[TABLE_THREADS]; /* bodies of the threads that exist from the beginning */
	uint32_t start_count;
	struct object_state objects[TABLE_OBJECTS];
	uint8_t words[TABLE_OBJECTS]; /* futex: which variable is its word */
	uint32_t object_count;
	int64_t variables[TABLE_VARIABLES];
	uint32_t variable_count;
};

/* Building a program. Everything returns what it has made. */
uint32_t table_mutex(struct table_program *p, enum mutex_type type);
uint32_t table_sem(struct table_program *p, uint32_t value);
uint32_t table_cond(struct table_program *p);
uint32_t table_object(struct table_program *p, enum object_class class, uint32_t type, uint32_t count);
uint32_t table_variable(struct table_program *p, int64_t value);
uint32_t table_futex(struct table_program *p, uint32_t variable);
struct table_body *table_body(struct table_program *p); /* with a thread that runs it */
struct table_body *
table_later(struct table_program *p); /* without one: for OP_THREAD_CREATE, op.arg: its number */
void table_thread(struct table_program *p, const struct table_body *body); /* one more thread that runs it */

struct table_code *table_op(struct table_body *b, enum op_kind kind, uint32_t object);
struct table_code *table_op2(struct table_body *b, enum op_kind kind, uint32_t object, uint32_t object2);
struct table_code *table_add(struct table_body *b, enum table_kind kind, uint32_t a, uint32_t variable,
			     int64_t value);
struct table_code *table_jump(struct table_body *b, enum table_kind kind, uint32_t a, int64_t value,
			      uint32_t target);

/* A visible operation that is always enabled and changes nothing, for accesses that are to be interleaved. */
void table_point(struct table_body *b);
/* The same followed by a read or write of a variable. */
void table_read(struct table_body *b, uint32_t reg, uint32_t variable);
void table_write(struct table_body *b, uint32_t variable, int64_t value);
/* while (variable != value) op; the read is visible. op OP_NONE: an empty loop. */
void table_spin(struct table_body *b, uint32_t variable, int64_t value, enum op_kind op);

/* n dining philosophers and nobody else; `ordered`: each takes the fork with the lower number first. */
void table_philosophers(struct table_program *p, uint32_t n, bool ordered);

/* Where the threads of a running program are; may be copied. */
struct table_state {
	int64_t variables[TABLE_VARIABLES];
	struct {
		uint8_t body;
		bool exited, handling;
		uint32_t back; /* where it was before it took a signal */
		uint32_t pc;   /* of the operation that is pending */
		int64_t registers[TABLE_REGISTERS];
	} threads[TABLE_THREADS];
	uint32_t thread_count;
};

/* What machine_ops do, on a state of one's own. */
void table_start(const struct table_program *p, struct table_state *s, struct model_block *block,
		 struct outcome *first);
void table_observe(const struct table_program *p, const struct table_state *s, const struct op *op,
		   struct observation *seen);
void table_aim(const struct table_program *p, const struct table_state *s, const struct model *model,
	       uint32_t thread, struct op *op);
/* The same of all threads. */
void table_aim_all(const struct table_program *p, const struct table_state *s, struct model *model);
void table_perform(const struct table_program *p, struct table_state *s, struct model_block *block,
		   uint32_t thread, const struct op *op, const struct effect *effect,
		   struct outcome *outcome);
void table_digest(const struct table_state *s, uint64_t digest[2]);

struct table_machine {
	struct machine machine; /* first: a struct machine * is one of these */
	const struct table_program *program;
	struct table_state state;
	struct model_block *block;
	bool still; /* as its outcomes say */
	bool lie;  /* report wrong results, to test that the model's predictions are checked */
	bool deny; /* OP_SYSCALL is never ready */
};

void table_machine_init(struct table_machine *machine, const struct table_program *program);

#endif
