/* Parts of GDB's packets: numbers, threads, actions, transfers. */
#include "replay/packets/request_parts.h"
#include "replay/packets/hex.h"

#include <string.h>

bool gdb_take(struct gdb_cursor *at, char c)
{
	if (at->next == at->end || *at->next != c)
		return false;
	at->next++;
	return true;
}

bool gdb_take_number(struct gdb_cursor *at, uint64_t limit, uint64_t *number)
{
	const char *begin = at->next;
	uint64_t value = 0;
	for (int digit; at->next < at->end && (digit = text_hex_digit(*at->next)) >= 0; at->next++) {
		if (value > UINT64_MAX >> 4)
			return false;
		value = value << 4 | (uint64_t)digit;
	}
	*number = value;
	return at->next > begin && value <= limit;
}

bool gdb_take_digits(struct gdb_request *request, struct gdb_cursor *at)
{
	char *begin = at->next;
	while (at->next < at->end && text_hex_digit(*at->next) >= 0)
		at->next++;
	request->data = (const unsigned char *)begin;
	request->data_length = (size_t)(at->next - begin) / 2;
	return gdb_hex_decode(begin, (size_t)(at->next - begin), (unsigned char *)begin);
}

/* -1 or a number. */
static bool take_id(struct gdb_cursor *at, int32_t *id)
{
	uint64_t number;
	if (gdb_take(at, '-')) {
		*id = GDB_ALL;
		return gdb_take_number(at, 1, &number) && number == 1;
	}
	if (!gdb_take_number(at, INT32_MAX, &number))
		return false;
	*id = (int32_t)number;
	return true;
}

bool gdb_take_thread(struct gdb_cursor *at, struct gdb_thread *thread)
{
	*thread = (struct gdb_thread){.process = GDB_ANY};
	if (!gdb_take(at, 'p'))
		return take_id(at, &thread->thread);
	if (!take_id(at, &thread->process))
		return false;
	thread->thread = GDB_ALL;
	return !gdb_take(at, '.') ||
	       (take_id(at, &thread->thread) && !(thread->process == GDB_ALL && thread->thread != GDB_ALL));
}

/* "X3,220827" */
static bool take_condition(struct gdb_cursor *at, struct gdb_code *condition)
{
	uint64_t length;
	if (!gdb_take(at, 'X') || !gdb_take_number(at, UINT32_MAX, &length) || !gdb_take(at, ',') ||
	    (uint64_t)(at->end - at->next) < 2 * length)
		return false;
	*condition = (struct gdb_code){(const unsigned char *)at->next, (size_t)length};
	at->next += 2 * length;
	return gdb_hex_decode((const char *)condition->bytes, 2 * (size_t)length,
			      (unsigned char *)at->next - 2 * length);
}

bool gdb_parse_conditions(struct gdb_request *request, struct gdb_cursor *at)
{
	struct gdb_code condition;
	bool fits = true;
	while (at->next < at->end) {
		gdb_take(at, ';');
		if (!take_condition(at, &condition))
			return false;
		fits = fits && condition.length <= GDB_CONDITION_LENGTH &&
		       request->conditions_length < GDB_CONDITIONS;
		if (fits)
			request->conditions[request->conditions_length++] = condition;
	}
	if (!fits)
		request->conditions_length = 0;
	return true;
}

static bool take_signal(struct gdb_cursor *at, struct gdb_action *action)
{
	uint64_t signal;
	if (!gdb_take_number(at, GDB_SIGNALS - 1, &signal))
		return false;
	action->signal = (uint8_t)signal;
	return true;
}

static bool take_action(struct gdb_cursor *at, struct gdb_action *action)
{
	if (at->next == at->end)
		return false;
	switch (*at->next++) {
	case 'c':
		action->kind = GDB_ACTION_CONTINUE;
		return true;
	case 'C':
		action->kind = GDB_ACTION_CONTINUE;
		return take_signal(at, action);
	case 's':
		action->kind = GDB_ACTION_STEP;
		return true;
	case 'S':
		action->kind = GDB_ACTION_STEP;
		return take_signal(at, action);
	case 't':
		action->kind = GDB_ACTION_STOP;
		return true;
	case 'r':
		action->kind = GDB_ACTION_RANGE;
		return gdb_take_number(at, UINT64_MAX, &action->low) && gdb_take(at, ',') &&
		       gdb_take_number(at, UINT64_MAX, &action->high) && action->low <= action->high;
	default:
		return false;
	}
}

bool gdb_parse_actions(struct gdb_request *request, struct gdb_cursor *at)
{
	for (size_t i = 0; i < GDB_ACTIONS; i++) {
		struct gdb_action *action = &request->actions.at[i];
		if (!take_action(at, action))
			return false;
		action->thread = (struct gdb_thread){GDB_ALL, GDB_ALL};
		if (gdb_take(at, ':') && !gdb_take_thread(at, &action->thread))
			return false;
		request->actions.length = i + 1;
		if (!gdb_take(at, ';'))
			return true;
	}
	return false;
}

bool gdb_parse_plain(struct gdb_request *request, struct gdb_cursor *at)
{
	struct gdb_action *action = &request->actions.at[0];
	at->next--;
	request->actions.length = 1;
	request->actions.plain = true;
	action->thread = (struct gdb_thread){GDB_ANY, GDB_ANY};
	return take_action(at, action) && action->kind != GDB_ACTION_STOP && action->kind != GDB_ACTION_RANGE;
}

static bool take_object(struct gdb_cursor *at, enum gdb_object *object)
{
	static const char *const names[] = {[GDB_OBJECT_FEATURES] = "features:read:",
					    [GDB_OBJECT_AUXV] = "auxv:read:",
					    [GDB_OBJECT_EXEC_FILE] = "exec-file:read:",
					    [GDB_OBJECT_THREADS] = "threads:read:",
					    [GDB_OBJECT_SIGINFO] = "siginfo:read:"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		size_t length = strlen(names[i]);
		if ((size_t)(at->end - at->next) < length || memcmp(at->next, names[i], length) != 0)
			continue;
		at->next += length;
		*object = (enum gdb_object)i;
		return true;
	}
	return false;
}

bool gdb_parse_transfer(struct gdb_request *request, struct gdb_cursor *at)
{
	if (!take_object(at, &request->object)) {
		request->kind = GDB_UNKNOWN;
		return true;
	}
	const char *end = memchr(at->next, ':', (size_t)(at->end - at->next));
	if (!end)
		return false;
	request->data = (const unsigned char *)at->next;
	request->data_length = (size_t)(end - at->next);
	at->next += request->data_length + 1;
	return gdb_take_number(at, UINT64_MAX, &request->address) && gdb_take(at, ',') &&
	       gdb_take_number(at, UINT64_MAX, &request->length);
}
