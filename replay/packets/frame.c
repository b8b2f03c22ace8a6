/* Framing of GDB's remote protocol. */
#include "replay/packets/frame.h"
#include "replay/packets/hex.h"

#include <fmc/tracer/target.h>

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#define INTERRUPT   0x03
#define ESCAPE	    '}'
#define ESCAPE_MASK 0x20

/* A signal that asks fmc to end may come right before poll(); so often one looks again. */
#define LOOK_MS 500

void gdb_frame_init(struct gdb_frame *frame, int in, int out)
{
	*frame = (struct gdb_frame){.in = in, .out = out};
}

void gdb_frame_release(struct gdb_frame *frame)
{
	text_release(&frame->last);
}

void gdb_frame_silence(struct gdb_frame *frame)
{
	frame->silent = true;
}

/* Until the descriptor can be read or written; false if that is not to be waited for any longer. */
static bool wait_for(int descriptor, short events)
{
	struct pollfd poll_for = {.fd = descriptor, .events = events};
	while (!tracer_interrupted()) {
		int ready = poll(&poll_for, 1, LOOK_MS);
		if (ready > 0)
			return true;
		if (ready < 0 && errno != EINTR)
			return false;
	}
	return false;
}

static void write_all(struct gdb_frame *frame, const char *bytes, size_t length)
{
	while (length > 0 && !frame->closed) {
		ssize_t written = write(frame->out, bytes, length);
		if (written >= 0) {
			bytes += written;
			length -= (size_t)written;
		} else if (errno == EAGAIN)
			frame->closed = !wait_for(frame->out, POLLOUT);
		else if (errno != EINTR)
			frame->closed = true;
	}
}

/* Add to the input what there is. */
static void read_some(struct gdb_frame *frame)
{
	if (frame->at > 0) {
		memmove(frame->input, frame->input + frame->at, frame->end - frame->at);
		frame->end -= frame->at;
		frame->at = 0;
	}
	ssize_t count = read(frame->in, frame->input + frame->end, sizeof frame->input - frame->end);
	if (count > 0)
		frame->end += (size_t)count;
	else if (count == 0 || (errno != EINTR && errno != EAGAIN))
		frame->ended = true;
}

static void acknowledge(struct gdb_frame *frame, char how)
{
	if (!frame->silent)
		write_all(frame, &how, 1);
}

static void take_payload(struct gdb_frame *frame, unsigned char byte)
{
	if (frame->length < GDB_PAYLOAD)
		frame->payload[frame->length] = (char)byte;
	/* One more than fits stands for all that is too long. */
	if (frame->length <= GDB_PAYLOAD)
		frame->length++;
}

/* Between packets: acknowledgements, and the beginning of the next one. */
static void take_between(struct gdb_frame *frame, unsigned char byte)
{
	if (byte == '-' && !frame->silent && frame->last.length > 0)
		write_all(frame, frame->last.data, frame->last.length);
	if (byte != '$')
		return;
	frame->stage = GDB_STAGE_PAYLOAD;
	frame->length = 0;
	frame->sum = 0;
}

/* The last digit of the checksum: is it a whole packet? */
static bool take_end(struct gdb_frame *frame, unsigned char byte)
{
	int low = text_hex_digit((char)byte);
	frame->stage = GDB_STAGE_BETWEEN;
	bool right = low >= 0 && frame->given == frame->sum >> 4 && low == (frame->sum & 15);
	acknowledge(frame, right ? '+' : '-');
	return right;
}

static void take_inside(struct gdb_frame *frame, unsigned char byte)
{
	if (byte == '$') {
		/* The end of the packet before was lost: these can only be escaped within one. */
		take_between(frame, byte);
		return;
	}
	if (byte == '#') {
		frame->stage = GDB_STAGE_SUM;
		return;
	}
	frame->sum = (unsigned char)(frame->sum + byte);
	if (frame->stage == GDB_STAGE_ESCAPED) {
		frame->stage = GDB_STAGE_PAYLOAD;
		take_payload(frame, byte ^ ESCAPE_MASK);
	} else if (byte == ESCAPE)
		frame->stage = GDB_STAGE_ESCAPED;
	else
		take_payload(frame, byte);
}

/* One byte; true if a packet ends with it. */
static bool take(struct gdb_frame *frame, unsigned char byte)
{
	switch (frame->stage) {
	case GDB_STAGE_BETWEEN:
		take_between(frame, byte);
		return false;
	case GDB_STAGE_SUM: {
		int high = text_hex_digit((char)byte);
		frame->given = high < 0 ? 0xff : (unsigned char)high;
		frame->stage = GDB_STAGE_SUM2;
		return false;
	}
	case GDB_STAGE_SUM2:
		return take_end(frame, byte);
	default:
		take_inside(frame, byte);
		return false;
	}
}

enum gdb_frame_event gdb_frame_read(struct gdb_frame *frame)
{
	for (;;) {
		while (frame->at < frame->end) {
			if (!take(frame, frame->input[frame->at++]))
				continue;
			if (frame->length > GDB_PAYLOAD)
				return GDB_FRAME_TOO_LONG;
			frame->payload[frame->length] = '\0';
			return GDB_FRAME_PACKET;
		}
		if (frame->ended || frame->closed || !wait_for(frame->in, POLLIN))
			return GDB_FRAME_CLOSED;
		read_some(frame);
	}
}

/* Where between packets an interrupt is in the input; its end if there is none. */
static size_t find_interrupt(const struct gdb_frame *frame)
{
	size_t i = frame->at;
	for (; i < frame->end && frame->input[i] != INTERRUPT; i++)
		if (frame->input[i] == '$')
			while (i < frame->end && frame->input[i] != '#')
				i++;
	return i < frame->end ? i : frame->end;
}

bool gdb_frame_interrupted(struct gdb_frame *frame)
{
	struct pollfd poll_for = {.fd = frame->in, .events = POLLIN};
	bool room = frame->end - frame->at < sizeof frame->input;
	if (room && !frame->ended && poll(&poll_for, 1, 0) > 0)
		read_some(frame);
	size_t at = find_interrupt(frame);
	if (at < frame->end) {
		memmove(frame->input + at, frame->input + at + 1, frame->end - at - 1);
		frame->end--;
		return true;
	}
	return frame->ended || frame->closed;
}

static bool needs_escape(char c)
{
	return c == '$' || c == '#' || c == ESCAPE || c == '*';
}

void gdb_frame_send(struct gdb_frame *frame, const char *payload, size_t length)
{
	struct text *packet = &frame->last;
	unsigned char sum = 0;
	text_clear(packet);
	text_add(packet, "$", 1);
	for (size_t i = 0; i < length; i++) {
		const char escaped[] = {ESCAPE, (char)(payload[i] ^ ESCAPE_MASK)};
		if (needs_escape(payload[i]))
			text_add(packet, escaped, sizeof escaped);
		else
			text_add(packet, payload + i, 1);
	}
	for (size_t i = 1; i < packet->length; i++)
		sum = (unsigned char)(sum + (unsigned char)packet->data[i]);
	text_printf(packet, "#%02x", sum);
	if (packet->failed)
		frame->closed = true;
	else
		write_all(frame, packet->data, packet->length);
}
