/* What the program has printed so far. */
#include "supervisor/drive/state.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* A line that says it is longer than nobody expects. */
#define LOOKED_BACK 4096

static size_t size_of(int file)
{
	struct stat about;
	return file >= 0 && fstat(file, &about) == 0 ? (size_t)about.st_size : 0;
}

static bool matches(const struct drive *drive, int file)
{
	const size_t size = size_of(file);
	char *text = size > 0 ? malloc(size + 1) : NULL;
	const ssize_t got = text ? pread(file, text, size, 0) : 0;
	bool matched = false;
	/* The output may have zeros in it. */
	regmatch_t part = {.rm_so = 0, .rm_eo = (regoff_t)(got > 0 ? got : 0)};
	if (got > 0)
		matched = regexec(&drive->ready, text, 1, &part, REG_STARTEND) == 0;
	free(text);
	return matched;
}

bool drive_is_ready(struct process *process)
{
	struct drive *drive = process->drive;
	const size_t size = size_of(process->capture) + size_of(process->printed);
	if (!drive->has_ready || size == drive->searched)
		return false;
	drive->searched = size;
	return matches(drive, process->capture) || matches(drive, process->printed);
}

void drive_pass_on(struct process *process)
{
	struct drive *drive = process->drive;
	char text[LOOKED_BACK];
	ssize_t got;
	if (!drive->setting->passes_on)
		return;
	while ((got = pread(process->capture, text, sizeof text, (off_t)drive->passed_on)) > 0) {
		drive->passed_on += (size_t)got;
		for (ssize_t written = 0, now; written < got; written += now)
			if ((now = write(STDOUT_FILENO, text + written, (size_t)(got - written))) <= 0)
				return;
	}
}
