#ifndef FMC_TRACER_MUST_CHECK_H
#define FMC_TRACER_MUST_CHECK_H

/*
 * enum FMC_MUST_CHECK name { ... }: whoever calls a function that returns this enum, by its name or by a pointer, looks at the result
 * or says (void), with a comment why. tests/run-layers.sh holds that nothing else compiles.
 */
#if defined(__clang__)
#define FMC_MUST_CHECK __attribute__((warn_unused_result))
#elif defined(__GNUC__) && __GNUC__ >= 10
#define FMC_MUST_CHECK [[nodiscard]]
#else
#define FMC_MUST_CHECK
#endif

#endif
