/* Any bytes as a core file: refused with a line, or all of it can be asked for, and its threads can be inspected. */
#include <fmc/breakpoints/wait.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Of each mapping its first and last page, of each thread the top of its stack. */
static void ask(struct subject *subject)
{
	uint8_t bytes[4096];
	for (size_t i = 0; i < subject_mappings(subject); i++) {
		const struct subject_mapping *mapping = subject_mapping(subject, i);
		subject_read(subject, mapping->low, bytes, sizeof bytes);
		subject_read(subject, mapping->high - 1, bytes, 2);
		const int file = subject_open(subject, mapping);
		if (file >= 0)
			close(file);
	}
	for (size_t i = 0; i < subject_threads(subject); i++)
		subject_read(subject, subject_thread(subject, i)->regs.rsp, bytes, sizeof bytes);
	subject_auxiliary(subject, 3);
	if (!subject_program(subject))
		abort();
}

static void inspect(struct subject *subject)
{
	struct inspection inspection;
	if (inspection_make(subject, &inspection) != STATUS_OK)
		return;
	for (size_t i = 0; i < inspection.length; i++)
		if (inspection.threads[i].frames_length == 0 || inspection.threads[i].wait.kind >= WAIT_KINDS)
			abort();
	inspection_release(&inspection);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[32], why[256] = "";
	struct subject *subject;
	const int file = memfd_create("core", MFD_CLOEXEC);
	if (file < 0 || write(file, data, size) != (ssize_t)size) {
		perror("memfd_create");
		abort();
	}
	snprintf(path, sizeof path, "/proc/self/fd/%d", file);
	if (subject_core(path, NULL, &subject, why) == STATUS_OK) {
		ask(subject);
		inspect(subject);
	} else if (subject || !*why || !memchr(why, 0, sizeof why)) {
		fprintf(stderr, "refused without a reason\n");
		abort();
	}
	subject_free(subject);
	close(file);
	return 0;
}
