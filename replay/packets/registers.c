/* Values of registers, from a thread's general registers and its XSAVE area. */
#include "replay/packets/register_table.h"

#include <cpuid.h>
#include <string.h>

/* The area's header: which components are in use. */
#define IN_USE	    512
#define HEADER_END  576
#define EXPONENT    0x7fff
#define INTEGER_BIT 0x80

static const uint32_t component_bytes[GDB_COMPONENTS] = {
    [GDB_AVX] = 256, [GDB_OPMASK] = 64, [GDB_ZMM] = 512, [GDB_HIGH_ZMM] = 1024, [GDB_PKRU] = 8};

/* AVX-512 is its three components together. */
#define AVX512 (1u << GDB_OPMASK | 1u << GDB_ZMM | 1u << GDB_HIGH_ZMM)

/* What the system saves, as the processor says it. */
static uint32_t switched_on(void)
{
	unsigned a, b, c, d;
	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
		return 0;
	__asm__("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
	return a;
}

struct gdb_layout gdb_layout_least(void)
{
	return (struct gdb_layout){.present = 1u << GDB_X87 | 1u << GDB_SSE};
}

struct gdb_layout gdb_layout_detect(void)
{
	struct gdb_layout layout = gdb_layout_least();
	uint32_t on = switched_on();
	for (unsigned i = GDB_AVX; i < GDB_COMPONENTS; i++) {
		unsigned size, offset, c, d;
		if (!(on >> i & 1) || component_bytes[i] == 0 ||
		    !__get_cpuid_count(0xd, i, &size, &offset, &c, &d))
			continue;
		if (size < component_bytes[i] || offset < HEADER_END ||
		    offset > GDB_AREA - component_bytes[i])
			continue;
		layout.offset[i] = offset;
		layout.present |= 1u << i;
	}
	if ((layout.present & AVX512) != AVX512)
		layout.present &= ~AVX512;
	return layout;
}

uint32_t gdb_registers_count(const struct gdb_layout *layout)
{
	const struct gdb_register_run *run;
	uint32_t count = 0;
	for (size_t i = 0; (run = gdb_register_run(layout, i)) != NULL; i++)
		count += run->count;
	return count;
}

/* A register: its run, and where in the general registers or the area it is. */
struct location {
	const struct gdb_register_run *run;
	size_t offset;
};

static bool locate(const struct gdb_layout *layout, uint32_t number, struct location *location)
{
	const struct gdb_register_run *run;
	for (size_t i = 0; (run = gdb_register_run(layout, i)) != NULL; i++) {
		if (number < run->count) {
			uint32_t base = run->component == GDB_GENERAL ? 0 : layout->offset[run->component];
			*location = (struct location){run, base + run->offset + (size_t)number * run->stride};
			return true;
		}
		number -= run->count;
	}
	return false;
}

size_t gdb_register_size(const struct gdb_layout *layout, uint32_t number)
{
	struct location location;
	return locate(layout, number, &location) ? location.run->bytes : 0;
}

bool gdb_register_is_general(const struct gdb_layout *layout, uint32_t number)
{
	struct location location;
	return locate(layout, number, &location) && location.run->component == GDB_GENERAL;
}

static uint64_t components_in_use(const struct gdb_registers *registers)
{
	uint64_t components = 0;
	if (registers->area_length >= HEADER_END)
		memcpy(&components, registers->area + IN_USE, sizeof components);
	return components;
}

static bool is_mxcsr(const struct location *location)
{
	return location->run->component == GDB_SSE && location->run->offset == GDB_MXCSR;
}

/* Has the area this register's value? MXCSR is there for AVX, too. */
static bool in_area(const struct gdb_registers *registers, const struct location *location)
{
	uint64_t components = components_in_use(registers);
	if (location->offset + location->run->stored > registers->area_length)
		return false;
	return (components >> location->run->component & 1) ||
	       (is_mxcsr(location) && (components >> GDB_AVX & 1));
}

/* What a register has before its component is used; all others have 0. */
static void initial_value(const struct location *location, unsigned char *bytes)
{
	static const uint16_t control = 0x37f;
	static const uint32_t mxcsr = 0x1f80;
	if (location->run->component == GDB_X87 && location->run->offset == GDB_CONTROL_WORD)
		memcpy(bytes, &control, sizeof control);
	if (is_mxcsr(location))
		memcpy(bytes, &mxcsr, sizeof mxcsr);
}

/* The tag of a register of the x87 stack by its value: 0 valid, 1 zero, 2 special. */
static unsigned tag_of(const unsigned char value[10])
{
	static const unsigned char zero[8];
	unsigned exponent = (value[8] | (unsigned)value[9] << 8) & EXPONENT;
	if (exponent == 0)
		return memcmp(value, zero, sizeof zero) == 0 ? 1 : 2;
	return exponent != EXPONENT && (value[7] & INTEGER_BIT) ? 0 : 2;
}

/* The whole tag word of one that is abridged; empty registers have tag 3. The stack begins at `top`. */
static uint16_t unabridge(const unsigned char *area, unsigned char abridged)
{
	unsigned top = area[GDB_STATUS_WORD + 1] >> 3 & 7;
	uint16_t tags = 0;
	for (unsigned i = 0; i < 8; i++) {
		const unsigned char *value = area + GDB_STACK + ((i - top) & 7) * 16;
		unsigned tag = abridged >> i & 1 ? tag_of(value) : 3;
		tags = (uint16_t)(tags | tag << 2 * i);
	}
	return tags;
}

static unsigned char abridge(const unsigned char bytes[2])
{
	unsigned tags = bytes[0] | (unsigned)bytes[1] << 8;
	unsigned char abridged = 0;
	for (unsigned i = 0; i < 8; i++)
		if ((tags >> 2 * i & 3) != 3)
			abridged = (unsigned char)(abridged | 1u << i);
	return abridged;
}

static bool is_tags(const struct location *location)
{
	return location->run->component == GDB_X87 && location->run->offset == GDB_TAGS;
}

size_t gdb_register_read(const struct gdb_layout *layout, const struct gdb_registers *registers,
			 uint32_t number, unsigned char bytes[GDB_REGISTER])
{
	struct location location;
	memset(bytes, 0, GDB_REGISTER);
	if (!locate(layout, number, &location))
		return 0;
	if (location.run->component == GDB_GENERAL)
		memcpy(bytes, (const char *)&registers->general + location.offset, location.run->stored);
	else if (in_area(registers, &location))
		memcpy(bytes, registers->area + location.offset, location.run->stored);
	else
		initial_value(&location, bytes);
	if (is_tags(&location)) {
		uint16_t tags = unabridge(registers->area, bytes[0]);
		memcpy(bytes, &tags, sizeof tags);
	}
	return location.run->bytes;
}

/* Give all registers of a component in the area their initial values, and say that it is in use. */
static void begin_use(const struct gdb_layout *layout, struct gdb_registers *registers, int component)
{
	const struct gdb_register_run *run;
	for (size_t i = 0; (run = gdb_register_run(layout, i)) != NULL; i++) {
		for (unsigned r = 0; run->component == component && r < run->count; r++) {
			const struct location location = {run, layout->offset[component] + run->offset +
								   (size_t)r * run->stride};
			if (in_area(registers, &location))
				continue;
			memset(registers->area + location.offset, 0, run->stored);
			initial_value(&location, registers->area + location.offset);
		}
	}
	uint64_t components = components_in_use(registers) | UINT64_C(1) << component;
	memcpy(registers->area + IN_USE, &components, sizeof components);
}

enum gdb_changed gdb_register_write(const struct gdb_layout *layout, struct gdb_registers *registers,
				    uint32_t number, const unsigned char bytes[GDB_REGISTER])
{
	struct location location;
	if (!locate(layout, number, &location))
		return GDB_CHANGED_NONE;
	int component = location.run->component;
	if (component == GDB_GENERAL) {
		memcpy((char *)&registers->general + location.offset, bytes, location.run->stored);
		return GDB_CHANGED_GENERAL;
	}
	size_t end =
	    component >= GDB_AVX ? layout->offset[component] + component_bytes[component] : HEADER_END;
	if (registers->area_length < HEADER_END || registers->area_length < end)
		return GDB_CHANGED_NONE;
	unsigned char tags = abridge(bytes);
	begin_use(layout, registers, component);
	memcpy(registers->area + location.offset, is_tags(&location) ? &tags : bytes, location.run->stored);
	return GDB_CHANGED_AREA;
}
