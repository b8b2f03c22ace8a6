#include "breakpoints/symbols/lines.h"

#include <dwarf.h>
#include <fmc/breakpoints/suggest.h>
#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>

/* So many rows after that of a function's beginning its own code begins, if it is told. */
#define PROLOGUE_ROWS 16

bool module_is_own(const struct module *module)
{
	return module->kind == MODULE_PROGRAM || module->kind == MODULE_OTHER;
}

bool lines_each_unit(struct places *places, unit_visitor *visit, void *context)
{
	for (size_t i = 0; i < places->modules.length; i++) {
		Dwfl_Module *module = module_is_own(&places->modules.at[i])
					  ? places_dwfl_module(places, places->modules.at[i].low)
					  : NULL;
		Dwarf_Die *unit = NULL;
		Dwarf_Addr bias;
		while (module && (unit = dwfl_module_nextcu(module, unit, &bias)))
			if (visit(context, unit, bias))
				return true;
	}
	return false;
}

/* A row of the table, with its line 0 at the end of a sequence. */
struct row {
	uint64_t address;
	const char *source;
	int line;
	bool is_statement, ends, ends_prologue;
};

static bool read_row(Dwarf_Lines *rows, size_t i, struct row *row)
{
	Dwarf_Line *line = dwarf_onesrcline(rows, i);
	Dwarf_Addr address;
	*row = (struct row){0};
	if (!line || dwarf_lineaddr(line, &address) != 0 || dwarf_lineno(line, &row->line) != 0 ||
	    dwarf_linebeginstatement(line, &row->is_statement) != 0 ||
	    dwarf_lineendsequence(line, &row->ends) != 0 ||
	    dwarf_lineprologueend(line, &row->ends_prologue) != 0)
		return false;
	row->address = address;
	row->source = dwarf_linesrc(line, NULL, NULL);
	return true;
}

static bool ends_in(const char *path, const char *file)
{
	const size_t whole = strlen(path), length = strlen(file);
	return whole >= length && strcmp(path + whole - length, file) == 0 &&
	       (whole == length || path[whole - length - 1] == '/');
}

struct search {
	struct places *places;
	const char *file;
	int line;
	struct line_code *code;
	enum status status;
	const char *source; /* the last one looked at, */
	bool fits;	    /* and whether it is the file: equal ones have one pointer in a unit */
};

static bool is_of_file(struct search *search, const struct row *row)
{
	if (!row->source)
		return false;
	if (row->source != search->source) {
		search->source = row->source;
		search->fits = ends_in(row->source, search->file);
	}
	return search->fits;
}

static void add(struct search *search, uint64_t address)
{
	struct line_code *code = search->code;
	for (size_t i = 0; i < code->length; i++)
		if (code->at[i] == address)
			return;
	if (ARRAY_GROW(code->at, code->length, code->room))
		code->at[code->length++] = address;
	else
		search->status = STATUS_NO_MEMORY;
}

static void note_near(struct search *search, int line)
{
	struct line_code *code = search->code;
	if (line > 0 && line < search->line && line > code->before)
		code->before = line;
	if (line > search->line && (code->after == 0 || line < code->after))
		code->after = line;
}

/* Consecutive rows of the line are one piece of its code, which begins where its first statement does. */
static bool look_in_unit(void *context, Dwarf_Die *unit, uint64_t bias)
{
	struct search *search = context;
	struct row row;
	Dwarf_Lines *rows;
	size_t length;
	bool begun = false;
	if (dwarf_getsrclines(unit, &rows, &length) != 0)
		return false;
	search->code->has_lines |= length > 0;
	search->source = NULL;
	for (size_t i = 0; i < length; i++) {
		if (!read_row(rows, i, &row))
			continue;
		const bool of_file = !row.ends && is_of_file(search, &row);
		const bool of_line = of_file && row.line == search->line;
		search->code->has_file |= of_file;
		if (of_file && row.is_statement)
			note_near(search, row.line);
		if (of_line && row.is_statement && !begun)
			add(search, lines_after_prologue(search->places, row.address + bias));
		begun = of_line && (begun || row.is_statement);
	}
	return false;
}

enum status lines_find(struct places *places, const char *file, int line, struct line_code *code)
{
	struct search search = {.places = places, .file = file, .line = line, .code = code};
	*code = (struct line_code){0};
	(void)lines_each_unit(places, look_in_unit, &search);
	if (search.status != STATUS_OK)
		lines_release(code);
	return search.status;
}

void lines_release(struct line_code *code)
{
	free(code->at);
	*code = (struct line_code){0};
}

/* Does a function begin there, one that wasn't put in line? */
static bool begins_function(Dwarf_Die *parent, uint64_t address)
{
	Dwarf_Die die;
	Dwarf_Addr low;
	if (dwarf_child(parent, &die) != 0)
		return false;
	do {
		const int tag = dwarf_tag(&die);
		if (tag == DW_TAG_subprogram && dwarf_entrypc(&die, &low) == 0 && low == address)
			return true;
		if (tag == DW_TAG_namespace && begins_function(&die, address))
			return true;
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

static size_t first_row(Dwarf_Lines *rows, size_t length, uint64_t address)
{
	struct row row;
	size_t i = 0;
	while (i < length && (!read_row(rows, i, &row) || row.ends || row.address != address))
		i++;
	return i;
}

/* Where the debug information says so, else at the next statement: compilers tell of a function's beginning by a row of its own. */
uint64_t lines_after_prologue(struct places *places, uint64_t address)
{
	uint64_t bias, next = 0;
	Dwarf_Die *unit = places_unit(places, address, &bias);
	Dwarf_Lines *rows;
	struct row row;
	size_t length;
	if (!unit || !begins_function(unit, address - bias) || dwarf_getsrclines(unit, &rows, &length) != 0)
		return address;
	const size_t first = first_row(rows, length, address - bias);
	for (size_t i = first; i < length && i <= first + PROLOGUE_ROWS; i++) {
		if (!read_row(rows, i, &row) || row.ends)
			break;
		if (row.ends_prologue)
			return row.address + bias;
		if (i > first && row.is_statement && !next)
			next = row.address + bias;
	}
	return next ? next : address;
}

struct names {
	const char **at;
	size_t length, room;
};

static bool add_name(void *context, Dwarf_Die *unit, uint64_t bias)
{
	struct names *names = context;
	const char *name = dwarf_diename(unit), *slash = name ? strrchr(name, '/') : NULL;
	(void)bias;
	if (name && ARRAY_GROW(names->at, names->length, names->room))
		names->at[names->length++] = slash ? slash + 1 : name;
	return false;
}

const char *lines_near_file(struct places *places, const char *file)
{
	struct names names = {0};
	const char *slash = strrchr(file, '/');
	(void)lines_each_unit(places, add_name, &names);
	const char *near = suggest(slash ? slash + 1 : file, names.at, names.length);
	near = near ? places_string(places, near) : NULL;
	free(names.at);
	return near;
}
