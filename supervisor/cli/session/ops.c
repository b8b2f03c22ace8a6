/* Plug-ins: from the option to the schedule. */
#include "supervisor/cli/session/ops.h"
#include "supervisor/cli/output/say.h"
#include "supervisor/cli/session/build_id.h"

#include <fmc/breakpoints/plugin.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int ops_open(const struct options *options, int otherwise)
{
	char why[256];
	if (options->ops && plugin_load(options->ops, why) != STATUS_OK) {
		say("%s", why);
		return otherwise;
	}
	if (options->ops || op_added() == 0)
		return 0;
	say("the schedule has operations of a plug-in and doesn't say of which; see --ops");
	return otherwise;
}

const char *ops_name(void)
{
	const char *slash = plugin_path() ? strrchr(plugin_path(), '/') : NULL;
	return slash ? slash + 1 : "no plug-in";
}

bool ops_record(struct schedule_header *header)
{
	char id[65] = "none";
	unsigned length = op_added();
	if (!plugin_path())
		return true;
	(void)build_id_read(plugin_path(), id);
	if (asprintf(&header->ops, "%s %s", id, plugin_path()) < 0)
		header->ops = NULL;
	header->kinds = calloc(length + 1, sizeof *header->kinds);
	for (unsigned i = 0; header->kinds && i < length; i++) {
		enum op_kind kind = (enum op_kind)(OP_USER + i);
		if (asprintf(&header->kinds[i], "%s %s", op_name(kind), class_name(op_class(kind))) >= 0)
			continue;
		header->kinds[i] = NULL;
		return false;
	}
	return header->ops && header->kinds;
}
