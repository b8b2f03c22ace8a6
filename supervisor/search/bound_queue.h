#ifndef FMC_SUPERVISOR_SEARCH_BOUND_QUEUE_H
#define FMC_SUPERVISOR_SEARCH_BOUND_QUEUE_H

#include <fmc/supervisor/happens_before.h>
#include <fmc/supervisor/saved.h>

/*
 * A list of prefixes, written once from its beginning to its end and then read in the same order.
 *
 * Neighbours share most of their steps, so each is stored as how many steps it keeps of the one before it and
 * the rest: two or three bytes a step in numbers of variable length (7 bits a byte, low ones first). A state takes
 * 16 bytes, none is one byte.
 */
struct bound_queue {
	uint8_t *bytes;
	size_t length, room;
	size_t read; /* position of the reader */
	uint64_t count, taken;
	struct step *last; /* the prefix written last, or when reading begins, read last */
	size_t last_length, last_room;
};

void bound_queue_init(struct bound_queue *list);
void bound_queue_release(struct bound_queue *list);

/* Empty it for writing, keeping the memory. */
void bound_queue_clear(struct bound_queue *list);

/*
 * Append `path` (length steps) followed by `step`, with the state that lies after it; false without memory, then the
 * list is as it was.
 */
bool bound_queue_push(struct bound_queue *list, const struct step *path, size_t length, struct step step,
		      struct trace_hash state);

/* Nothing more is written from here on. */
void bound_queue_rewind(struct bound_queue *list);

/* The next prefix, valid until the next call. False: there is none left. */
bool bound_queue_take(struct bound_queue *list, const struct step **prefix, size_t *length,
		      struct trace_hash *state);

/*
 * What has not been taken yet, as bytes. To be loaded into an empty list, as if it had just been written; false: these
 * can't be the bytes, or no memory.
 */
void bound_queue_save(const struct bound_queue *list, struct saver *saver);
bool bound_queue_load(struct bound_queue *list, struct loader *loader);

#endif
