/* How wide what people look at is. */
#include "supervisor/cli/output/terminal.h"

#include <sys/ioctl.h>

#define DEFAULT_WIDTH 100

unsigned terminal_width(FILE *stream)
{
	struct winsize size;
	return ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

unsigned terminal_width_or_default(FILE *stream)
{
	unsigned width = terminal_width(stream);
	return width ? width : DEFAULT_WIDTH;
}
