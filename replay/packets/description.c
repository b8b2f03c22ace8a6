/* target.xml, from the table of registers. */
#include "replay/packets/register_table.h"

#include <string.h>

/* Types that GDB hasn't built in; each feature defines those that it uses. */
static const char vectors[] = "<vector id=\"v4_float\" type=\"ieee_single\" count=\"4\"/>"
			      "<vector id=\"v2_double\" type=\"ieee_double\" count=\"2\"/>"
			      "<vector id=\"v16_int8\" type=\"int8\" count=\"16\"/>"
			      "<vector id=\"v8_int16\" type=\"int16\" count=\"8\"/>"
			      "<vector id=\"v4_int32\" type=\"int32\" count=\"4\"/>"
			      "<vector id=\"v2_int64\" type=\"int64\" count=\"2\"/>"
			      "<union id=\"vec128\"><field name=\"v4_float\" type=\"v4_float\"/>"
			      "<field name=\"v2_double\" type=\"v2_double\"/>"
			      "<field name=\"v16_int8\" type=\"v16_int8\"/>"
			      "<field name=\"v8_int16\" type=\"v8_int16\"/>"
			      "<field name=\"v4_int32\" type=\"v4_int32\"/>"
			      "<field name=\"v2_int64\" type=\"v2_int64\"/>"
			      "<field name=\"uint128\" type=\"uint128\"/></union>";

struct flag {
	const char *name;
	unsigned bit;
};

static const struct flag eflags[] = {{"CF", 0},	 {"PF", 2},   {"AF", 4},   {"ZF", 6},  {"SF", 7},  {"TF", 8},
				     {"IF", 9},	 {"DF", 10},  {"OF", 11},  {"NT", 14}, {"RF", 16}, {"VM", 17},
				     {"AC", 18}, {"VIF", 19}, {"VIP", 20}, {"ID", 21}, {NULL, 0}};

static const struct flag mxcsr[] = {{"IE", 0},	{"DE", 1},  {"ZE", 2},	{"OE", 3},  {"UE", 4},
				    {"PE", 5},	{"DAZ", 6}, {"IM", 7},	{"DM", 8},  {"ZM", 9},
				    {"OM", 10}, {"UM", 11}, {"PM", 12}, {"FZ", 15}, {NULL, 0}};

static void add_flags(struct text *xml, const char *id, const struct flag *flag)
{
	text_printf(xml, "<flags id=\"%s\" size=\"4\">", id);
	for (; flag->name; flag++)
		text_printf(xml, "<field name=\"%s\" start=\"%u\" end=\"%u\"/>", flag->name, flag->bit,
			    flag->bit);
	text_printf(xml, "</flags>");
}

static void add_types(struct text *xml, const char *feature)
{
	if (strcmp(feature, "core") == 0)
		add_flags(xml, "i386_eflags", eflags);
	else if (strcmp(feature, "sse") == 0) {
		text_printf(xml, "%s", vectors);
		add_flags(xml, "i386_mxcsr", mxcsr);
	} else if (strcmp(feature, "avx512") == 0)
		text_printf(xml, "%s<vector id=\"v2_uint128\" type=\"uint128\" count=\"2\"/>", vectors);
}

static void add_run(struct text *xml, const struct gdb_register_run *run)
{
	for (unsigned r = 0; r < run->count; r++) {
		text_printf(xml, "<reg name=\"%s", run->name);
		if (run->suffix)
			text_printf(xml, "%u%s", run->first + r, run->suffix);
		text_printf(xml, "\" bitsize=\"%u\" type=\"%s\"", run->bytes * 8, run->type);
		if (run->group)
			text_printf(xml, " group=\"%s\"", run->group);
		text_printf(xml, "/>");
	}
}

void gdb_registers_describe(const struct gdb_layout *layout, struct text *xml)
{
	const struct gdb_register_run *run;
	const char *feature = "";
	text_printf(
	    xml, "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\">"
		 "<target version=\"1.0\"><architecture>i386:x86-64</architecture><osabi>GNU/Linux</osabi>");
	for (size_t i = 0; (run = gdb_register_run(layout, i)) != NULL; i++) {
		if (strcmp(feature, run->feature) != 0) {
			text_printf(xml, "%s<feature name=\"org.gnu.gdb.i386.%s\">",
				    *feature ? "</feature>" : "", run->feature);
			add_types(xml, run->feature);
			feature = run->feature;
		}
		add_run(xml, run);
	}
	text_printf(xml, "</feature></target>");
}
