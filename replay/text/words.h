#ifndef FMC_REPLAY_TEXT_WORDS_H
#define FMC_REPLAY_TEXT_WORDS_H

#include "replay/text/text.h"

#include <fmc/replay/schedule.h>

/*
 * How the parts of a transition are said in words: in schedule files, on the screen and in messages.
 */

/* The most threads that a schedule may name, as in machine.h. */
#define SCHEDULE_THREADS 4096

/* "timeout", "spurious" or the number. */
void words_choice(struct text *text, int32_t choice);
/* The same backwards; false if it is none. */
bool words_read_choice(const char *word, size_t length, int32_t *choice);

/* Is it to be told? Not of a flush that is pending, which knows no other way. */
bool words_has_choice(const struct schedule_line *line);

/* "0", "EBUSY", "-EAGAIN": error numbers by name where this kind of operation returns them. */
void words_result(struct text *text, enum op_kind kind, int64_t result);
/* A number, or an error by name with or without a minus sign. */
bool words_read_result(const char *word, size_t length, int64_t *result);

/* "deadlock", "exit 3", "signal SIGSEGV T2". */
void words_end(struct text *text, const struct schedule *schedule, enum end_reason end, int value,
	       uint32_t thread);
bool words_read_end(const char *value, const struct schedule *schedule, enum end_reason *end, int *end_value,
		    uint32_t *thread);

/* A decimal number of at most `limit`, nothing around it. */
bool words_read_number(const char *word, size_t length, uint64_t limit, uint64_t *number);
/* "T3": the number 2. */
bool words_read_thread(const char *word, size_t length, uint32_t *thread);
/* "T2.1": the first thread of process 2. */
bool words_read_of_process(const char *word, size_t length, uint32_t *process, uint32_t *number);
/* Either, of those that the schedule has told of. */
bool words_read_label(const struct schedule *schedule, const char *word, size_t length, uint32_t *thread);
/* "T3", or where the schedule has several processes "T2.1". */
void words_label(struct text *text, const struct schedule *schedule, uint32_t thread);

/*
 * " forks[2]", " queue.ready, queue.lock", " T3", " #4" where there is no name, or nothing. For people: names
 * are escaped but not quoted.
 */
void words_objects(struct text *text, const struct schedule *schedule, const struct schedule_line *line);

/* "mutex_lock forks[2] choice=timeout = EBUSY"; a result of 0 only if `zero`. */
void words_cell(struct text *text, const struct schedule *schedule, const struct schedule_line *line,
		bool zero);

/* "philosophers.c:35"; nothing if it isn't known. */
void words_place(struct text *text, const struct schedule_line *line);

/* "T2 eat" */
void words_thread(struct text *text, const struct schedule *schedule, uint32_t thread);

/* The failure with its message, or how the program ended. */
void words_ending(struct text *text, const struct schedule *schedule);

/* The object that a transition acts on; for the creation of a thread that is the thread. */
uint32_t words_object(const struct transition *transition);

#endif
