#ifndef FMC_SUPERVISOR_POLICY_CYCLE_H
#define FMC_SUPERVISOR_POLICY_CYCLE_H

#include <fmc/supervisor/trace.h>

/*
 * What a cycle is, the state after the trace being the one before transition `start`. It is fair (SF of [FAIR]) if every thread that is enabled
 * in it is scheduled in it: END_LIVELOCK. Otherwise it breaks the good samaritan rule (GS) if a thread that is scheduled in it doesn't
 * yield in it: END_NO_YIELD, unless only fair ones are asked for. Otherwise the fair scheduler will leave it by itself (Theorem 4), and it is
 * END_NONE, as is what only lasts as long as a time-out is held back. Unless only fair ones are asked for it is END_NONE, too, where threads fail to
 * get each other's locks in step, but wait for what they missed (std::lock), and where a sleep or a time-out is over in it while others could go
 * on: these would have to be slower, round after round, than the time that passes. END_GOES_ON is told apart as trace.h says. loop_start and end_thread of
 * the trace are filled in.
 */
enum end_reason cycle_judge(struct trace *trace, size_t start, uint32_t threads, bool only_fair);

#endif
