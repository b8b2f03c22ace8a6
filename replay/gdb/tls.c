/*
 * Addresses of thread-local variables.
 *
 * Each thread has a vector with a slot for each module that has such variables. Where in its own structures the
 * vector and the number of a module are, glibc says in tables for libthread_db, which it exports for each field: its size
 * in bits, the number of elements, and the offset.
 */
#include "replay/gdb/tls.h"
#include "replay/gdb/process.h"

#include <fmc/breakpoints/place.h>

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/user.h>

/* In a slot of a thread that has no memory for the module yet. */
#define UNALLOCATED UINT64_MAX

enum { FIELD_BITS, FIELD_ELEMENTS, FIELD_OFFSET, FIELD_WORDS };

static bool read_field(struct timeline *timeline, const char *name, uint32_t field[FIELD_WORDS])
{
	uint64_t address = places_libc_symbol(process_places(timeline_process(timeline)), name);
	size_t size = FIELD_WORDS * sizeof *field;
	return address != 0 && timeline_read(timeline, address, field, size) == size;
}

static void learn(struct gdb_tls *tls, struct timeline *timeline)
{
	uint32_t module[FIELD_WORDS], vector[FIELD_WORDS], slots[FIELD_WORDS], value[FIELD_WORDS],
	    counter[FIELD_WORDS];
	struct process *process = timeline_process(timeline);
	if (process_target(process))
		(void)places_update(process_places(process), process_target(process));
	tls->known = true;
	tls->memory = timeline_shown(timeline);
	tls->described = read_field(timeline, "_thread_db_link_map_l_tls_modid", module) &&
			 read_field(timeline, "_thread_db_pthread_dtvp", vector) &&
			 read_field(timeline, "_thread_db_dtv_dtv", slots) &&
			 read_field(timeline, "_thread_db_dtv_t_pointer_val", value) &&
			 read_field(timeline, "_thread_db_dtv_t_counter", counter);
	if (!tls->described)
		return;
	tls->module_offset = module[FIELD_OFFSET];
	tls->vector_offset = vector[FIELD_OFFSET];
	tls->slots_offset = slots[FIELD_OFFSET];
	tls->slot_bytes = slots[FIELD_BITS] / 8;
	tls->value_offset = value[FIELD_OFFSET];
	tls->counter_offset = counter[FIELD_OFFSET];
}

static bool read_word(struct timeline *timeline, uint64_t address, uint64_t *word)
{
	return timeline_read(timeline, address, word, sizeof *word) == sizeof *word;
}

/* Through the thread's vector. `descriptor` is where the thread's own structure is. */
static enum status through_vector(const struct gdb_tls *tls, struct timeline *timeline, uint64_t descriptor,
				  uint64_t link_map, uint64_t *base)
{
	uint64_t module, vector, counter;
	if (!read_word(timeline, link_map + tls->module_offset, &module) ||
	    !read_word(timeline, descriptor + tls->vector_offset, &vector) ||
	    !read_word(timeline, vector - tls->slot_bytes + tls->counter_offset, &counter))
		return STATUS_NOT_FOUND;
	if (module == 0 || module > counter)
		return STATUS_NOT_FOUND;
	uint64_t slot = vector + tls->slots_offset + module * tls->slot_bytes;
	if (!read_word(timeline, slot + tls->value_offset, base))
		return STATUS_NOT_FOUND;
	return *base == UNALLOCATED ? STATUS_NOT_FOUND : STATUS_OK;
}

/* The variables of the program itself lie right before what fs_base points to (the ABI's variant II). */
static enum status before_descriptor(struct timeline *timeline, uint64_t descriptor, uint64_t *base)
{
	uint64_t headers = gdb_process_auxv_value(timeline, AT_PHDR);
	uint64_t count = gdb_process_auxv_value(timeline, AT_PHNUM);
	for (uint64_t i = 0; headers != 0 && i < count && i < UINT16_MAX; i++) {
		Elf64_Phdr header;
		if (timeline_read(timeline, headers + i * sizeof header, &header, sizeof header) !=
		    sizeof header)
			break;
		if (header.p_type != PT_TLS)
			continue;
		uint64_t align = header.p_align ? header.p_align : 1;
		uint64_t before = header.p_memsz + (align - header.p_memsz % align) % align;
		*base = descriptor - before;
		return STATUS_OK;
	}
	return STATUS_NOT_FOUND;
}

/* The program itself is the first of the list of link maps. */
static bool is_program(struct timeline *timeline, uint64_t link_map)
{
	struct link_map map;
	return link_map == 0 ||
	       (timeline_read(timeline, link_map, &map, sizeof map) == sizeof map && !map.l_prev);
}

enum status gdb_tls_address(struct gdb_tls *tls, struct timeline *timeline, uint32_t thread,
			    uint64_t link_map, uint64_t offset, uint64_t *address)
{
	struct user_regs_struct registers;
	uint64_t base = 0;
	if (!tls->known || tls->memory != timeline_shown(timeline))
		learn(tls, timeline);
	enum status status = timeline_registers(timeline, thread, &registers);
	if (status)
		return status;
	if (tls->described && link_map != 0)
		status = through_vector(tls, timeline, registers.fs_base, link_map, &base);
	else if (is_program(timeline, link_map))
		status = before_descriptor(timeline, registers.fs_base, &base);
	else
		status = STATUS_UNSUPPORTED;
	*address = base + offset;
	return status;
}
