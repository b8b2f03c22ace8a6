#include "breakpoints/symbols/modules.h"
#include <elf.h>
#include <fmc/tracer/snapshot.h>
#include <string.h>

/* The modules of a foreign process or core file, from its mappings. */

static bool is_file(const struct snapshot_mapping *mapping)
{
	return mapping->path && mapping->path[0] == '/';
}

/* The program is what holds the entry point; without an auxiliary vector what bears its name. */
static bool is_program(const struct module *module, const struct snapshot *snapshot)
{
	uint64_t entry = snapshot_auxiliary(snapshot, AT_ENTRY);
	if (entry)
		return entry >= module->low && entry < module->high;
	return strcmp(module->path, snapshot_program(snapshot)) == 0;
}

enum status modules_of_snapshot(struct modules *modules, const struct snapshot *snapshot)
{
	size_t first = 0;
	bool added = false;
	enum status status = STATUS_OK;
	for (size_t i = 0; i < snapshot_mappings(snapshot) && status == STATUS_OK; i++) {
		const struct snapshot_mapping *mapping = snapshot_mapping(snapshot, i);
		if (!is_file(mapping))
			continue;
		const struct snapshot_mapping *lowest = snapshot_mapping(snapshot, first);
		if (!is_file(lowest) || strcmp(lowest->path, mapping->path) != 0) {
			first = i;
			lowest = mapping;
			added = false;
		}
		if (!mapping->executable || added)
			continue;
		status = modules_add(modules, &(struct module){.path = (char *)mapping->path,
							       .low = lowest->low,
							       .snapshot = snapshot,
							       .mapping = first});
		added = true;
	}
	for (size_t i = 0; i < modules->length; i++) {
		if (!is_program(&modules->at[i], snapshot))
			continue;
		modules_put_program_first(modules, i);
		break;
	}
	return status;
}
