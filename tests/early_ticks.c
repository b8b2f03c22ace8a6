/* Ends with 0 where fmc can answer those who read the processor's counter of time before the program begins. */
#include <fmc/tracer/answers.h>

int main(void)
{
	return !tracer_answers_early_ticks();
}
