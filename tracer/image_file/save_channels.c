#include "tracer/copy/channel.h"
#include "tracer/image_file/note.h"
#include "tracer/image_file/write.h"

#include <stdlib.h>
#include <string.h>

/* The notes of channels. */

static void put_members(const struct channel *set, uint8_t *to)
{
	for (uint32_t i = 0; i < set->members_length; i++) {
		const struct image_member member = {.number = set->members[i].number,
						    .events = set->members[i].events,
						    .data = set->members[i].data};
		memcpy(to + i * sizeof member, &member, sizeof member);
	}
}

static void save_channel(struct image_writer *writer, const struct channel *channel)
{
	const struct image_channel note = {.kind = channel->kind,
					   .semaphore = channel->semaphore,
					   .slots = channel->slots,
					   .members = channel->members_length,
					   .value = channel->value};
	const size_t sizes = channel->slots * sizeof *channel->sizes;
	const size_t size =
	    sizeof note + sizes + channel->length + channel->members_length * sizeof(struct image_member);
	uint8_t *bytes = malloc(size);
	if (!bytes) {
		writer->status = STATUS_NO_MEMORY;
		return;
	}
	memcpy(bytes, &note, sizeof note);
	if (sizes) {
		memcpy(bytes + sizeof note, channel->sizes, sizes);
		memcpy(bytes + sizeof note + sizes, channel->bytes, channel->length);
	}
	put_members(channel, bytes + sizeof note);
	image_note_write(writer, IMAGE_OWNER, IMAGE_CHANNEL, bytes, size);
	free(bytes);
}

void image_save_channels(const struct channels *channels, struct image_writer *writer)
{
	for (uint32_t i = 0; i < channels->length; i++)
		save_channel(writer, &channels->at[i]);
}
