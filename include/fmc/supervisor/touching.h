#ifndef FMC_SUPERVISOR_TOUCHING_H
#define FMC_SUPERVISOR_TOUCHING_H

#include <fmc/breakpoints/call.h>

/*
 * Which instruction touches memory: the processor tells what is watched after it, and where instructions begin can't be told from
 * their ends. So these are guesses, for who can try them without harm (hardware_watch.execute).
 */
struct touching;

struct touching *touching_new(void); /* NULL without memory */
void touching_free(struct touching *touching);

#define TOUCHING_MOST 3

/*
 * A tracee stands right after an instruction that has touched some of `size` bytes at `address`: where that may begin. Returns
 * how many, 0 if it isn't one of the usual.
 */
size_t touching_guess(struct touching *touching, const struct entries *entries, struct tracee *tracee,
		      uint64_t address, uint64_t size, uint64_t at[TOUCHING_MOST]);

/* The tracee stands before an instruction: will that touch some of these bytes? */
bool touching_next(struct touching *touching, const struct entries *entries, struct tracee *tracee,
		   uint64_t address, uint64_t size);

/*
 * The tracee stands before an instruction: where it may have come from (one right before it, a call of the function that begins here, a
 * jump of the linkage table's to it). Returns how many are known; it may have come another way. leads: it stands at one of them; is the
 * other place next? The loader may not have written it to the table yet.
 */
size_t touching_leading(const struct entries *entries, struct tracee *tracee, uint64_t at[TOUCHING_MOST]);
bool touching_leads(const struct entries *entries, struct tracee *tracee, uint64_t to);

#endif
