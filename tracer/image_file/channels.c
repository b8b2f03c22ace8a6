#include "tracer/image_file/read.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

/* The channels that stand in an image file. */

/* The kernel takes no larger one. */
#define CAPACITY_MOST (UINT64_C(1) << 31)

static uint32_t slot_size(const struct image_file_channel *channel, uint32_t slot)
{
	uint32_t size;
	memcpy(&size, channel->contents + slot * sizeof size, sizeof size);
	return size;
}

static bool check_pipe(const struct image_file_channel *channel)
{
	const uint64_t slots = channel->note.slots, sizes = slots * sizeof(uint32_t);
	uint64_t bytes = 0;
	if (channel->note.value < CHANNEL_SLOT || channel->note.value > CAPACITY_MOST ||
	    channel->note.value % CHANNEL_SLOT || slots > channel->note.value / CHANNEL_SLOT ||
	    sizes > channel->size)
		return false;
	for (uint32_t i = 0; i < channel->note.slots; i++) {
		const uint32_t size = slot_size(channel, i);
		if (!size || size > CHANNEL_SLOT)
			return false;
		bytes += size;
	}
	return bytes == channel->size - sizes;
}

static bool check_end(const struct image_file *file, const struct image_descriptor *end)
{
	const unsigned mode = end->flags & O_ACCMODE;
	if (end->channel >= file->channels_length)
		return false;
	return file->channels[end->channel].note.kind == CHANNEL_PIPE ? mode == O_RDONLY || mode == O_WRONLY
								      : mode == O_RDWR;
}

static bool check_channel(const struct image_file_channel *channel)
{
	const struct image_channel *note = &channel->note;
	if (note->semaphore > 1)
		return false;
	switch (note->kind) {
	case CHANNEL_PIPE:
		return !note->members && check_pipe(channel);
	case CHANNEL_COUNTER:
		return !note->members && !note->slots && !channel->size;
	case CHANNEL_SET:
		return !note->slots && channel->size == note->members * sizeof(struct image_member);
	default:
		return false;
	}
}

bool image_channels_check(const struct image_file *file)
{
	for (size_t i = 0; i < file->channels_length; i++)
		if (!check_channel(&file->channels[i]))
			return false;
	for (size_t i = 0; i < file->descriptors_length; i++)
		if (file->descriptors[i].note.kind == IMAGE_END &&
		    !check_end(file, &file->descriptors[i].note))
			return false;
	return true;
}

static void *copy(const void *from, size_t size)
{
	void *to = malloc(size ? size : 1);
	if (to)
		memcpy(to, from, size);
	return to;
}

static bool load_members(const struct image_file_channel *from, struct channel *to)
{
	to->members = calloc(from->note.members + (size_t)1, sizeof *to->members);
	for (uint32_t i = 0; i < from->note.members && to->members; i++) {
		struct image_member member;
		memcpy(&member, from->contents + i * sizeof member, sizeof member);
		to->members[to->members_length++] = (struct channel_member){
		    .number = member.number, .events = member.events, .data = member.data};
	}
	return to->members != NULL;
}

static bool load_channel(const struct image_file_channel *from, struct channel *to)
{
	const size_t sizes = from->note.slots * sizeof *to->sizes;
	*to = (struct channel){.kind = (enum channel_kind)from->note.kind,
			       .semaphore = from->note.semaphore,
			       .value = from->note.value,
			       .slots = from->note.slots};
	if (to->kind == CHANNEL_SET)
		return load_members(from, to);
	to->sizes = copy(from->contents, sizes);
	to->bytes = copy(from->contents + sizes, from->size - sizes);
	to->length = from->size - sizes;
	return to->sizes && to->bytes;
}

static void load_ends(const struct image_file *file, struct channels *channels)
{
	for (size_t i = 0; i < file->descriptors_length; i++) {
		const struct image_descriptor *note = &file->descriptors[i].note;
		if (note->kind == IMAGE_END)
			channels->ends[channels->ends_length++] = (struct channel_end){
			    .number = note->number, .flags = note->flags, .channel = note->channel};
	}
}

enum status image_channels_load(const struct image_file *file, struct channels *channels)
{
	bool loaded = true;
	*channels = (struct channels){0};
	if (!file->channels_length)
		return STATUS_OK;
	channels->at = calloc(file->channels_length, sizeof *channels->at);
	channels->ends = calloc(file->descriptors_length + 1, sizeof *channels->ends);
	for (size_t i = 0; i < file->channels_length && channels->at && loaded; i++)
		loaded = load_channel(&file->channels[i], &channels->at[channels->length++]);
	if (!loaded || !channels->at || !channels->ends) {
		channels_release(channels);
		return STATUS_NO_MEMORY;
	}
	load_ends(file, channels);
	return STATUS_OK;
}
