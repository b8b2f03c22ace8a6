#ifndef FMC_SUPERVISOR_SIFT_H
#define FMC_SUPERVISOR_SIFT_H

#include <fmc/supervisor/sharing.h>

/*
 * Of the accesses of an execution, while it runs, those that sharing_find() and sharing_find_all() need: of eight bytes that one
 * thread alone has touched since they were last given back none, only its last read and its last write of each byte are kept in
 * mind. When another thread comes, these are told, and from then on every access there, until the memory is given back or out. So is, where
 * it was given back and lingers, that. But where
 * operations are known to order the two the memory is the other thread's alone from then on, and what came before is kept in mind, too
 * (as the epochs of [FASTTRACK]). So of the same bytes accesses are told in the order in which they happened, of different ones they may not be.
 */
struct sift;

struct sift *sift_new(void); /* NULL without memory */
void sift_free(struct sift *sift);

/*
 * An execution begins: what matters is told to this function. `ordered`: have operations ordered what this thread did in that transition
 * before what another one does in its present one? Where they have, what sharing_find() needs is left out as well, as long as nobody
 * comes to the memory who isn't ordered so; then it is told. NULL: nothing is known, or sharing_find_all() is to be asked.
 */
typedef void sift_tell(void *context, const struct memory_access *access);
typedef bool sift_ordered(void *context, uint32_t first, size_t earlier, uint32_t second, size_t present);
void sift_begin(struct sift *sift, sift_tell *tell, sift_ordered *ordered, void *context);

/*
 * What follows is done by this thread, in this transition, or by its handler of a signal, which is told from the thread as if it were another one.
 * An access that is repeated there may be left out.
 */
void sift_turn(struct sift *sift, uint32_t thread, bool handler, size_t transition);

/*
 * Instructions have numbers, by which what they do again and again is told fast: what an instruction of one number is, how many bytes
 * it touches and whether it writes stays the same, until all numbers are given anew. 0: it has none.
 */
void sift_renumber(struct sift *sift);

/*
 * What sift_take() does, where the thread has touched that memory in this turn already, or nothing. False: it is to be called. *own:
 * nobody else has touched these bytes, but before operations that order it, so that in this turn no access of the thread's of the same kind
 * there changes what is told.
 */
bool sift_again(struct sift *sift, uint32_t site, bool own_stack, uint64_t address, bool *own);

/* These addresses come next: what is kept in mind there is brought into the processor's caches. */
void sift_prepare(const struct sift *sift, const uint64_t *addresses, size_t length);

/* The turn's thread has made this access, whose own thread and transition are left aside. True: as *own above. */
bool sift_take(struct sift *sift, uint32_t site, const struct memory_access *access);

/* Has there been no memory for it since it began? Then accesses are missing. */
bool sift_failed(const struct sift *sift);

#endif
