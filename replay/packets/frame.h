#ifndef FMC_REPLAY_PACKETS_FRAME_H
#define FMC_REPLAY_PACKETS_FRAME_H

#include "replay/text/text.h"
#include <fmc/tracer/must_check.h>

/*
 * Packets of GDB's remote protocol, from and to a stream of bytes: "$payload#checksum", answered by + or - until both
 * sides agree to leave that out, and a byte 0x03 between packets, by which the user interrupts what runs.
 */

/* The longest payload, in bytes before escaping. */
#define GDB_PAYLOAD 0x8000

enum FMC_MUST_CHECK gdb_frame_event {
	GDB_FRAME_PACKET,   /* payload and length of the frame are those of a packet */
	GDB_FRAME_TOO_LONG, /* a packet came that is longer than that, and was thrown away */
	GDB_FRAME_CLOSED,   /* nobody is there any more, or fmc was asked to end (tracer_interrupted()) */
};

/* Where in a packet the next byte is. */
enum gdb_frame_stage {
	GDB_STAGE_BETWEEN,
	GDB_STAGE_PAYLOAD,
	GDB_STAGE_ESCAPED,
	GDB_STAGE_SUM,
	GDB_STAGE_SUM2
};

struct gdb_frame {
	int in, out; /* the caller's to close; blocking or not */
	bool silent; /* no acknowledgements */
	bool ended;  /* nothing more comes in */
	bool closed; /* nothing can be sent any more */
	enum gdb_frame_stage stage;
	unsigned char sum, given;      /* of the packet that is being read */
	size_t length;		       /* of its payload; may exceed the room, then it is too long */
	char payload[GDB_PAYLOAD + 1]; /* without escapes, after it a zero */
	unsigned char input[4096];     /* read, not yet looked at: from `at` to `end` */
	size_t at, end;
	struct text last; /* the last packet sent, as it may have to be sent again */
};

void gdb_frame_init(struct gdb_frame *frame, int in, int out);
void gdb_frame_release(struct gdb_frame *frame);

/*
 * Wait for the next packet. What isn't part of one is passed over, and one whose checksum is wrong is asked for again
 * (dropped, where there are no acknowledgements). An interrupt that comes while nothing runs means nothing.
 */
enum gdb_frame_event gdb_frame_read(struct gdb_frame *frame);

/*
 * Has an interrupt come after the last packet read, or has the other side gone? Doesn't wait, and keeps everything else for
 * gdb_frame_read(). The interrupt is used up by the answer.
 */
bool gdb_frame_interrupted(struct gdb_frame *frame);

/* Send a packet. Whoever can't be reached turns up as GDB_FRAME_CLOSED. */
void gdb_frame_send(struct gdb_frame *frame, const char *payload, size_t length);

/* From now on without acknowledgements. */
void gdb_frame_silence(struct gdb_frame *frame);

#endif
