/*
 * What a program prints may depend on the schedule though it never fails: one thread prints "ab", the other "12", a character at a time
 * (J. Holt, The One Page Model Checker, section 2). There are six results, and any two of them part in the order of two prints.
 *
 * fmc-options: --strategy optimal --outcomes
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 6
 *
 * fmc-options: --same-output
 * fmc-verdict: outcome
 * fmc-message: ^outcome: ".*" and exit status 0; under the first schedule "ab12" and exit status 0$
 */
#include <pthread.h>
#include <stdio.h>

static void *say(void *text)
{
	for (const char *c = text; *c; c++)
		putchar(*c);
	return NULL;
}

int main(void)
{
	pthread_t letters, digits;
	pthread_create(&letters, NULL, say, "ab");
	pthread_create(&digits, NULL, say, "12");
	pthread_join(letters, NULL);
	pthread_join(digits, NULL);
	return 0;
}
