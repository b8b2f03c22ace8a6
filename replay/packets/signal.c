/* Signals as GDB numbers them, the same for all systems. */
#include "replay/packets/signal.h"

#include <signal.h>
#include <stddef.h>

#define UNKNOWN 143

/* Real-time signals: GDB has 33 to 63 in a row, 32 and 64 each elsewhere. */
#define REALTIME_32 77
#define REALTIME_33 45
#define REALTIME_64 78

uint8_t gdb_signal_number(int signal)
{
	static const uint8_t numbers[] = {
	    [SIGHUP] = 1,     [SIGINT] = 2,   [SIGQUIT] = 3,   [SIGILL] = 4,   [SIGTRAP] = 5,  [SIGABRT] = 6,
	    [SIGFPE] = 8,     [SIGKILL] = 9,  [SIGBUS] = 10,   [SIGSEGV] = 11, [SIGSYS] = 12,  [SIGPIPE] = 13,
	    [SIGALRM] = 14,   [SIGTERM] = 15, [SIGURG] = 16,   [SIGSTOP] = 17, [SIGTSTP] = 18, [SIGCONT] = 19,
	    [SIGCHLD] = 20,   [SIGTTIN] = 21, [SIGTTOU] = 22,  [SIGIO] = 23,   [SIGXCPU] = 24, [SIGXFSZ] = 25,
	    [SIGVTALRM] = 26, [SIGPROF] = 27, [SIGWINCH] = 28, [SIGUSR1] = 30, [SIGUSR2] = 31, [SIGPWR] = 32,
	};
	if (signal > 32 && signal < 64)
		return (uint8_t)(REALTIME_33 + signal - 33);
	if (signal == 32 || signal == 64)
		return signal == 32 ? REALTIME_32 : REALTIME_64;
	if (signal <= 0 || (size_t)signal >= sizeof numbers || numbers[signal] == 0)
		return UNKNOWN;
	return numbers[signal];
}
