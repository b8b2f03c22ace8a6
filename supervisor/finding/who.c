/* Which thread, and of which process where there are several. */
#include <fmc/supervisor/report.h>

#include <inttypes.h>

const char *report_label(const struct trace *trace, uint32_t thread, char label[THREAD_LABEL_ROOM])
{
	const uint32_t process = trace_process_of(trace, thread);
	uint32_t number = 0;
	for (uint32_t t = 0; process && t <= thread; t++)
		number += trace->threads[t].process == trace->threads[thread].process;
	if (process)
		snprintf(label, THREAD_LABEL_ROOM, "T%" PRIu32 ".%" PRIu32, process, number);
	else
		snprintf(label, THREAD_LABEL_ROOM, "T%" PRIu32, thread + 1);
	return label;
}

void report_who(const struct trace *trace, uint32_t thread, FILE *stream)
{
	char label[THREAD_LABEL_ROOM];
	fputs(report_label(trace, thread, label), stream);
}
