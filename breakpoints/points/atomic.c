/*
 * Atomic operations: told of, then performed, in one step of the thread's. They are sequentially consistent, whatever order the program asks
 * for. fmc knows by the names of these functions that their instructions have been told of (breakpoints/traps/discover.c).
 */
#include <fmc/breakpoints/access.h>

#include <stdint.h>

typedef unsigned __int128 uint128_t;

#define READS(address)	fmc_access(address, sizeof(*(address)), ACCESS_READS | ACCESS_AT_ONCE, CALLER, NULL)
#define WRITES(address) fmc_access(address, sizeof(*(address)), ACCESS_WRITES | ACCESS_AT_ONCE, CALLER, NULL)

/* Its declaration before it, as functions without a header have it. */
#define FUNCTION(type, name, ...)                                                                            \
	type name(__VA_ARGS__);                                                                              \
	type name(__VA_ARGS__)

/* A loop, for what the processor has no instruction for. */
#define CHANGE(bits, name, expression)                                                                       \
	FUNCTION(uint##bits##_t, __tsan_atomic##bits##_##name, volatile uint##bits##_t *address,             \
		 uint##bits##_t value, int order)                                                            \
	{                                                                                                    \
		uint##bits##_t found = 0, old;                                                               \
		(void)order;                                                                                 \
		WRITES(address);                                                                             \
		do {                                                                                         \
			old = found;                                                                         \
			found = __sync_val_compare_and_swap(address, old, (uint##bits##_t)(expression));     \
		} while (found != old);                                                                      \
		return old;                                                                                  \
	}
#define BUILT_IN(bits, name, builtin)                                                                        \
	FUNCTION(uint##bits##_t, __tsan_atomic##bits##_##name, volatile uint##bits##_t *address,             \
		 uint##bits##_t value, int order)                                                            \
	{                                                                                                    \
		(void)order;                                                                                 \
		WRITES(address);                                                                             \
		return builtin(address, value, __ATOMIC_SEQ_CST);                                            \
	}
#define COMPARE(bits, name)                                                                                  \
	FUNCTION(int, __tsan_atomic##bits##_##name, volatile uint##bits##_t *address,                        \
		 uint##bits##_t *expected, uint##bits##_t value, int order, int failing)                     \
	{                                                                                                    \
		const uint##bits##_t before = *expected;                                                     \
		(void)order;                                                                                 \
		(void)failing;                                                                               \
		WRITES(address);                                                                             \
		*expected = __sync_val_compare_and_swap(address, before, value);                             \
		return *expected == before;                                                                  \
	}
#define COMPARES(bits)                                                                                       \
	COMPARE(bits, compare_exchange_strong)                                                               \
	COMPARE(bits, compare_exchange_weak)                                                                 \
	FUNCTION(uint##bits##_t, __tsan_atomic##bits##_compare_exchange_val,                                 \
		 volatile uint##bits##_t *address, uint##bits##_t expected, uint##bits##_t value, int order, \
		 int failing)                                                                                \
	{                                                                                                    \
		(void)order;                                                                                 \
		(void)failing;                                                                               \
		WRITES(address);                                                                             \
		return __sync_val_compare_and_swap(address, expected, value);                                \
	}

#define LOAD(bits, expression)                                                                               \
	FUNCTION(uint##bits##_t, __tsan_atomic##bits##_load, const volatile uint##bits##_t *address,         \
		 int order)                                                                                  \
	{                                                                                                    \
		(void)order;                                                                                 \
		READS(address);                                                                              \
		return expression;                                                                           \
	}
#define STORE(bits, statement)                                                                               \
	FUNCTION(void, __tsan_atomic##bits##_store, volatile uint##bits##_t *address, uint##bits##_t value,  \
		 int order)                                                                                  \
	{                                                                                                    \
		(void)order;                                                                                 \
		WRITES(address);                                                                             \
		statement;                                                                                   \
	}

#define WIDTH(bits)                                                                                          \
	LOAD(bits, __atomic_load_n(address, __ATOMIC_SEQ_CST))                                               \
	STORE(bits, __atomic_store_n(address, value, __ATOMIC_SEQ_CST))                                      \
	BUILT_IN(bits, exchange, __atomic_exchange_n)                                                        \
	BUILT_IN(bits, fetch_add, __atomic_fetch_add)                                                        \
	BUILT_IN(bits, fetch_sub, __atomic_fetch_sub)                                                        \
	BUILT_IN(bits, fetch_and, __atomic_fetch_and)                                                        \
	BUILT_IN(bits, fetch_or, __atomic_fetch_or)                                                          \
	BUILT_IN(bits, fetch_xor, __atomic_fetch_xor)                                                        \
	CHANGE(bits, fetch_nand, ~(old & value))                                                             \
	COMPARES(bits)

WIDTH(8)
WIDTH(16)
WIDTH(32)
WIDTH(64)

/* The processor has one instruction of 16 bytes, CMPXCHG16B, by which everything else is done. */
LOAD(128, __sync_val_compare_and_swap((volatile uint128_t *)(uintptr_t)address, 0, 0))
FUNCTION(void, __tsan_atomic128_store, volatile uint128_t *address, uint128_t value, int order)
{
	uint128_t found = 0, old;
	(void)order;
	WRITES(address);
	do {
		old = found;
		found = __sync_val_compare_and_swap(address, old, value);
	} while (found != old);
}
CHANGE(128, exchange, value)
CHANGE(128, fetch_add, old + value)
CHANGE(128, fetch_sub, old - value)
CHANGE(128, fetch_and, old &value)
CHANGE(128, fetch_or, old | value)
CHANGE(128, fetch_xor, old ^ value)
CHANGE(128, fetch_nand, ~(old &value))
COMPARES(128)

FUNCTION(void, __tsan_atomic_thread_fence, int order)
{
	(void)order;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

FUNCTION(void, __tsan_atomic_signal_fence, int order)
{
	(void)order;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}
