/* Which thread, and of which process where there are several. */
#include <fmc/supervisor/report.h>

#include <inttypes.h>

void report_who(const struct trace *trace, uint32_t thread, FILE *stream)
{
	const uint32_t process = trace_process_of(trace, thread);
	fprintf(stream, "T%" PRIu32, thread + 1);
	if (process)
		fprintf(stream, " of process %" PRIu32, process);
}
