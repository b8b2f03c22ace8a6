/* Conditions of breakpoints, looked at here so that GDB needn't hear of stops that aren't wanted. */
#include "replay/gdb/session.h"
#include "replay/packets/agent.h"

#include <stdlib.h>
#include <string.h>

void gdb_condition_clear(struct gdb_set_point *point)
{
	for (size_t i = 0; i < point->conditions_length; i++)
		text_release(&point->conditions[i]);
	free(point->conditions);
	point->conditions = NULL;
	point->conditions_length = 0;
}

void gdb_condition_set(struct gdb_set_point *point, const struct gdb_request *r)
{
	bool failed = false;
	gdb_condition_clear(point);
	if (r->conditions_length == 0)
		return;
	point->conditions = calloc(r->conditions_length, sizeof *point->conditions);
	if (!point->conditions)
		return;
	point->conditions_length = r->conditions_length;
	for (size_t i = 0; i < r->conditions_length; i++) {
		struct text *condition = &point->conditions[i];
		text_add(condition, (const char *)r->conditions[i].bytes, r->conditions[i].length);
		failed = failed || condition->failed;
	}
	if (failed)
		gdb_condition_clear(point);
}

/* Where a condition is looked at: registers of the thread that has come to the breakpoint. */
struct viewpoint {
	const struct gdb_server *s;
	struct gdb_registers registers;
};

static bool read_register(void *context, uint32_t number, uint64_t *value)
{
	const struct viewpoint *at = context;
	unsigned char bytes[GDB_REGISTER];
	*value = 0;
	if (!gdb_register_is_general(&at->s->layout, number))
		return false;
	memcpy(value, bytes, gdb_register_read(&at->s->layout, &at->registers, number, bytes));
	return true;
}

static bool read_memory(void *context, uint64_t address, void *to, size_t size)
{
	const struct viewpoint *at = context;
	return timeline_read(at->s->timeline, address, to, size) == size;
}

static bool is_false(const struct gdb_set_point *point, const struct gdb_agent_state *state)
{
	for (size_t i = 0; i < point->conditions_length; i++) {
		const struct text *condition = &point->conditions[i];
		uint64_t value;
		if (!gdb_agent_evaluate((const unsigned char *)text_string(condition), condition->length,
					state, &value) ||
		    value)
			return false;
	}
	return point->conditions_length > 0;
}

static bool is_break_at(const struct gdb_set_point *point, uint32_t memory, uint64_t address)
{
	return point->memory == memory &&
	       (point->point == GDB_SOFTWARE_BREAK || point->point == GDB_HARDWARE_BREAK) &&
	       point->address == address;
}

static bool passes(void *server, uint32_t thread, uint64_t address)
{
	const struct gdb_server *s = server;
	const uint32_t memory = timeline_memory_of(s->timeline, thread);
	const uint32_t origin = gdb_known_origin(s, memory);
	struct viewpoint at = {.s = s};
	const struct gdb_agent_state state = {&at, read_register, read_memory};
	bool found = false;
	if (timeline_registers(s->timeline, thread, &at.registers.general) != STATUS_OK ||
	    !timeline_show(s->timeline, memory))
		return false;
	for (size_t i = 0; i < s->points_length; i++) {
		if (!is_break_at(&s->points[i], origin, address))
			continue;
		found = true;
		if (!is_false(&s->points[i], &state))
			return false;
	}
	return found;
}

/* FNV-1a */
static uint64_t add_to_version(uint64_t version, const void *bytes, size_t length)
{
	for (const unsigned char *byte = bytes; length-- > 0; byte++)
		version = (version ^ *byte) * UINT64_C(0x100000001b3);
	return version;
}

/* GDB takes its breakpoints away at each stop and sets them again, in any order: it is the same as long as they are. */
static uint64_t version_of(const struct gdb_set_point *point)
{
	uint64_t version = UINT64_C(0xcbf29ce484222325);
	version = add_to_version(version, &point->memory, sizeof point->memory);
	version = add_to_version(version, &point->point, sizeof point->point);
	version = add_to_version(version, &point->address, sizeof point->address);
	for (size_t i = 0; i < point->conditions_length; i++)
		version = add_to_version(version, text_string(&point->conditions[i]),
					 point->conditions[i].length + 1);
	return version;
}

void gdb_conditions_use(struct gdb_server *s)
{
	struct timeline_filter filter = {.context = s};
	for (size_t i = 0; i < s->points_length; i++) {
		if (s->points[i].conditions_length == 0)
			continue;
		filter.passes = passes;
		filter.version += version_of(&s->points[i]);
	}
	timeline_set_filter(s->timeline, &filter);
}
