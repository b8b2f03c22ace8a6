#ifndef FMC_SUPERVISOR_REPORT_H
#define FMC_SUPERVISOR_REPORT_H

#include <fmc/supervisor/finding.h>
#include <stdio.h>

/*
 * A finding in words for people. Everything here works from what stands in the finding alone.
 */

/*
 * What thread t does at the end: "waits for forks[1] held by T3, in mutex_lock". To be freed; NULL without
 * memory. Needs trace and objects of the finding.
 */
char *report_state(const struct finding *finding, uint32_t thread);

/* "T3", or where there are several processes "T2.1", the second one's first thread. The text is `label`. */
const char *report_label(const struct trace *trace, uint32_t thread, char label[THREAD_LABEL_ROOM]);
void report_who(const struct trace *trace, uint32_t thread, FILE *stream);

/*
 * Where a person looks first: the innermost line of its own code at which the thread stands that the failure is about (of a
 * deadlock the first one in the cycle), else that of the last transition that has one. False: no line is known. The texts are the
 * finding's.
 */
struct report_place {
	uint32_t thread;
	const char *file, *source; /* as in struct frame */
	int line;
};
bool report_place(const struct finding *finding, struct report_place *place);

/*
 * The innermost frame of the program's own code: the first with a source line, else the first that has one or a name at all. NULL: there
 * is none.
 */
const struct frame *report_own_frame(const struct finding *finding, uint32_t thread);

/* One line that says what happened, beginning with the kind. To be freed. Needs all but message, signature.
 */
char *report_message(const struct finding *finding);

/*
 * Equal for the same failure reached through another schedule: kind, and where in the source the threads that
 * it is about stand, in an order that doesn't depend on their numbers. To be freed.
 */
char *report_signature(const struct finding *finding);

/* A short text for an object of this class: "forks[1]", "T3", "mutex 4" if it has no name. To be freed. */
char *report_object(const struct finding *finding, enum object_class class, uint32_t object);

/* The parts of a report, each ending with a line feed; the caller puts its own parts between them. */
struct report_options {
	bool colours;
	unsigned width; /* of a terminal, in columns; 0: where it doesn't go to one */
};
void report_headline(const struct finding *finding, const struct report_options *options, FILE *stream);
void report_threads(const struct finding *finding, const struct report_options *options, FILE *stream);
/*
 * One thread: its state, then its stack. `finding` gives names to what it holds, and may be NULL if it holds nothing.
 */
void report_thread(const struct finding *finding, uint32_t number, const struct thread_report *thread,
		   const struct report_options *options, FILE *stream);
/* A line for each frame of a stack; long names are shortened in the middle. */
void report_frames(const struct frame *frames, size_t length, FILE *stream);
/*
 * The last lines of what the target wrote, each cut at the terminal's width (400 columns without one), control characters
 * made visible; nothing if it wrote nothing.
 */
void report_output(const struct finding *finding, const struct report_options *options, FILE *stream);
/* The same of its client. */
void report_client_output(const struct finding *finding, const struct report_options *options, FILE *stream);
/* "34 transitions, 3 threads, 1 preemption" without a line feed. */
void report_counts(const struct trace *trace, FILE *stream);

#endif
