#ifndef FMC_SUPERVISOR_SAVED_H
#define FMC_SUPERVISOR_SAVED_H

#include <fmc/supervisor/trace.h>

/*
 * Bytes that are written now and read by a later run. What is read may be damaged or meant to do harm: every read
 * is checked against the end, and nothing is allocated that the bytes still to come couldn't fill.
 *
 * Writing and reading go on after a failure, without effect: look at `failed` once, at the end. What was read is
 * 0 from then on, so that loops over counts end.
 */
struct saver {
	unsigned char *at; /* the saver's, free with saver_release() */
	size_t length, room;
	bool failed; /* no memory */
};

void saver_release(struct saver *saver);

#define SAVED_MORE 0x80 /* another byte of the number follows */

/* Seven bits a byte, the lowest first: small numbers are short, and most are. */
void save_long_number(struct saver *saver, uint64_t number);

static inline void save_number(struct saver *saver, uint64_t number)
{
	if (number < SAVED_MORE && saver->length < saver->room && !saver->failed)
		saver->at[saver->length++] = (unsigned char)number;
	else
		save_long_number(saver, number);
}

void save_signed(struct saver *saver, int64_t number);
void save_double(struct saver *saver, double number);
void save_bytes(struct saver *saver, const void *bytes, size_t length);
void save_text(struct saver *saver, const char *text); /* NULL stays NULL */

struct loader {
	const unsigned char *at; /* the caller's */
	size_t left;
	bool failed; /* the bytes end too early or aren't what they should be */
};

void load_refuse(struct loader *loader); /* what was read can't be: a failure like the others */

uint64_t load_long_number(struct loader *loader);

static inline uint64_t load_number(struct loader *loader)
{
	if (loader->left == 0 || *loader->at >= SAVED_MORE)
		return load_long_number(loader);
	loader->left--;
	return *loader->at++;
}

uint64_t load_most(struct loader *loader, uint64_t most); /* a number above that is a failure */
bool load_bool(struct loader *loader);
int64_t load_signed(struct loader *loader);
double load_double(struct loader *loader);

/* How many items follow, each of at least `least` bytes, at least 1. More than there is room for is a failure. */
size_t load_count(struct loader *loader, size_t least);

/* They stay where they are, inside the loader's bytes; NULL after a failure, and *length is 0. */
const void *load_bytes(struct loader *loader, size_t *length);

/* To be freed; NULL for NULL, and after a failure. */
char *load_text(struct loader *loader);

/* Parts of plans and traces. */
void save_step(struct saver *saver, const struct step *step);
struct step load_step(struct loader *loader);
void save_op(struct saver *saver, const struct op *op);
struct op load_op(struct loader *loader);
void save_object(struct saver *saver, const struct object_state *state);
struct object_state load_object(struct loader *loader);
enum object_class load_class(struct loader *loader);
void save_accesses(struct saver *saver, struct accesses accesses);
void load_footprint(struct loader *loader,
		    struct footprint *footprint); /* was empty; the caller's to release */

#endif
