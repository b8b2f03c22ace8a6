#include "breakpoints/unwind/description.h"
#include "breakpoints/unwind/frame.h"
#include <dwarf.h>
#include <string.h>

/* The bytes of a CIE or FDE after its length, up to its end. */
static bool find_entry(const struct unwind_table *table, uint64_t address, struct cfi_reader *reader)
{
	size_t rest;
	uint32_t length;
	const uint8_t *bytes = file_segments_find(table->segments, table->segments_length, address, &rest);
	if (!bytes || rest < sizeof(length))
		return false;
	memcpy(&length, bytes, sizeof(length));
	/* 0 is the end of the section, all ones say that a length of 64 bits follows. */
	if (length == 0 || length == UINT32_MAX || length > rest - sizeof(length))
		return false;
	*reader = (struct cfi_reader){.at = bytes + sizeof(length), .end = bytes + sizeof(length) + length};
	return true;
}

#define WHERE 0x70 /* of an encoding: what a pointer is relative to */
#define FORM  0x0f

/* How long a pointer is; 0: it isn't one that is absolute or relative to its own place. */
static size_t pointer_size(uint64_t encoding)
{
	if ((encoding & WHERE) != DW_EH_PE_absptr && (encoding & WHERE) != DW_EH_PE_pcrel)
		return 0;
	switch (encoding & FORM) {
	case DW_EH_PE_udata4:
	case DW_EH_PE_sdata4:
		return 4;
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return 8;
	default:
		return 0;
	}
}

/* What a CIE says of its FDEs: how pointers to code are written. */
struct common {
	uint64_t code;
	bool of_signal;
};

/* What the letters say of the data that follow them and of the FDE. */
static bool read_augmentation(struct cfi_reader *reader, const char *letters, struct common *common)
{
	struct cfi_reader data = cfi_part(reader);
	for (const char *letter = letters + 1; *letter; letter++) {
		uint64_t encoding = *letter == 'S' ? 0 : cfi_fixed(&data, 1);
		switch (*letter) {
		case 'R':
			common->code = encoding;
			break;
		case 'L': /* how data of the language's are pointed to: what they say is for nobody here */
			if (encoding != DW_EH_PE_omit && !pointer_size(encoding))
				return false;
			break;
		case 'P': /* nor what function the language has for them */
			if (!pointer_size(encoding))
				return false;
			cfi_fixed(&data, pointer_size(encoding));
			break;
		case 'S':
			common->of_signal = true;
			break;
		default:
			return false;
		}
	}
	return !data.bad && !reader->bad;
}

#define LETTERS 5

/* Few letters, of which the first one says that the length of their data is told. */
static bool read_letters(struct cfi_reader *reader, char letters[LETTERS])
{
	for (size_t i = 0; i < LETTERS; i++) {
		letters[i] = (char)cfi_fixed(reader, 1);
		if (letters[i] == 0)
			return letters[0] == 'z';
	}
	return false;
}

/* *rules takes what follows. */
static bool read_cie(const struct unwind_table *table, uint64_t address, struct common *common,
		     struct cfi_reader *rules)
{
	char letters[LETTERS];
	*common = (struct common){.code = DW_EH_PE_absptr};
	if (!find_entry(table, address, rules) || cfi_fixed(rules, 4) != 0)
		return false;
	uint64_t version = cfi_fixed(rules, 1);
	if ((version != 1 && version != 3) || !read_letters(rules, letters))
		return false;
	cfi_leb(rules); /* factors of code and data */
	cfi_leb(rules);
	uint64_t column = version == 1 ? cfi_fixed(rules, 1) : cfi_leb(rules);
	return column == DWARF_PC && read_augmentation(rules, letters, common);
}

static uint64_t signed_value(uint64_t value, uint64_t encoding)
{
	return (encoding & FORM) == DW_EH_PE_sdata4 ? (uint64_t)(int64_t)(int32_t)value : value;
}

bool unwind_describe(const struct unwind_table *table, uint64_t fde, struct unwind_description *description)
{
	struct cfi_reader *own = &description->own;
	struct common common;
	const uint64_t start = fde + 4; /* after the length */
	if (!find_entry(table, fde, own))
		return false;
	const uint8_t *first = own->at;
	uint64_t cie = start - (uint64_t)(int64_t)(int32_t)cfi_fixed(own, 4);
	if (own->bad || cie == start || !read_cie(table, cie, &common, &description->common))
		return false;
	size_t size = pointer_size(common.code);
	if (size == 0 || common.code & DW_EH_PE_indirect)
		return false;
	uint64_t place = start + (uint64_t)(own->at - first);
	description->low = signed_value(cfi_fixed(own, size), common.code);
	/* 0 is never relative to anything. */
	if ((common.code & WHERE) == DW_EH_PE_pcrel && description->low)
		description->low += place;
	description->high = description->low + cfi_fixed(own, size);
	description->of_signal = common.of_signal;
	cfi_part(own); /* data of the language's */
	return !own->bad && description->high > description->low;
}
