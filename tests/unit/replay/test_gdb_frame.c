/* Packets on a stream, with a person's mistakes and those of a bad line. */
#include "replay/packets/frame.h"
#include "tests/unit/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* One end of the stream is the frame's, the other is GDB's. */
struct line {
	struct gdb_frame frame;
	int ours, theirs;
};

static void open_line(struct line *line)
{
	int ends[2];
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	line->ours = ends[0];
	line->theirs = ends[1];
	gdb_frame_init(&line->frame, line->ours, line->ours);
}

static void close_line(struct line *line)
{
	gdb_frame_release(&line->frame);
	close(line->ours);
	if (line->theirs >= 0)
		close(line->theirs);
}

static void gdb_says_bytes(struct line *line, const char *bytes, size_t length)
{
	ck_assert_int_eq(write(line->theirs, bytes, length), (ssize_t)length);
}

static void gdb_says(struct line *line, const char *bytes)
{
	gdb_says_bytes(line, bytes, strlen(bytes));
}

static void gdb_hangs_up(struct line *line)
{
	close(line->theirs);
	line->theirs = -1;
}

/* All that has been sent to GDB so far. */
static void gdb_got(struct line *line, const char *expected)
{
	char got[4096];
	ssize_t length = recv(line->theirs, got, sizeof got - 1, MSG_DONTWAIT);
	got[length < 0 ? 0 : length] = '\0';
	ck_assert_str_eq(got, expected);
}

static void next_is(struct line *line, const char *expected)
{
	ck_assert_int_eq(gdb_frame_read(&line->frame), GDB_FRAME_PACKET);
	ck_assert_uint_eq(line->frame.length, strlen(expected));
	ck_assert_str_eq(line->frame.payload, expected);
}

START_TEST(a_packet_is_read_and_acknowledged)
{
	struct line line;
	open_line(&line);
	gdb_says(&line, "+$qC#b4$?#3f");
	next_is(&line, "qC");
	gdb_got(&line, "+");
	next_is(&line, "?");
	gdb_got(&line, "+");
	close_line(&line);
}
END_TEST

START_TEST(a_wrong_checksum_is_asked_for_again)
{
	struct line line;
	open_line(&line);
	gdb_says(&line, "$qC#b5$qC#zz$qC#b4");
	next_is(&line, "qC");
	gdb_got(&line, "--+");
	close_line(&line);
}
END_TEST

START_TEST(rubbish_is_passed_over)
{
	struct line line;
	open_line(&line);
	gdb_says(&line, "rubbish#00##\x03\xff$cut off$?#3f");
	next_is(&line, "?");
	gdb_hangs_up(&line);
	ck_assert_int_eq(gdb_frame_read(&line.frame), GDB_FRAME_CLOSED);
	close_line(&line);
}
END_TEST

START_TEST(escapes_go_both_ways)
{
	struct line line;
	open_line(&line);
	gdb_says(&line, "$}\x03}\x04}]}\n#00");
	gdb_says_bytes(&line, "$X}\x03\0}]#b2", 10);
	ck_assert_int_eq(gdb_frame_read(&line.frame), GDB_FRAME_PACKET);
	ck_assert_uint_eq(line.frame.length, 4);
	ck_assert_mem_eq(line.frame.payload, "X#\0}", 5);
	gdb_got(&line, "-+");
	gdb_frame_send(&line.frame, "a#$}*b", 6);
	gdb_got(&line, "$a}\x03}\x04}]}\nb#25");
	close_line(&line);
}
END_TEST

START_TEST(a_refused_packet_is_sent_again)
{
	struct line line;
	open_line(&line);
	gdb_says(&line, "-$?#3f");
	next_is(&line, "?");
	gdb_got(&line, "+");
	gdb_frame_send(&line.frame, "OK", 2);
	gdb_got(&line, "$OK#9a");
	gdb_says(&line, "--+$?#3f");
	next_is(&line, "?");
	gdb_got(&line, "$OK#9a$OK#9a+");
	close_line(&line);
}
END_TEST

START_TEST(nothing_is_acknowledged_when_agreed)
{
	struct line line;
	open_line(&line);
	gdb_frame_send(&line.frame, "OK", 2);
	gdb_frame_silence(&line.frame);
	gdb_got(&line, "$OK#9a");
	gdb_says(&line, "+-$?#00$?#3f");
	next_is(&line, "?");
	gdb_got(&line, "");
	close_line(&line);
}
END_TEST

START_TEST(interrupts_are_seen_without_losing_packets)
{
	struct line line;
	open_line(&line);
	gdb_says(&line, "$bc#c5");
	next_is(&line, "bc");
	ck_assert(!gdb_frame_interrupted(&line.frame));
	gdb_says(&line, "+$X\x03");
	ck_assert_msg(!gdb_frame_interrupted(&line.frame), "it is within a packet");
	gdb_says(&line, "#5b\x03$?#3f");
	ck_assert(gdb_frame_interrupted(&line.frame));
	ck_assert(!gdb_frame_interrupted(&line.frame));
	next_is(&line, "X\x03");
	next_is(&line, "?");
	close_line(&line);
}
END_TEST

START_TEST(hanging_up_interrupts)
{
	struct line line;
	open_line(&line);
	gdb_hangs_up(&line);
	ck_assert(gdb_frame_interrupted(&line.frame));
	close_line(&line);
}
END_TEST

START_TEST(an_endless_packet_takes_no_room)
{
	struct line line;
	open_line(&line);
	pid_t gdb = fork();
	if (gdb == 0) {
		close(line.ours);
		char part[1000];
		memset(part, 'x', sizeof part);
		gdb_says(&line, "$");
		for (int i = 0; i < 40; i++)
			gdb_says_bytes(&line, part, sizeof part);
		gdb_says(&line, "#00$?#3f");
		_exit(0);
	}
	/* 40,000 times 'x', of which the sum is 0. */
	ck_assert_int_eq(gdb_frame_read(&line.frame), GDB_FRAME_TOO_LONG);
	next_is(&line, "?");
	close_line(&line);
}
END_TEST

START_TEST(the_longest_packet_fits)
{
	struct line line;
	open_line(&line);
	line.frame.silent = true;
	if (fork() == 0) {
		struct gdb_frame *gdb = calloc(1, sizeof *gdb);
		char *payload = malloc(GDB_PAYLOAD);
		gdb_frame_init(gdb, line.theirs, line.theirs);
		for (size_t i = 0; i < GDB_PAYLOAD; i++)
			payload[i] = (char)i;
		gdb_frame_send(gdb, payload, GDB_PAYLOAD);
		_exit(gdb->closed);
	}
	ck_assert_int_eq(gdb_frame_read(&line.frame), GDB_FRAME_PACKET);
	ck_assert_uint_eq(line.frame.length, GDB_PAYLOAD);
	for (size_t i = 0; i < GDB_PAYLOAD; i++)
		ck_assert_int_eq(line.frame.payload[i], (char)i);
	close_line(&line);
}
END_TEST

SUITE("gdb_frame", 0, NULL, NULL, TEST(a_packet_is_read_and_acknowledged),
      TEST(a_wrong_checksum_is_asked_for_again), TEST(rubbish_is_passed_over), TEST(escapes_go_both_ways),
      TEST(a_refused_packet_is_sent_again), TEST(nothing_is_acknowledged_when_agreed),
      TEST(interrupts_are_seen_without_losing_packets), TEST(hanging_up_interrupts),
      TEST(an_endless_packet_takes_no_room), TEST(the_longest_packet_fits))
