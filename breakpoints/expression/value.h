#ifndef FMC_BREAKPOINTS_EXPRESSION_VALUE_H
#define FMC_BREAKPOINTS_EXPRESSION_VALUE_H

#include "breakpoints/expression/lexer.h"

/* Values as C has them, and what its operators make of them. */

enum kind_class {
	KIND_NONE, /* isn't known */
	KIND_INTEGER,
	KIND_REAL,
	KIND_POINTER,
	KIND_OTHER, /* structures, arrays, functions: no value that could be compared */
};

/* What is at an address. */
struct kind {
	enum kind_class class;
	uint8_t size; /* in bytes */
	bool is_signed;
	bool is_bool;
	uint8_t bit, bits; /* a bit-field: its first bit and how many; bits 0: none */
};

/* After C's promotions: an int at least. */
struct value {
	bool is_real;
	double real;
	uint64_t number; /* two's complement, extended to 64 bits */
	uint8_t size;	 /* 4, 8 */
	bool is_signed;
};

struct value value_of_number(uint64_t number, unsigned size, bool is_signed);
struct value value_of_truth(bool truth);
bool value_true(const struct value *value);

/* From the bytes at an address. Of sizes that there are: kind_readable(). */
bool kind_readable(const struct kind *kind);
struct value value_load(const struct kind *kind, const uint8_t *bytes);

/* As if assigned to a variable of this kind, and read again. */
struct value value_convert(const struct value *value, const struct kind *kind);

/* TOKEN_NOT, TOKEN_TILDE, TOKEN_MINUS, TOKEN_PLUS. */
struct value value_unary(enum token sign, const struct value *a);

/* Not && and ||. False: a division by 0. */
bool value_binary(enum token sign, const struct value *a, const struct value *b, struct value *result);

#endif
