#include "breakpoints/python/python.h"

/* Dictionaries, and the attributes of objects. */

#define ENTRIES_MOST 4096

/* The table of a dictionary's keys: indices, then entries in the order in which they were put in. */
struct keys {
	uint64_t entries;
	uint64_t length;
	unsigned size; /* of an entry: with a hash before the key or not */
};

enum { ENTRY_WITH_HASH = 24, ENTRY_OF_TEXT = 16 };

/* Until 3.10; an index is as wide as it has to be. */
static bool find_old_keys(struct python *python, uint64_t at, struct keys *keys)
{
	uint64_t size;
	if (!python_word(python, at + 8, &size) || !python_word(python, at + 32, &keys->length) ||
	    size > UINT32_MAX)
		return false;
	const unsigned width = size <= UINT8_MAX ? 1 : size <= UINT16_MAX ? 2 : 4;
	keys->entries = at + 40 + size * width;
	keys->size = ENTRY_WITH_HASH;
	return true;
}

static bool find_keys(struct python *python, uint64_t at, struct keys *keys)
{
	uint8_t head[16];
	if (at == 0)
		return false;
	if (python->layout.attributes == PYTHON_IN_DICT)
		return find_old_keys(python, at, keys);
	if (!python_read(python, at, head, sizeof(head)) || !python_word(python, at + 24, &keys->length) ||
	    head[9] > 40)
		return false;
	keys->entries = at + 32 + (UINT64_C(1) << head[9]);
	keys->size = head[10] == 0 ? ENTRY_WITH_HASH : ENTRY_OF_TEXT;
	return true;
}

/* values: of an object or a dictionary that shares its keys; 0: they are in the entries. */
static bool each_entry(struct python *python, uint64_t keys_at, uint64_t values, python_visitor *visit,
		       void *context)
{
	struct keys keys;
	bool goes_on = true;
	if (!find_keys(python, keys_at, &keys))
		return true;
	for (uint64_t i = 0; i < keys.length && i < ENTRIES_MOST && goes_on; i++) {
		uint64_t entry[2];
		const uint64_t at = keys.entries + (i + 1) * keys.size - sizeof(entry);
		if (!python_read(python, at, entry, sizeof(entry)))
			break;
		if (values)
			entry[1] = python_pointer(python, values + python->layout.values + 8 * i);
		if (entry[0] && entry[1])
			goes_on = visit(context, entry[0], entry[1]);
	}
	return goes_on;
}

bool python_each_in_dict(struct python *python, uint64_t dict, python_visitor *visit, void *context)
{
	uint64_t parts[2];
	_Static_assert(PYTHON_DICT_VALUES == PYTHON_DICT_KEYS + 8, "read at once");
	if (!python_is(python, dict, "dict") ||
	    !python_read(python, dict + PYTHON_DICT_KEYS, parts, sizeof(parts)))
		return true;
	return each_entry(python, parts[0], parts[1], visit, context);
}

/* Where an object has its attributes: a dictionary, else values whose names its type has. */
struct holding {
	uint64_t dict, values;
};

enum { FLAG_INLINE = 1 << 2, FLAG_MANAGED = 1 << 4 };
enum { HEAD = 16, VALUES_VALID = 3 };

static void find_before_object(struct python *python, uint64_t object, uint64_t flags,
			       struct holding *holding)
{
	uint64_t word = python_pointer(python, object - 24);
	uint8_t valid = 0;
	switch (python->layout.attributes) {
	case PYTHON_IN_VALUES:
		holding->dict = word;
		holding->values = python_pointer(python, object - 32);
		break;
	case PYTHON_IN_EITHER:
		holding->dict = word & 1 ? 0 : word;
		holding->values = word & 1 ? word + 1 : 0;
		break;
	default:
		holding->dict = word;
		if ((flags & FLAG_INLINE) && python_read(python, object + HEAD + VALUES_VALID, &valid, 1) &&
		    valid)
			holding->values = object + HEAD;
	}
}

static bool find_holding(struct python *python, uint64_t object, struct holding *holding, uint64_t *type)
{
	uint64_t flags, offset;
	*holding = (struct holding){0};
	*type = object % 8 ? 0 : python_pointer(python, object + PYTHON_TYPE);
	if (!*type || !python_word(python, *type + PYTHON_TYPE_FLAGS, &flags) ||
	    !python_word(python, *type + PYTHON_TYPE_DICT, &offset))
		return false;
	if (python->layout.attributes != PYTHON_IN_DICT && (flags & FLAG_MANAGED))
		find_before_object(python, object, flags, holding);
	else if (offset && offset < 4096)
		holding->dict = python_pointer(python, object + offset);
	return true;
}

bool python_each_attribute(struct python *python, uint64_t object, python_visitor *visit, void *context)
{
	struct holding holding;
	uint64_t type;
	if (!find_holding(python, object, &holding, &type))
		return true;
	if (holding.dict)
		return python_each_in_dict(python, holding.dict, visit, context);
	if (holding.values)
		return each_entry(python, python_pointer(python, type + python->layout.type_keys),
				  holding.values, visit, context);
	return true;
}

struct search {
	struct python *python;
	const char *name;
	uint64_t found;
};

static bool compare(void *context, uint64_t key, uint64_t value)
{
	struct search *search = context;
	if (!python_text_is(search->python, key, search->name))
		return true;
	search->found = value;
	return false;
}

uint64_t python_attribute(struct python *python, uint64_t object, const char *name)
{
	struct search search = {.python = python, .name = name};
	python_each_attribute(python, object, compare, &search);
	return search.found;
}
