#ifndef FMC_REPLAY_PACKETS_REGISTERS_H
#define FMC_REPLAY_PACKETS_REGISTERS_H

#include "replay/text/text.h"
#include <fmc/tracer/must_check.h>

#include <stdint.h>
#include <sys/user.h>

/*
 * Registers as GDB numbers them: in the order of the description that it gets, which names those that the processor has.
 */

/* Components of an XSAVE area, by their bits (Intel's manual, volume 1, chapter 13). */
enum gdb_component {
	GDB_X87,
	GDB_SSE,
	GDB_AVX,	/* upper halves of ymm0 to 15 */
	GDB_OPMASK = 5, /* k0 to 7 */
	GDB_ZMM,	/* upper halves of zmm0 to 15 */
	GDB_HIGH_ZMM,	/* zmm16 to 31 */
	GDB_PKRU = 9,
	GDB_COMPONENTS,
};

/* Where the components are in the standard format. */
struct gdb_layout {
	uint32_t present; /* a bit for each; GDB_X87 and GDB_SSE always */
	uint32_t offset[GDB_COMPONENTS];
};

/* That of this processor, of what the system has switched on. */
struct gdb_layout gdb_layout_detect(void);

/* That of every processor, which GDB expects where it has no description. */
struct gdb_layout gdb_layout_least(void);

/* Room for an area: 64-byte aligned components up to the last one above, and what may lie between them. */
#define GDB_AREA 16384

/* The registers of a thread. */
struct gdb_registers {
	struct user_regs_struct general;
	size_t area_length; /* 0: none is known, then all of it is as at a program's start */
	unsigned char area[GDB_AREA];
};

/* Which of the two has been changed. */
enum FMC_MUST_CHECK gdb_changed { GDB_CHANGED_NONE = 0, GDB_CHANGED_GENERAL = 1, GDB_CHANGED_AREA = 2 };

/* How many registers there are. */
uint32_t gdb_registers_count(const struct gdb_layout *layout);

/* The longest register. */
#define GDB_REGISTER 32

/* Bytes of register `number` as the description has it; 0 if there is no such register. */
size_t gdb_register_size(const struct gdb_layout *layout, uint32_t number);

/* Is it one of the general ones, which need no area? */
bool gdb_register_is_general(const struct gdb_layout *layout, uint32_t number);

/* Its value into `bytes`; a component that isn't in use, or lies after the area, has its initial value. Returns the size. */
size_t gdb_register_read(const struct gdb_layout *layout, const struct gdb_registers *registers,
			 uint32_t number, unsigned char bytes[GDB_REGISTER]);

/* Change it. GDB_CHANGED_NONE: there is no room for it in the area, or no such register. */
enum gdb_changed gdb_register_write(const struct gdb_layout *layout, struct gdb_registers *registers,
				    uint32_t number, const unsigned char bytes[GDB_REGISTER]);

/* target.xml: the description that GDB reads. */
void gdb_registers_describe(const struct gdb_layout *layout, struct text *xml);

#endif
