#ifndef FMC_SUPERVISOR_SEARCH_CB_LIST_H
#define FMC_SUPERVISOR_SEARCH_CB_LIST_H

#include <fmc/supervisor/happens_before.h>
#include <fmc/supervisor/saved.h>

/*
 * A list of prefixes, written once from its beginning to its end and then read in the same order.
 *
 * Neighbours share most of their steps, so each is stored as how many steps it keeps of the one before it and
 * the rest: two or three bytes a step in numbers of variable length (7 bits a byte, low ones first). A state takes
 * 16 bytes, none is one byte.
 */
struct cb_list {
	uint8_t *bytes;
	size_t length, room;
	size_t read; /* position of the reader */
	uint64_t count, taken;
	struct step *last; /* the prefix written last, or when reading begins, read last */
	size_t last_length, last_room;
};

void cb_list_init(struct cb_list *list);
void cb_list_release(struct cb_list *list);

/* Empty it for writing, keeping the memory. */
void cb_list_clear(struct cb_list *list);

/*
 * Append `path` (length steps) followed by `step`, with the state that lies after it; false without memory, then the
 * list is as it was.
 */
bool cb_list_push(struct cb_list *list, const struct step *path, size_t length, struct step step,
		  struct trace_hash state);

/* Nothing more is written from here on. */
void cb_list_rewind(struct cb_list *list);

/* The next prefix, valid until the next call. False: there is none left. */
bool cb_list_take(struct cb_list *list, const struct step **prefix, size_t *length, struct trace_hash *state);

/*
 * What has not been taken yet, as bytes. To be loaded into an empty list, as if it had just been written; false: these
 * can't be the bytes, or no memory.
 */
void cb_list_save(const struct cb_list *list, struct saver *saver);
bool cb_list_load(struct cb_list *list, struct loader *loader);

#endif
