/* Ends with 0 where the processor's watchpoints stop a thread. */
#include "tests/unit/debug_registers.h"

int main(void)
{
	return !debug_registers_work();
}
