/* No process could be looked at. */
#include "supervisor/cli/attach/attach.h"
#include "supervisor/cli/output/say.h"

int attach_failed(enum status status, const char *why)
{
	say("%s", status == STATUS_INTERRUPTED ? "interrupted" : why);
	return say_exit(status);
}
