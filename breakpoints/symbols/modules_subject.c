#include "breakpoints/symbols/modules.h"
#include <elf.h>
#include <fmc/tracer/subject.h>
#include <string.h>

/* The modules of a foreign process or core file, from its mappings. */

static bool is_file(const struct subject_mapping *mapping)
{
	return mapping->path && mapping->path[0] == '/';
}

/* The program is what holds the entry point; without an auxiliary vector what bears its name. */
static bool is_program(const struct module *module, const struct subject *subject)
{
	uint64_t entry = subject_auxiliary(subject, AT_ENTRY);
	if (entry)
		return entry >= module->low && entry < module->high;
	return strcmp(module->path, subject_program(subject)) == 0;
}

enum status modules_of_subject(struct modules *modules, const struct subject *subject)
{
	size_t first = 0;
	bool added = false;
	enum status status = STATUS_OK;
	for (size_t i = 0; i < subject_mappings(subject) && status == STATUS_OK; i++) {
		const struct subject_mapping *mapping = subject_mapping(subject, i);
		if (!is_file(mapping))
			continue;
		const struct subject_mapping *lowest = subject_mapping(subject, first);
		if (!is_file(lowest) || strcmp(lowest->path, mapping->path) != 0) {
			first = i;
			lowest = mapping;
			added = false;
		}
		if (!mapping->executable || added)
			continue;
		status = modules_add(modules, &(struct module){.path = (char *)mapping->path,
							       .low = lowest->low,
							       .subject = subject,
							       .mapping = first});
		added = true;
	}
	for (size_t i = 0; i < modules->length; i++) {
		if (!is_program(&modules->at[i], subject))
			continue;
		modules_put_program_first(modules, i);
		break;
	}
	return status;
}
