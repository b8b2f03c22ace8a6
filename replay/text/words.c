#include "replay/text/words.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* Error numbers of Linux end well before this one. */
#define ERRORS 256

static bool same(const char *word, size_t length, const char *name)
{
	return strlen(name) == length && memcmp(word, name, length) == 0;
}

bool words_read_number(const char *word, size_t length, uint64_t limit, uint64_t *number)
{
	uint64_t value = 0;
	if (length == 0)
		return false;
	for (size_t i = 0; i < length; i++) {
		unsigned digit = (unsigned)(word[i] - '0');
		if (digit > 9 || __builtin_mul_overflow(value, 10u, &value) ||
		    __builtin_add_overflow(value, digit, &value) || value > limit)
			return false;
	}
	*number = value;
	return true;
}

static bool read_signed(const char *word, size_t length, int64_t *number)
{
	bool minus = length > 0 && word[0] == '-';
	uint64_t value;
	if (!words_read_number(word + minus, length - minus, (uint64_t)INT64_MAX + minus, &value))
		return false;
	*number = (int64_t)(minus ? -value : value);
	return true;
}

bool words_read_thread(const char *word, size_t length, uint32_t *thread)
{
	uint64_t number;
	if (length < 2 || word[0] != 'T' || !words_read_number(word + 1, length - 1, NO_THREAD, &number) ||
	    number == 0)
		return false;
	*thread = (uint32_t)number - 1;
	return true;
}

bool words_read_of_process(const char *word, size_t length, uint32_t *process, uint32_t *number)
{
	const char *dot = memchr(word, '.', length);
	uint64_t first, second;
	const size_t before = dot ? (size_t)(dot - word) : 0;
	if (before < 2 || word[0] != 'T' || !words_read_number(word + 1, before - 1, NO_THREAD - 1, &first) ||
	    !words_read_number(dot + 1, length - before - 1, NO_THREAD - 1, &second) || !first || !second)
		return false;
	*process = (uint32_t)first;
	*number = (uint32_t)second;
	return true;
}

bool words_read_label(const struct schedule *schedule, const char *word, size_t length, uint32_t *thread)
{
	uint32_t process, number;
	if (!words_read_of_process(word, length, &process, &number))
		return words_read_thread(word, length, thread);
	for (uint32_t t = 0; schedule->thread_processes && t < schedule->threads; t++) {
		number -= schedule->thread_processes[t] == process;
		*thread = t;
		if (number == 0)
			return true;
	}
	return false;
}

void words_label(struct text *text, const struct schedule *schedule, uint32_t thread)
{
	const uint32_t *processes = schedule ? schedule->thread_processes : NULL;
	uint32_t number = 0;
	if (!processes || thread >= schedule->threads || !processes[thread]) {
		text_printf(text, "T%u", thread + 1);
		return;
	}
	for (uint32_t t = 0; t <= thread; t++)
		number += processes[t] == processes[thread];
	text_printf(text, "T%u.%u", processes[thread], number);
}

void words_choice(struct text *text, int32_t choice)
{
	if (choice == CHOICE_TIMEOUT)
		text_printf(text, "timeout");
	else if (choice == CHOICE_SPURIOUS)
		text_printf(text, "spurious");
	else if (choice == CHOICE_FLUSH)
		text_printf(text, "flush");
	else
		text_printf(text, "%d", choice);
}

bool words_has_choice(const struct schedule_line *line)
{
	return line->step.choice != CHOICE_DEFAULT &&
	       !(line->kind == OP_MEMORY_FLUSH && line->step.choice == CHOICE_FLUSH);
}

bool words_read_choice(const char *word, size_t length, int32_t *choice)
{
	int64_t number;
	if (same(word, length, "timeout"))
		*choice = CHOICE_TIMEOUT;
	else if (same(word, length, "spurious"))
		*choice = CHOICE_SPURIOUS;
	else if (same(word, length, "flush"))
		*choice = CHOICE_FLUSH;
	else if (read_signed(word, length, &number) && number >= INT32_MIN && number <= INT32_MAX)
		*choice = (int32_t)number;
	else
		return false;
	return true;
}

void words_result(struct text *text, enum op_kind kind, int64_t result)
{
	const char *name = NULL;
	if (op_shows_memory(kind)) {
		/* An address, rather than a number. */
		text_printf(text, result > INT32_MAX ? "%#llx" : "%lld", (long long)result);
		return;
	}
	if (result > 0 && result < ERRORS && op_returns_error(kind))
		name = strerrorname_np((int)result);
	/* -1 is EPERM of the kernel's; elsewhere the C library's plain "failed". */
	else if (result < 0 && result > -ERRORS && (result < -1 || op_returns_negative(kind)))
		name = strerrorname_np((int)-result);
	if (name)
		text_printf(text, "%s%s", result < 0 ? "-" : "", name);
	else
		text_printf(text, "%lld", (long long)result);
}

static int error_by_name(const char *word, size_t length)
{
	if (same(word, length, "EWOULDBLOCK"))
		return EWOULDBLOCK;
	if (same(word, length, "EDEADLOCK"))
		return EDEADLOCK;
	for (int error = 1; error < ERRORS; error++) {
		const char *name = strerrorname_np(error);
		if (name && same(word, length, name))
			return error;
	}
	return 0;
}

/* "0x" and up to 16 digits. */
static bool read_hexadecimal(const char *word, size_t length, int64_t *number)
{
	char digits[19] = {0}, *end;
	if (length < 3 || length >= sizeof digits || word[0] != '0' || word[1] != 'x' || word[2] == '+' ||
	    word[2] == '-')
		return false;
	memcpy(digits, word, length);
	*number = (int64_t)strtoull(digits, &end, 16);
	return end == digits + length;
}

bool words_read_result(const char *word, size_t length, int64_t *result)
{
	if (read_hexadecimal(word, length, result))
		return true;
	if (read_signed(word, length, result))
		return true;
	bool minus = length > 0 && word[0] == '-';
	int error = error_by_name(word + minus, length - minus);
	*result = minus ? -error : error;
	return error != 0;
}

void words_end(struct text *text, const struct schedule *schedule, enum end_reason end, int value,
	       uint32_t thread)
{
	const char *signal_name = end == END_SIGNAL ? sigabbrev_np(value) : NULL;
	text_printf(text, "%s", end_reason_name(end));
	if (signal_name)
		text_printf(text, " SIG%s", signal_name);
	else if (value != 0 || end == END_EXIT || end == END_SIGNAL)
		text_printf(text, " %d", value);
	if (thread == NO_THREAD)
		return;
	text_add(text, " ", 1);
	words_label(text, schedule, thread);
}

static bool read_end_value(const char *word, size_t length, enum end_reason end, int *value)
{
	int64_t number;
	if (read_signed(word, length, &number) && number >= INT32_MIN && number <= INT32_MAX) {
		*value = (int)number;
		return true;
	}
	if (end != END_SIGNAL || length < 4 || memcmp(word, "SIG", 3) != 0)
		return false;
	for (int number_of = 1; number_of < NSIG; number_of++) {
		const char *name = sigabbrev_np(number_of);
		if (name && same(word + 3, length - 3, name)) {
			*value = number_of;
			return true;
		}
	}
	return false;
}

/* The reason that `value` begins with, the longest where several fit; *rest is after it. */
static bool read_end_reason(const char *value, enum end_reason *end, const char **rest)
{
	size_t longest = 0;
	for (enum end_reason reason = END_NONE; reason <= END_ERROR; reason++) {
		const char *name = end_reason_name(reason);
		size_t length = strlen(name);
		if (length > longest && strncmp(value, name, length) == 0 && strchr(" \t", value[length])) {
			longest = length;
			*end = reason;
		}
	}
	*rest = value + longest;
	return longest > 0;
}

bool words_read_end(const char *value, const struct schedule *schedule, enum end_reason *end, int *end_value,
		    uint32_t *thread)
{
	*end_value = 0;
	*thread = NO_THREAD;
	if (!read_end_reason(value, end, &value))
		return false;
	bool has_value = false;
	for (;;) {
		value += strspn(value, " \t");
		size_t length = strcspn(value, " \t");
		if (length == 0)
			return true;
		if (*thread != NO_THREAD)
			return false;
		if (!words_read_label(schedule, value, length, thread)) {
			if (has_value || !read_end_value(value, length, *end, end_value))
				return false;
			has_value = true;
		}
		value += length;
	}
}

uint32_t words_object(const struct transition *transition)
{
	if (transition->op.kind == OP_THREAD_CREATE && transition->op.object == NO_OBJECT)
		return transition->created == NO_THREAD ? NO_OBJECT : transition->created;
	return transition->op.object;
}

static void add_object(struct text *text, const struct schedule *schedule, enum object_class class,
		       const char *name, uint32_t number)
{
	if (class == CLASS_THREAD)
		words_label(text, schedule, number);
	else if (name)
		text_add_escaped(text, name);
	else
		text_printf(text, "#%u", number);
}

void words_objects(struct text *text, const struct schedule *schedule, const struct schedule_line *line)
{
	bool first = line->object || line->object_number != NO_OBJECT;
	if (first) {
		text_add(text, " ", 1);
		add_object(text, schedule, op_class(line->kind), line->object, line->object_number);
	}
	if (line->object2 || line->object2_number != NO_OBJECT) {
		text_printf(text, first ? ", " : " ");
		add_object(text, schedule, op_class2(line->kind), line->object2, line->object2_number);
	}
}

void words_cell(struct text *text, const struct schedule *schedule, const struct schedule_line *line,
		bool zero)
{
	text_printf(text, "%s", op_name(line->kind));
	words_objects(text, schedule, line);
	if (words_has_choice(line)) {
		text_printf(text, " choice=");
		words_choice(text, line->step.choice);
	}
	if (line->result_valid && (zero || line->result != 0 || op_shows_memory(line->kind))) {
		text_printf(text, " = ");
		words_result(text, line->kind, line->result);
	}
}

void words_place(struct text *text, const struct schedule_line *line)
{
	if (!line->file)
		return;
	text_add_escaped(text, line->file);
	text_printf(text, ":%d", line->source_line);
}

void words_thread(struct text *text, const struct schedule *schedule, uint32_t thread)
{
	words_label(text, schedule, thread);
	if (thread < schedule->threads && schedule->thread_names[thread]) {
		text_add(text, " ", 1);
		text_add_escaped(text, schedule->thread_names[thread]);
	}
}

void words_ending(struct text *text, const struct schedule *schedule)
{
	const char *verdict = finding_kind_name(schedule->verdict);
	const char *message = schedule->message ? schedule->message : "";
	if (schedule->verdict == FINDING_NONE) {
		text_printf(text, "end: ");
		words_end(text, schedule, schedule->end, schedule->end_value, schedule->end_thread);
		return;
	}
	if (strncmp(message, verdict, strlen(verdict)) != 0)
		text_printf(text, "%s%s", verdict, *message ? ": " : "");
	text_add_escaped(text, message);
}
