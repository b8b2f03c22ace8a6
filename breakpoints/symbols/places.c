#include "breakpoints/symbols/places.h"
#include "breakpoints/symbols/symbols.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct places *places_new(void)
{
	return calloc(1, sizeof(struct places));
}

static void forget_modules(struct places *places)
{
	places_forget_found(places);
	for (size_t i = 0; i < places->variables_length; i++) {
		variables_release(&places->variables[i]);
		variables_release(&places->inner[i]);
	}
	free(places->variables);
	free(places->inner);
	places->variables = places->inner = NULL;
	places->variables_length = 0;
	free(places->types.at);
	places->types = (struct type_names){0};
	if (places->unwind)
		places->unwind_free(places->unwind);
	places->unwind = NULL;
	if (places->dwfl)
		dwfl_end(places->dwfl);
	places->dwfl = NULL;
	places->attached = false;
}

void places_free(struct places *places)
{
	if (!places)
		return;
	forget_modules(places);
	modules_release(&places->modules);
	for (size_t i = 0; i < places->strings_room; i++)
		free(places->strings[i]);
	free(places->strings);
	free(places);
}

static enum status report_modules(struct places *places)
{
	static char *debug_path; /* NULL: elfutils' own default */
	static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
						 .find_debuginfo = places_find_debuginfo,
						 .debuginfo_path = &debug_path};
	size_t length = places->modules.length;
	places->dwfl = dwfl_begin(&callbacks);
	places->variables = calloc(length + 1, sizeof(*places->variables));
	places->inner = calloc(length + 1, sizeof(*places->inner));
	if (!places->dwfl || !places->variables || !places->inner)
		return STATUS_NO_MEMORY;
	places->variables_length = length;
	dwfl_report_begin(places->dwfl);
	for (size_t i = 0; i < length; i++) {
		const struct module *module = &places->modules.at[i];
		/* What libdwfl opens would stay open in the programs that fmc starts. */
		int fd = module_open(module);
		Dwfl_Module *reported =
		    dwfl_report_elf(places->dwfl, module->name, module->path, fd, module->bias, true);
		if (!reported && fd >= 0)
			close(fd);
		void **userdata;
		if (reported && dwfl_module_info(reported, &userdata, NULL, NULL, NULL, NULL, NULL, NULL))
			*userdata = places;
	}
	if (places->snapshot)
		places_report_vdso(places);
	dwfl_report_end(places->dwfl, NULL, NULL);
	places->libc_low = places->libc_high = 0;
	if (length && places->modules.at[0].is_static)
		return static_libc_range(&places->modules.at[0], &places->libc_low, &places->libc_high);
	return STATUS_OK;
}

enum status places_update(struct places *places, struct target *target)
{
	bool changed;
	enum status status = modules_update(&places->modules, target_pid(target), &changed);
	if (!changed)
		return status;
	forget_modules(places);
	return status == STATUS_OK ? report_modules(places) : status;
}

enum status places_of_snapshot(struct places *places, struct snapshot *snapshot)
{
	enum status status = modules_of_snapshot(&places->modules, snapshot);
	if (status != STATUS_OK)
		return status;
	places->snapshot = snapshot;
	status = report_modules(places);
	return status == STATUS_NO_MEMORY ? status : STATUS_OK;
}

bool places_module(const struct places *places, size_t i, const char **path, char build_id[65])
{
	if (i >= places->modules.length)
		return false;
	*path = places->modules.at[i].path;
	memcpy(build_id, places->modules.at[i].build_id, sizeof(places->modules.at[i].build_id));
	return true;
}
