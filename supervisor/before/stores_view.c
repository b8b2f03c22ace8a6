/*
 * Stores that wait, as somebody is shown them who looks at the process from outside: memory is what it is to all threads, with what a
 * thread has stored to places that no other one accesses.
 */
#include "supervisor/before/stores.h"

#include <string.h>

static bool covers(const struct store *store, uint64_t address)
{
	return address - store->address < store->size;
}

/* One byte of what was read: of a thread whose stores are in memory meanwhile those that are operations go out, else the others come in. */
static uint8_t shown_byte(const struct stores *stores, uint64_t address, uint8_t byte)
{
	for (uint32_t i = stores->length; i > 0; i--) {
		const struct store *store = &stores->at[i - 1];
		if (!covers(store, address))
			continue;
		if (!store->operation)
			return stores->in_memory ? byte : store->bytes[address - store->address];
		if (stores->in_memory)
			byte = store->under[address - store->address];
	}
	return byte;
}

void process_show_memory(const struct process *process, uint64_t address, uint8_t *bytes, size_t size)
{
	for (uint32_t t = 0; t < process->threads_length; t++) {
		const struct stores *stores = &process->threads[t].stores;
		for (uint32_t i = 0; i < stores->length; i++) {
			const struct store *store = &stores->at[i];
			if (!store_overlaps(store, address, size))
				continue;
			const uint64_t low = store->address > address ? store->address - address : 0;
			for (uint64_t at = low; at < size && covers(store, address + at); at++)
				bytes[at] = shown_byte(stores, address + at, bytes[at]);
		}
	}
}

static void settle(const struct process *process, const struct stores *stores, struct target *copy)
{
	uint8_t shown[STORES_ROOM][WAITING_BYTES];
	bool read[STORES_ROOM];
	for (uint32_t i = 0; i < stores->length; i++) {
		const struct store *store = &stores->at[i];
		read[i] = target_read(copy, store->address, shown[i], store->size) == STATUS_OK;
		process_show_memory(process, store->address, shown[i], store->size);
	}
	/* What can't be read nobody sees. */
	for (uint32_t i = 0; i < stores->length; i++)
		if (read[i])
			(void)target_write(copy, stores->at[i].address, shown[i], stores->at[i].size);
}

void process_settle_memory(const struct process *process, struct target *copy)
{
	for (uint32_t t = 0; t < process->threads_length; t++)
		settle(process, &process->threads[t].stores, copy);
}

bool process_waiting_store(struct process *process, uint32_t thread, uint32_t n,
			   struct process_waiting *waiting)
{
	const struct stores *stores = &process->threads[thread].stores;
	for (uint32_t i = 0; i < stores->length; i++) {
		const struct store *store = &stores->at[i];
		if (!store->operation || n-- > 0)
			continue;
		*waiting =
		    (struct process_waiting){.object = objects_find(process, CLASS_MEMORY, store->address),
					     .address = store->address,
					     .size = store->size,
					     .value = store_value(store)};
		return true;
	}
	return false;
}
