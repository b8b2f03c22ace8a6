/* Plain accesses. Each function ends in a jump to fmc_access(), so that a stack there begins with the program's own code. */
#include <fmc/breakpoints/access.h>

#define TELL(address, length, kind) fmc_access(address, length, kind, CALLER, NULL)

#define READS(name, bytes)                                                                                   \
	void name(const volatile void *address);                                                             \
	void name(const volatile void *address)                                                              \
	{                                                                                                    \
		TELL(address, bytes, ACCESS_READS);                                                          \
	}
#define WRITES(name, bytes)                                                                                  \
	void name(volatile void *address);                                                                   \
	void name(volatile void *address)                                                                    \
	{                                                                                                    \
		TELL(address, bytes, ACCESS_WRITES);                                                         \
	}
#define WIDTH(bytes)                                                                                         \
	READS(__tsan_read##bytes, bytes)                                                                     \
	WRITES(__tsan_write##bytes, bytes)                                                                   \
	WRITES(__tsan_read_write##bytes, bytes)                                                              \
	READS(__tsan_volatile_read##bytes, bytes)                                                            \
	WRITES(__tsan_volatile_write##bytes, bytes)                                                          \
	READS(__tsan_unaligned_read##bytes, bytes)                                                           \
	WRITES(__tsan_unaligned_write##bytes, bytes)                                                         \
	WRITES(__tsan_unaligned_read_write##bytes, bytes)                                                    \
	READS(__tsan_unaligned_volatile_read##bytes, bytes)                                                  \
	WRITES(__tsan_unaligned_volatile_write##bytes, bytes)

WIDTH(1)
WIDTH(2)
WIDTH(4)
WIDTH(8)
WIDTH(16)

/* Pointers to tables of virtual functions, in C++. */
READS(__tsan_vptr_read, sizeof(void *))

void __tsan_vptr_update(void **address, void *table);
void __tsan_vptr_update(void **address, void *table)
{
	(void)table;
	TELL(address, sizeof(*address), ACCESS_WRITES);
}

void __tsan_read_range(const void *address, size_t length);
void __tsan_read_range(const void *address, size_t length)
{
	if (length > 0)
		TELL(address, length, ACCESS_READS);
}

void __tsan_write_range(void *address, size_t length);
void __tsan_write_range(void *address, size_t length)
{
	if (length > 0)
		TELL(address, length, ACCESS_WRITES);
}

/* What only a detector of races needs. */
void __tsan_init(void);
void __tsan_init(void)
{
}

void __tsan_func_entry(void *place);
void __tsan_func_entry(void *place)
{
	(void)place;
}

void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
}

void __tsan_ignore_thread_begin(void);
void __tsan_ignore_thread_begin(void)
{
}

void __tsan_ignore_thread_end(void);
void __tsan_ignore_thread_end(void)
{
}
