#ifndef FMC_REPLAY_SCHEDULE_PARSER_H
#define FMC_REPLAY_SCHEDULE_PARSER_H

#include "replay/text/source.h"

#include <fmc/replay/schedule.h>

/*
 * Reading a schedule file: parse.c takes the text apart into lines, header.c reads one of the header, body.c one of the
 * body.
 */
enum key {
	KEY_FMC,
	KEY_PROGRAM,
	KEY_ARG,
	KEY_DIRECTORY,
	KEY_MODULE,
	KEY_ENV,
	KEY_HIDDEN,
	KEY_INPUT,
	KEY_FAIR,
	KEY_DEPTH,
	KEY_TIMEOUTS,
	KEY_CLOCK,
	KEY_ATOMICS,
	KEY_MEMORY,
	KEY_WAKING,
	KEY_EXPECT,
	KEY_HEAD,
	KEY_SHARED,
	KEY_PROMOTED,
	KEY_PROPERTY,
	KEY_OPS,
	KEY_OP,
	KEY_IMAGE,
	KEY_ORIGIN,
	KEY_STRATEGY,
	KEY_THREAD,
	KEY_VERDICT,
	KEY_MESSAGE,
	KEY_SIGNATURE,
	KEY_END,
	KEY_LOOP,
	KEY_LENGTH,
	KEY_OUTCOME,
	KEY_OUTCOME_PART,
	KEY_OUTCOME_FIRST,
	KEY_DRIVE,
	KEY_READY,
	KEY_BEFORE,
	KEY_AFTER,
	KEY_STOP,
	KEY_FOLLOW,
	KEY_ARRIVALS,
	KEYS
};

enum stage { STAGE_MAGIC, STAGE_HEADER, STAGE_BODY, STAGE_DONE };

struct parser {
	struct schedule *schedule;
	const char *at, *end; /* what hasn't been read */
	struct source source;
	uint64_t length; /* what the header says */
	uint64_t hidden; /* bytes of hidden variables so far */
	enum stage stage;
	bool has_length;
	bool cut;		 /* the last line read had text and no newline */
	uint64_t seen;		 /* keys that may come only once, a bit each */
	size_t counts[KEYS + 1]; /* lines of each key; the unknown ones last */
	size_t room;		 /* of schedule->lines */
};

#define parser_fail(p, ...) source_fail(&(p)->source, __VA_ARGS__)

/* One line of the header, without its newline and the blanks around it. */
enum status parser_header_line(struct parser *p, const char *line);

/* One line of the body, without its newline, into schedule->lines; `end` is a zero byte. */
enum status parser_body_line(struct parser *p, const char *at, const char *end);

#endif
