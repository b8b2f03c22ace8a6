#include <fmc/replay/schedule.h>

#include "replay/text/words.h"

#include <stdio.h>
#include <string.h>

/*
 * Comparing what an execution does with what the schedule says. Objects are compared by number: their names
 * depend on debug information, which another build of the program may not have.
 */

/* The name that any line of the schedule gives this object; NULL if none does. */
static char *name_of(const struct schedule *schedule, uint32_t object)
{
	if (object == NO_OBJECT)
		return NULL;
	for (size_t i = 0; i < schedule->length; i++) {
		const struct schedule_line *line = &schedule->lines[i];
		if (line->object && line->object_number == object && op_class(line->kind) != CLASS_THREAD)
			return line->object;
		if (line->object2 && line->object2_number == object && op_class2(line->kind) != CLASS_THREAD)
			return line->object2;
	}
	return NULL;
}

/* The same in a schedule's terms, names as far as the schedule knows them. They stay its own. */
static struct schedule_line as_line(const struct schedule *schedule, enum op_kind kind, uint32_t object,
				    uint32_t object2)
{
	return (struct schedule_line){
	    .kind = kind,
	    .object = op_class(kind) == CLASS_THREAD ? NULL : name_of(schedule, object),
	    .object_number = object,
	    .object2 = op_class2(kind) == CLASS_THREAD ? NULL : name_of(schedule, object2),
	    .object2_number = object2,
	};
}

static void say_choice(struct text *text, int32_t choice)
{
	text_printf(text, " choice=");
	words_choice(text, choice);
}

static void say_line(struct text *text, const struct schedule *schedule, const struct schedule_line *line)
{
	words_label(text, schedule, line->step.thread);
	text_printf(text, " %s", op_name(line->kind));
	words_objects(text, schedule, line);
}

static void say_transition(struct text *text, const struct schedule *schedule,
			   const struct transition *transition)
{
	enum op_kind kind = transition->op.kind;
	struct schedule_line came = as_line(schedule, kind, words_object(transition), transition->op.object2);
	words_label(text, schedule, transition->thread);
	text_printf(text, " did %s", op_name(kind));
	words_objects(text, schedule, &came);
}

static bool objects_differ(uint32_t expected, uint32_t came)
{
	return expected != NO_OBJECT && expected != came;
}

struct difference {
	bool choice, result, object, any;
};

static struct difference compare(const struct schedule_line *line, const struct transition *transition)
{
	struct difference d = {
	    .choice = line->step.choice != transition->choice,
	    .result = line->result_valid && transition->result_valid && line->result != transition->result &&
		      !op_shows_memory(line->kind),
	    .object = objects_differ(line->object_number, words_object(transition)) ||
		      objects_differ(line->object2_number, transition->op.object2),
	};
	d.any = d.choice || d.result || d.object || line->step.thread != transition->thread ||
		line->kind != transition->op.kind;
	return d;
}

/* Where two objects have one name their numbers are all that tells them apart. */
static bool look_alike(const struct schedule *schedule, const struct schedule_line *line,
		       const struct transition *transition)
{
	struct schedule_line other =
	    as_line(schedule, transition->op.kind, words_object(transition), transition->op.object2);
	struct text expected = {0}, came = {0};
	words_objects(&expected, schedule, line);
	words_objects(&came, schedule, &other);
	bool alike = strcmp(text_string(&expected), text_string(&came)) == 0;
	text_release(&expected);
	text_release(&came);
	return alike;
}

static void say_numbers(struct text *text, uint32_t object, uint32_t object2)
{
	if (object != NO_OBJECT)
		text_printf(text, " (#%u", object);
	if (object != NO_OBJECT && object2 != NO_OBJECT)
		text_printf(text, ", #%u", object2);
	if (object != NO_OBJECT)
		text_add(text, ")", 1);
}

static void say_where(struct text *text, const struct schedule *schedule, size_t i)
{
	if (i < schedule->length && schedule->lines[i].line > 0)
		text_printf(text, "line %u: ", schedule->lines[i].line);
	else
		text_printf(text, "transition %zu: ", i + 1);
}

static void say_difference(struct text *text, const struct schedule *schedule,
			   const struct schedule_line *line, const struct transition *transition)
{
	struct difference d = compare(line, transition);
	bool result = d.result && !d.choice && !d.object && line->kind == transition->op.kind;
	bool numbers = d.object && look_alike(schedule, line, transition);
	text_printf(text, "expected ");
	say_line(text, schedule, line);
	if (numbers)
		say_numbers(text, line->object_number, line->object2_number);
	if (d.choice)
		say_choice(text, line->step.choice);
	if (result) {
		text_printf(text, " = ");
		words_result(text, line->kind, line->result);
	}
	text_printf(text, ", ");
	say_transition(text, schedule, transition);
	if (numbers)
		say_numbers(text, words_object(transition), transition->op.object2);
	if (d.choice)
		say_choice(text, transition->choice);
	if (result) {
		text_printf(text, " = ");
		words_result(text, transition->op.kind, transition->result);
	}
}

/* The execution has no such transition: it ended, or its thread could not take this step. */
static void say_missing(struct text *text, const struct schedule *schedule, const struct schedule_line *line,
			const struct trace *trace)
{
	uint32_t thread = line->step.thread;
	text_printf(text, "expected ");
	say_line(text, schedule, line);
	if (words_has_choice(line))
		say_choice(text, line->step.choice);
	if (trace->end != END_DIVERGED) {
		text_printf(text, ", the execution ended before it (");
		words_end(text, schedule, trace->end, trace->end_value, trace->end_thread);
		text_printf(text, ")");
		return;
	}
	if (thread >= trace->threads_length) {
		text_printf(text, ", there is no ");
		words_label(text, schedule, thread);
		return;
	}
	const struct op *pending = &trace->threads[thread].pending;
	if (pending->kind == OP_NONE) {
		text_printf(text, ", ");
		words_label(text, schedule, thread);
		text_printf(text, " has exited");
		return;
	}
	text_printf(text, ", ");
	words_label(text, schedule, thread);
	text_printf(text, " can't do so at %s", op_name(pending->kind));
	struct schedule_line stopped = as_line(schedule, pending->kind, pending->object, pending->object2);
	words_objects(text, schedule, &stopped);
}

bool schedule_check(const struct schedule *schedule, size_t i, const struct trace *trace, char why[256])
{
	const struct schedule_line *line = i < schedule->length ? &schedule->lines[i] : NULL;
	const struct transition *transition = i < trace->length ? &trace->at[i] : NULL;
	why[0] = '\0';
	if (line && transition && !compare(line, transition).any)
		return true;
	if (!line && !transition)
		return true;
	struct text text = {0};
	say_where(&text, schedule, i);
	if (line && transition) {
		say_difference(&text, schedule, line, transition);
	} else if (line) {
		say_missing(&text, schedule, line, trace);
	} else {
		text_printf(&text, "expected the end (");
		words_end(&text, schedule, schedule->end, schedule->end_value, schedule->end_thread);
		text_printf(&text, "), ");
		say_transition(&text, schedule, transition);
	}
	for (size_t columns = 255; text.length > 255; columns -= 5)
		text_cut(&text, columns);
	snprintf(why, 256, "%s", text_string(&text));
	text_release(&text);
	return false;
}
