/* Registers and memory, read and changed. */
#include "replay/gdb/session.h"
#include "replay/packets/hex.h"

#include <stdlib.h>
#include <string.h>

static enum status load(struct gdb_server *s, struct gdb_registers *registers)
{
	size_t size = sizeof registers->area;
	enum status status = gdb_is_there(s, s->selected)
				 ? timeline_registers(s->timeline, s->selected.thread, &registers->general)
				 : STATUS_GONE;
	if (status)
		return status;
	memset(registers->area, 0, sizeof registers->area);
	if (timeline_extended(s->timeline, s->selected.thread, registers->area, &size))
		size = 0;
	registers->area_length = size;
	return STATUS_OK;
}

/* Registers from `first` up to before `end` of a thread that is listed without being there: nothing is known of them. */
static bool answer_absent(struct gdb_server *s, uint32_t first, uint32_t end)
{
	if (gdb_is_there(s, s->selected) || !gdb_lists(s, s->selected))
		return false;
	for (uint32_t n = first; n < end; n++)
		for (size_t i = gdb_register_size(&s->layout, n); i > 0; i--)
			text_printf(&s->reply, "xx");
	return true;
}

void gdb_answer_read_registers(struct gdb_server *s, const struct gdb_request *r)
{
	struct gdb_registers registers;
	unsigned char bytes[GDB_REGISTER];
	size_t size;
	(void)r;
	if (answer_absent(s, 0, gdb_registers_count(&s->layout)))
		return;
	enum status status = load(s, &registers);
	if (status) {
		gdb_refuse_because(s, status);
		return;
	}
	for (uint32_t n = 0; (size = gdb_register_read(&s->layout, &registers, n, bytes)) != 0; n++)
		gdb_hex_add(&s->reply, bytes, size);
}

void gdb_answer_read_register(struct gdb_server *s, const struct gdb_request *r)
{
	struct gdb_registers registers;
	unsigned char bytes[GDB_REGISTER];
	if (gdb_register_size(&s->layout, r->number) > 0 && answer_absent(s, r->number, r->number + 1))
		return;
	enum status status = load(s, &registers);
	size_t size = status ? 0 : gdb_register_read(&s->layout, &registers, r->number, bytes);
	if (status)
		gdb_refuse_because(s, status);
	else if (size == 0)
		gdb_refuse(s);
	else
		gdb_hex_add(&s->reply, bytes, size);
}

/* Say once what a change is worth. */
static void tell_of_change(struct gdb_server *s)
{
	if (s->change_told)
		return;
	s->change_told = true;
	s->say("what you change is changed in a copy of the process; the schedule goes on without it");
}

/* `changed`: GDB_CHANGED_..., the parts that go to the thread. */
static void store(struct gdb_server *s, const struct gdb_registers *registers, unsigned changed)
{
	enum status status = STATUS_OK;
	if (changed & GDB_CHANGED_GENERAL)
		status = timeline_set_registers(s->timeline, s->selected.thread, &registers->general);
	if (changed & GDB_CHANGED_AREA && !status)
		status = timeline_set_extended(s->timeline, s->selected.thread, registers->area,
					       registers->area_length);
	if (changed && !status)
		tell_of_change(s);
	if (status)
		gdb_refuse_because(s, status);
	else
		gdb_reply(s, "OK");
}

/* Change one register, if it has another value. False: it can't be changed. */
static bool change(const struct gdb_server *s, struct gdb_registers *registers, uint32_t number,
		   const unsigned char *value, enum gdb_changed *changed)
{
	unsigned char bytes[GDB_REGISTER];
	size_t size = gdb_register_read(&s->layout, registers, number, bytes);
	*changed = GDB_CHANGED_NONE;
	if (memcmp(bytes, value, size) == 0)
		return true;
	memcpy(bytes, value, size);
	*changed = gdb_register_write(&s->layout, registers, number, bytes);
	return *changed != GDB_CHANGED_NONE;
}

void gdb_answer_write_register(struct gdb_server *s, const struct gdb_request *r)
{
	struct gdb_registers registers;
	enum gdb_changed changed;
	enum status status = load(s, &registers);
	size_t size = gdb_register_size(&s->layout, r->number);
	if (status)
		gdb_refuse_because(s, status);
	else if (size == 0 || size != r->data_length || !change(s, &registers, r->number, r->data, &changed))
		gdb_refuse(s);
	else
		store(s, &registers, changed);
}

void gdb_answer_write_registers(struct gdb_server *s, const struct gdb_request *r)
{
	struct gdb_registers registers;
	unsigned all = 0;
	const unsigned char *value = r->data;
	size_t size;
	enum status status = load(s, &registers);
	for (uint32_t n = 0; !status && (size = gdb_register_size(&s->layout, n)) != 0; n++) {
		enum gdb_changed changed;
		if (size > (size_t)(r->data + r->data_length - value) ||
		    !change(s, &registers, n, value, &changed)) {
			gdb_refuse(s);
			return;
		}
		all |= changed;
		value += size;
	}
	if (status)
		gdb_refuse_because(s, status);
	else
		store(s, &registers, all);
}

void gdb_answer_read_memory(struct gdb_server *s, const struct gdb_request *r)
{
	unsigned char bytes[GDB_PAYLOAD / 2];
	size_t size = r->length < sizeof bytes ? (size_t)r->length : sizeof bytes;
	size_t count = timeline_read(s->timeline, r->address, bytes, size);
	if (count == 0 && size > 0)
		gdb_refuse(s);
	else
		gdb_hex_add(&s->reply, bytes, count);
}

void gdb_answer_write_memory(struct gdb_server *s, const struct gdb_request *r)
{
	unsigned char bytes[GDB_PAYLOAD];
	size_t size = r->data_length;
	/* GDB writes nothing to learn whether it may, and what is there already to be sure. */
	if (timeline_read(s->timeline, r->address, bytes, size) == size &&
	    memcmp(bytes, r->data, size) == 0) {
		gdb_reply(s, "OK");
		return;
	}
	enum status status = timeline_write(s->timeline, r->address, r->data, size);
	if (status) {
		gdb_refuse_because(s, status);
		return;
	}
	tell_of_change(s);
	gdb_reply(s, "OK");
}
