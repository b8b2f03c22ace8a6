#ifndef FMC_BREAKPOINTS_TRANSFER_LEADS_H
#define FMC_BREAKPOINTS_TRANSFER_LEADS_H

#include <fmc/breakpoints/passes.h>

/*
 * Code in a target that makes system calls without a stop which otherwise stop it: read(), write(), readv(), writev(), and send(), recv() and sendmsg() with no more than
 * MSG_DONTWAIT and MSG_NOSIGNAL, of descriptors that fmc has said may. Not for calls that wait. Anything else stops as without it.
 */

/* Is it one of these calls? */
bool transfer_leads_are_for(long number);

/* Write the code into a target that has passes_make(). False: it is gone. */
bool transfer_leads_plant(struct target *target);

/*
 * Calls that go on at `after` come to that code from now on. All threads are stopped, and none stands right before the call but by signals. False: they can't, and
 * all is as it was.
 */
struct entries;
bool transfer_leads_add(const struct entries *entries, struct target *target, uint64_t after);

/* May calls with this descriptor pass? Of higher ones than TRANSFER_DESCRIPTORS none may. */
#define TRANSFER_DESCRIPTORS 65536
enum status transfer_leads_let(struct target *target, int descriptor, bool let);

/* A thread stands in this code and hasn't made the call yet: it is put to the code's beginning. */
void transfer_leads_step_back(struct tracee *tracee);

#endif
