#ifndef FMC_TESTS_MODEL_SCRIPT_H
#define FMC_TESTS_MODEL_SCRIPT_H

/*
 * Scripts for the model: tables of steps with what the model must say to each, and playing them.
 */
#include "supervisor/model/check.h"
#include "supervisor/state/state.h"
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

/* Expected marks of an effect. */
enum { YIELD = 1, BLOCKED = 2, TIMED_OUT = 4, ASLEEP = 8, UNKNOWN = 16, WRITES2 = 32, CANCELS = 64 };

enum action {
	DO = 1, /* come to the operation and perform it: result, marks */
	STUCK,	/* come to it, not enabled */
	LATE,	/* come to it, not ready, its only choice a time-out */
	GO,	/* perform what is pending: result, marks */
	STILL,	/* what is pending is not enabled */
	WAYS,	/* come to it, as many choices as `result` */
	EXIT,
	WAKES,	   /* CHOICE_SPURIOUS is open, and performed: marks */
	SLEEPS_ON, /* it is not */
};

struct row {
	enum action action;
	uint32_t t;
	enum op_kind kind;
	uint32_t object;
	int64_t result;
	unsigned marks;
	uint32_t object2;
	int64_t arg, arg2, arg3;
	unsigned flags;
	int32_t choice;
	uint32_t word, word2, value2;
};

struct script {
	const char *name;
	struct object_state objects[3];
	struct row rows[32];
};

#define THREADS 5

#define NORMAL                                                                                               \
	{                                                                                                    \
		CLASS_MUTEX, MUTEX_NORMAL, NO_THREAD, 0                                                      \
	}
#define RECURSIVE                                                                                            \
	{                                                                                                    \
		CLASS_MUTEX, MUTEX_RECURSIVE, NO_THREAD, 0                                                   \
	}
#define ERRORCHECK                                                                                           \
	{                                                                                                    \
		CLASS_MUTEX, MUTEX_ERRORCHECK, NO_THREAD, 0                                                  \
	}
#define ADAPTIVE                                                                                             \
	{                                                                                                    \
		CLASS_MUTEX, MUTEX_ADAPTIVE, NO_THREAD, 0                                                    \
	}
#define CEILING(t)                                                                                           \
	{                                                                                                    \
		CLASS_MUTEX, MUTEX_CEILING | MUTEX_PRIORITY | (t), NO_THREAD, 0                              \
	}
#define ROBUST(t)                                                                                            \
	{                                                                                                    \
		CLASS_MUTEX, MUTEX_ROBUST | (t), NO_THREAD, 0                                                \
	}
#define COND                                                                                                 \
	{                                                                                                    \
		CLASS_COND, 0, NO_THREAD, 0                                                                  \
	}
#define SEM(n)                                                                                               \
	{                                                                                                    \
		CLASS_SEM, 0, NO_THREAD, (n)                                                                 \
	}
#define FUTEX                                                                                                \
	{                                                                                                    \
		CLASS_FUTEX, 0, NO_THREAD, 0                                                                 \
	}

#define ALL_BITS 0xffffffff
#define WAKE_OP(op, arg, cmp, cmparg)                                                                        \
	((int64_t)((uint32_t)(op) << 28 | (uint32_t)(cmp) << 24 | ((arg)&0xfffu) << 12 | ((cmparg)&0xfffu)))

/* Rows leave out what is zero. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

/* Bring all threads from their birth to running code. */
static void run_all(struct model *m)
{
	struct effect effect;
	for (uint32_t t = 0; t < model_threads(m); t++)
		if (model_pending(m, t)->kind == OP_THREAD_START)
			model_perform(m, t, CHOICE_DEFAULT, NULL, &effect);
}

static struct model *new_model(uint32_t threads, uint32_t objects)
{
	struct model *m = model_init(malloc(model_bytes(threads, objects)), threads, objects);
	while (model_add_thread(m) != NO_THREAD)
		;
	run_all(m);
	return m;
}

static void come_to(struct model *m, const struct row *row)
{
	struct op op = {
	    .kind = (uint16_t)row->kind,
	    .flags = (uint16_t)row->flags,
	    .object = row->object,
	    .object2 = op_class2(row->kind) == CLASS_NONE ? NO_OBJECT : row->object2,
	    .arg = row->arg,
	    .arg2 = row->arg2,
	    .arg3 = row->arg3,
	};
	model_set_pending(m, row->t, &op);
}

static unsigned marks_of(const struct effect *effect)
{
	return (effect->yield ? YIELD : 0u) | (effect->blocked ? BLOCKED : 0u) |
	       (effect->timed_out ? TIMED_OUT : 0u) | (effect->asleep ? ASLEEP : 0u) |
	       (effect->result_known ? 0u : UNKNOWN) | (effect->writes2 ? WRITES2 : 0u) |
	       (effect->cancelled ? CANCELS : 0u);
}

static void go(struct model *m, const struct row *row, const char *where)
{
	struct observation seen = {row->word, row->word2};
	struct effect effect;
	ck_assert_msg(model_has_choice(m, row->t, row->choice), "%s: choice not open", where);
	model_perform(m, row->t, row->choice, &seen, &effect);
	ck_assert_msg(marks_of(&effect) == row->marks, "%s: marks %#x", where, marks_of(&effect));
	if (effect.result_known)
		ck_assert_msg(effect.result == row->result, "%s: result %ld", where, (long)effect.result);
	if (effect.writes2)
		ck_assert_msg(effect.value2 == row->value2, "%s: value2 %#x", where, effect.value2);
	ck_assert_msg((model_pending(m, row->t)->kind != OP_NONE) == effect.asleep, "%s: pending", where);
}

static void play(struct model *m, const struct row *row, const char *where)
{
	uint32_t t = row->t;
	if (row->action == EXIT) {
		model_thread_exit(m, t);
		ck_assert_msg(model_exited(m, t) && !model_enabled(m, t), "%s", where);
		return;
	}
	if (row->action == WAKES || row->action == SLEEPS_ON) {
		ck_assert_msg(model_spurious(m, t) == (row->action == WAKES), "%s", where);
		if (row->action == WAKES)
			go(m, row, where);
		return;
	}
	if (row->action != GO && row->action != STILL)
		come_to(m, row);
	switch (row->action) {
	case DO:
	case GO:
		ck_assert_msg(model_enabled(m, t), "%s: not enabled", where);
		go(m, row, where);
		return;
	case LATE:
		ck_assert_msg(model_enabled(m, t) && !model_ready(m, t), "%s", where);
		ck_assert_msg(model_choices(m, t) == 1 && model_choice(m, t, 0) == CHOICE_TIMEOUT, "%s",
			      where);
		ck_assert_msg(!model_has_choice(m, t, 0), "%s", where);
		return;
	case WAYS:
		ck_assert_msg(model_choices(m, t) == row->result, "%s: %u ways", where, model_choices(m, t));
		for (uint32_t i = 0; i < model_choices(m, t); i++)
			ck_assert_msg(model_has_choice(m, t, model_choice(m, t, i)), "%s", where);
		ck_assert_msg(!model_has_choice(m, t, (int32_t)row->result), "%s", where);
		ck_assert_msg(!model_has_choice(m, t, CHOICE_TIMEOUT), "%s", where);
		return;
	default:
		ck_assert_msg(!model_enabled(m, t) && !model_ready(m, t), "%s: enabled", where);
		ck_assert_msg(model_choices(m, t) == 0 && !model_has_choice(m, t, 0), "%s", where);
		ck_assert_msg(!model_has_choice(m, t, CHOICE_TIMEOUT), "%s", where);
	}
}

static void play_script(const struct script *script)
{
	struct model *m = new_model(THREADS, 3);
	for (size_t i = 0; i < 3 && script->objects[i].class != CLASS_NONE; i++)
		ck_assert_uint_eq(model_add_object(m, &script->objects[i]), i);
	ck_assert_uint_eq(script->rows[31].action, 0);
	for (const struct row *row = script->rows; row->action; row++) {
		char where[96];
		snprintf(where, sizeof where, "%s, row %td", script->name, row - script->rows);
		play(m, row, where);
		const char *sentence = model_check(m);
		ck_assert_msg(!sentence, "%s: not true that %s", where, sentence);
	}
	free(m);
}

#endif
