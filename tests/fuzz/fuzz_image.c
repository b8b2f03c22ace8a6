/* Any bytes as an image file: refused with a line, or all that it tells can be asked for, and its channels loaded. */
#include "tests/fuzz/require.h"
#include "tracer/image_file/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t ask(const struct image_file *file)
{
	size_t sum = strlen(image_file_program(file)) + strlen(image_file_directory(file));
	for (char *const *text = image_file_arguments(file); *text; text++)
		sum += strlen(*text);
	for (char *const *text = image_file_environment(file); *text; text++)
		sum += strlen(*text);
	for (uint32_t i = 0; i < image_file_threads(file); i++)
		sum += strlen(image_file_name(file, i)) + (size_t)image_file_number(file, i) +
		       image_file_regs(file, i)->rip + (size_t)image_file_syscall(file, i);
	for (size_t i = 0; i < image_file_absences(file); i++)
		sum += strlen(image_file_absence(file, i));
	return sum;
}

/* What came of the check holds: as much in the pipes as their pages say. */
static void load_channels(const struct image_file *file)
{
	struct channels channels;
	if (image_channels_load(file, &channels) != STATUS_OK)
		return;
	for (uint32_t i = 0; i < channels.length; i++) {
		size_t sum = 0;
		for (uint32_t slot = 0; slot < channels.at[i].slots; slot++)
			sum += channels.at[i].sizes[slot];
		if (sum != channels.at[i].length ||
		    channels.at[i].slots > channels.at[i].value / CHANNEL_SLOT)
			abort();
	}
	for (uint32_t i = 0; i < channels.ends_length; i++)
		if (channels.ends[i].channel >= channels.length)
			abort();
	channels_release(&channels);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[32], why[256] = "";
	struct image_file *image;
	const int file = memfd_create("image", MFD_CLOEXEC);
	if (file < 0 || write(file, data, size) != (ssize_t)size) {
		perror("memfd_create");
		abort();
	}
	snprintf(path, sizeof path, "/proc/self/fd/%d", file);
	if (image_file_open(path, &image, why) == STATUS_OK) {
		/* No memory is that full of texts. */
		if (ask(image) == SIZE_MAX)
			abort();
		load_channels(image);
	} else if (image || !*why || !memchr(why, 0, sizeof why)) {
		fprintf(stderr, "refused without a reason\n");
		abort();
	}
	image_file_close(image);
	close(file);
	return 0;
}
