#ifndef FMC_TRACER_ASSERT_H
#define FMC_TRACER_ASSERT_H

/*
 * Assertions on fmc's own state, kept in every build: next to system calls they cost nothing. What a program does, or its memory
 * says, must never break one.
 *
 * One that doesn't hold stops the process at an instruction that is none, its text in a register: no libc is needed, because
 * parts of the source also run where there is none to print it. The commands print it from the signal's handler
 * (supervisor/cli/commands/faults.h).
 */
#define FMC_ASSERT(condition) ((condition) ? (void)0 : fmc_fails(FMC_HERE "'" #condition "' doesn't hold"))

/* The same of a sentence that something else has found to be false. */
#define FMC_ASSERT_NONE(sentence)                                                                            \
	do {                                                                                                 \
		const char *const broken_sentence = (sentence);                                              \
		if (broken_sentence)                                                                         \
			fmc_fails(broken_sentence);                                                          \
	} while (0)

/* "file:line: " */
#define FMC_HERE	       __FILE__ ":" FMC_LINE_TEXT(__LINE__) ": "
#define FMC_LINE_TEXT(line)    FMC_LINE_TEXT_OF(line)
#define FMC_LINE_TEXT_OF(line) #line

static inline _Noreturn void fmc_fails(const char *text)
{
#ifdef __x86_64__
	__asm__ volatile("ud2" : : "D"(text));
#endif
	(void)text;
	__builtin_trap();
}

/* What SIGILL has come of, by the registers RIP and RDI there: the text if it is such an instruction; else NULL. */
static inline const char *fmc_failure_text(const void *rip, const void *rdi)
{
	const unsigned char *code = (const unsigned char *)rip;
	return code[0] == 0x0f && code[1] == 0x0b ? (const char *)rdi : (const char *)0;
}

#endif
