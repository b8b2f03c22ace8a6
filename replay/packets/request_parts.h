#ifndef FMC_REPLAY_PACKETS_REQUEST_PARTS_H
#define FMC_REPLAY_PACKETS_REQUEST_PARTS_H

#include "replay/packets/request.h"

/* Reading a payload from its beginning to its end; each function moves `next` after what it took. */
struct gdb_cursor {
	char *next, *end;
};

/* This character. */
bool gdb_take(struct gdb_cursor *at, char c);

/* As many hex digits as there are, two for each byte: they become the request's data. */
bool gdb_take_digits(struct gdb_request *request, struct gdb_cursor *at);

/* A number in hex digits, at most `limit`; leading zeros don't count. */
bool gdb_take_number(struct gdb_cursor *at, uint64_t limit, uint64_t *number);

/* "p1.2", "p1" (all threads of the process), "2", and -1 or 0 in place of each number. */
bool gdb_take_thread(struct gdb_cursor *at, struct gdb_thread *thread);

/* ";X3,220827X5,...": the conditions of a breakpoint, after what it is. */
bool gdb_parse_conditions(struct gdb_request *request, struct gdb_cursor *at);

/* "c;s:p1.2;r10,20:p1.3": after vCont; */
bool gdb_parse_actions(struct gdb_request *request, struct gdb_cursor *at);
/* "c", "s", "C05", "S05", from behind the letter: what clients without vCont say, of the thread that Hc has named. */
bool gdb_parse_plain(struct gdb_request *request, struct gdb_cursor *at);

/* "open:PATH,FLAGS,MODE", "pread:NUMBER,COUNT,OFFSET" and so on: after vFile:; GDB_UNKNOWN as below. */
bool gdb_parse_file(struct gdb_request *request, struct gdb_cursor *at);

/* "OBJECT:read:ANNEX:OFFSET,LENGTH": after qXfer. The kind becomes GDB_UNKNOWN for an object that isn't offered. */
bool gdb_parse_transfer(struct gdb_request *request, struct gdb_cursor *at);

#endif
