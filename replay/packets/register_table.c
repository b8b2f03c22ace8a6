/* Which registers there are. */
#include "replay/packets/register_table.h"

#include <stddef.h>

#define CORE "core"

#define GENERAL(feature, name, field, bytes, type)                                                           \
	{                                                                                                    \
		feature, name, NULL, 0, 1, bytes, type, NULL, GDB_GENERAL,                                   \
		    offsetof(struct user_regs_struct, field), 0, bytes                                       \
	}

#define SINGLE(feature, name, component, offset, stored, type, group)                                        \
	{                                                                                                    \
		feature, name, NULL, 0, 1, 4, type, group, component, offset, 0, stored                      \
	}

static const struct gdb_register_run runs[] = {
    GENERAL(CORE, "rax", rax, 8, "int64"),
    GENERAL(CORE, "rbx", rbx, 8, "int64"),
    GENERAL(CORE, "rcx", rcx, 8, "int64"),
    GENERAL(CORE, "rdx", rdx, 8, "int64"),
    GENERAL(CORE, "rsi", rsi, 8, "int64"),
    GENERAL(CORE, "rdi", rdi, 8, "int64"),
    GENERAL(CORE, "rbp", rbp, 8, "data_ptr"),
    GENERAL(CORE, "rsp", rsp, 8, "data_ptr"),
    GENERAL(CORE, "r8", r8, 8, "int64"),
    GENERAL(CORE, "r9", r9, 8, "int64"),
    GENERAL(CORE, "r10", r10, 8, "int64"),
    GENERAL(CORE, "r11", r11, 8, "int64"),
    GENERAL(CORE, "r12", r12, 8, "int64"),
    GENERAL(CORE, "r13", r13, 8, "int64"),
    GENERAL(CORE, "r14", r14, 8, "int64"),
    GENERAL(CORE, "r15", r15, 8, "int64"),
    GENERAL(CORE, "rip", rip, 8, "code_ptr"),
    GENERAL(CORE, "eflags", eflags, 4, "i386_eflags"),
    GENERAL(CORE, "cs", cs, 4, "int32"),
    GENERAL(CORE, "ss", ss, 4, "int32"),
    GENERAL(CORE, "ds", ds, 4, "int32"),
    GENERAL(CORE, "es", es, 4, "int32"),
    GENERAL(CORE, "fs", fs, 4, "int32"),
    GENERAL(CORE, "gs", gs, 4, "int32"),
    {CORE, "st", "", 0, 8, 10, "i387_ext", NULL, GDB_X87, GDB_STACK, 16, 10},
    SINGLE(CORE, "fctrl", GDB_X87, GDB_CONTROL_WORD, 2, "int", "float"),
    SINGLE(CORE, "fstat", GDB_X87, GDB_STATUS_WORD, 2, "int", "float"),
    SINGLE(CORE, "ftag", GDB_X87, GDB_TAGS, 1, "int", "float"),
    SINGLE(CORE, "fiseg", GDB_X87, 12, 2, "int", "float"),
    SINGLE(CORE, "fioff", GDB_X87, 8, 4, "int", "float"),
    SINGLE(CORE, "foseg", GDB_X87, 20, 2, "int", "float"),
    SINGLE(CORE, "fooff", GDB_X87, 16, 4, "int", "float"),
    SINGLE(CORE, "fop", GDB_X87, 6, 2, "int", "float"),
    {"sse", "xmm", "", 0, 16, 16, "vec128", NULL, GDB_SSE, GDB_XMM, 16, 16},
    SINGLE("sse", "mxcsr", GDB_SSE, GDB_MXCSR, 4, "i386_mxcsr", "vector"),
    GENERAL("linux", "orig_rax", orig_rax, 8, "int64"),
    GENERAL("segments", "fs_base", fs_base, 8, "int64"),
    GENERAL("segments", "gs_base", gs_base, 8, "int64"),
    {"avx", "ymm", "h", 0, 16, 16, "uint128", NULL, GDB_AVX, 0, 16, 16},
    {"avx512", "xmm", "", 16, 16, 16, "vec128", NULL, GDB_HIGH_ZMM, 0, 64, 16},
    {"avx512", "ymm", "h", 16, 16, 16, "uint128", NULL, GDB_HIGH_ZMM, 16, 64, 16},
    {"avx512", "k", "", 0, 8, 8, "uint64", NULL, GDB_OPMASK, 0, 8, 8},
    {"avx512", "zmm", "h", 0, 16, 32, "v2_uint128", NULL, GDB_ZMM, 0, 32, 32},
    {"avx512", "zmm", "h", 16, 16, 32, "v2_uint128", NULL, GDB_HIGH_ZMM, 32, 64, 32},
    SINGLE("pkeys", "pkru", GDB_PKRU, 0, 4, "uint32", NULL),
};

const struct gdb_register_run *gdb_register_run(const struct gdb_layout *layout, size_t i)
{
	for (size_t r = 0; r < sizeof runs / sizeof *runs; r++) {
		bool there =
		    runs[r].component == GDB_GENERAL || (layout->present >> runs[r].component & 1) != 0;
		if (there && i-- == 0)
			return &runs[r];
	}
	return NULL;
}
