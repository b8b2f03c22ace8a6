/* Any bytes as a core file: refused with a line, or all of it can be asked for, and its threads can be inspected. */
#include <fmc/breakpoints/wait.h>

#include "tests/fuzz/require.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Of each mapping its first and last page, of each thread the top of its stack. */
static void ask(struct snapshot *snapshot)
{
	uint8_t bytes[4096];
	for (size_t i = 0; i < snapshot_mappings(snapshot); i++) {
		const struct snapshot_mapping *mapping = snapshot_mapping(snapshot, i);
		(void)snapshot_read(snapshot, mapping->low, bytes, sizeof bytes); /* only that it ends */
		(void)snapshot_read(snapshot, mapping->high - 1, bytes, 2);	  /* only that it ends */
		const int file = snapshot_open(snapshot, mapping);
		if (file >= 0)
			close(file);
	}
	for (size_t i = 0; i < snapshot_threads(snapshot); i++)
		(void)snapshot_read(snapshot, snapshot_thread(snapshot, i)->regs.rsp, bytes,
				    sizeof bytes); /* only that it ends */
	snapshot_auxiliary(snapshot, 3);
	if (!snapshot_program(snapshot))
		abort();
}

static void inspect(struct snapshot *snapshot)
{
	struct inspection inspection;
	if (inspection_make(snapshot, &inspection) != STATUS_OK)
		return;
	for (size_t i = 0; i < inspection.length; i++)
		if (inspection.threads[i].frames_length == 0 || inspection.threads[i].wait.kind >= WAIT_KINDS)
			abort();
	inspection_release(&inspection);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[32], why[256] = "";
	struct snapshot *snapshot;
	const int file = memfd_create("core", MFD_CLOEXEC);
	if (file < 0 || write(file, data, size) != (ssize_t)size) {
		perror("memfd_create");
		abort();
	}
	snprintf(path, sizeof path, "/proc/self/fd/%d", file);
	if (snapshot_of_core(path, NULL, &snapshot, why) == STATUS_OK) {
		ask(snapshot);
		inspect(snapshot);
	} else if (snapshot || !*why || !memchr(why, 0, sizeof why)) {
		fprintf(stderr, "refused without a reason\n");
		abort();
	}
	snapshot_free(snapshot);
	close(file);
	return 0;
}
