#ifndef FMC_REPLAY_PACKETS_SIGNAL_H
#define FMC_REPLAY_PACKETS_SIGNAL_H

#include <stdint.h>

/* GDB's number of a signal of the system's; that of an unknown one if it has none. */
uint8_t gdb_signal_number(int signal);

#define GDB_SIGNAL_INT	2
#define GDB_SIGNAL_TRAP 5
#define GDB_SIGNAL_KILL 9

#endif
