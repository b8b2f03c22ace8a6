#include "breakpoints/expression/value.h"

#include <string.h>

/* The same number in a type of this size: what doesn't fit wraps around. */
static uint64_t extend(uint64_t number, unsigned size, bool is_signed)
{
	const unsigned shift = 64 - 8 * size;
	if (is_signed)
		return (uint64_t)((int64_t)(number << shift) >> shift);
	return number << shift >> shift;
}

struct value value_of_number(uint64_t number, unsigned size, bool is_signed)
{
	/* Promotion: whatever fits into an int becomes one. */
	if (size < 4)
		return (struct value){
		    .number = extend(number, size, is_signed), .size = 4, .is_signed = true};
	return (struct value){
	    .number = extend(number, size, is_signed), .size = (uint8_t)size, .is_signed = is_signed};
}

struct value value_of_truth(bool truth)
{
	return value_of_number(truth, 4, true);
}

static struct value of_real(double real)
{
	return (struct value){.is_real = true, .real = real, .size = 8, .is_signed = true};
}

bool value_true(const struct value *value)
{
	return value->is_real ? value->real != 0 : value->number != 0;
}

bool kind_readable(const struct kind *kind)
{
	const unsigned size = kind->size;
	switch (kind->class) {
	case KIND_INTEGER:
	case KIND_POINTER:
		return size == 1 || size == 2 || size == 4 || size == 8;
	case KIND_REAL:
		return size == 4 || size == 8;
	case KIND_NONE:
	case KIND_OTHER:
		break;
	}
	return false;
}

struct value value_load(const struct kind *kind, const uint8_t *bytes)
{
	uint64_t number = 0;
	memcpy(&number, bytes, kind->size);
	if (kind->class == KIND_REAL) {
		float narrow;
		double real;
		memcpy(&narrow, bytes, sizeof narrow);
		if (kind->size == sizeof narrow)
			return of_real((double)narrow);
		memcpy(&real, bytes, sizeof real);
		return of_real(real);
	}
	if (kind->bits == 0)
		return value_of_number(number, kind->size, kind->is_signed);
	const unsigned above = 64u - kind->bit - kind->bits;
	number <<= above;
	if (kind->is_signed)
		number = (uint64_t)((int64_t)number >> (above + kind->bit));
	else
		number >>= above + kind->bit;
	return value_of_number(number, kind->size, kind->is_signed);
}

static double as_real(const struct value *value)
{
	if (value->is_real)
		return value->real;
	return value->is_signed ? (double)(int64_t)value->number : (double)value->number;
}

/* What doesn't fit is undefined in C; here it is 0. */
static uint64_t as_number(const struct value *value)
{
	if (!value->is_real)
		return value->number;
	if (value->real >= -9223372036854775808.0 && value->real < 9223372036854775808.0)
		return (uint64_t)(int64_t)value->real;
	return value->real > 0 && value->real < 18446744073709551616.0 ? (uint64_t)value->real : 0;
}

struct value value_convert(const struct value *value, const struct kind *kind)
{
	if (kind->class == KIND_REAL)
		return of_real(kind->size == 4 ? (double)(float)as_real(value) : as_real(value));
	if (kind->is_bool)
		return value_of_truth(value_true(value));
	return value_of_number(as_number(value), kind->size, kind->is_signed);
}

struct value value_unary(enum token sign, const struct value *a)
{
	if (sign == TOKEN_NOT)
		return value_of_truth(!value_true(a));
	if (sign == TOKEN_PLUS)
		return *a;
	if (a->is_real)
		return of_real(-a->real);
	return value_of_number(sign == TOKEN_TILDE ? ~a->number : 0 - a->number, a->size, a->is_signed);
}

/* What a comparison comes to, of which at most one holds: none does where one side is no number. False: the sign is no comparison. */
static bool compared(enum token sign, bool less, bool equal, bool greater, struct value *result)
{
	switch (sign) {
	case TOKEN_LESS:
		*result = value_of_truth(less);
		return true;
	case TOKEN_LESS_EQUAL:
		*result = value_of_truth(less || equal);
		return true;
	case TOKEN_GREATER:
		*result = value_of_truth(greater);
		return true;
	case TOKEN_GREATER_EQUAL:
		*result = value_of_truth(greater || equal);
		return true;
	case TOKEN_EQUAL:
		*result = value_of_truth(equal);
		return true;
	case TOKEN_NOT_EQUAL:
		*result = value_of_truth(!equal);
		return true;
	default:
		return false;
	}
}

static struct value real_binary(enum token sign, double a, double b)
{
	struct value result;
	if (compared(sign, a<b, a == b, a> b, &result))
		return result;
	switch (sign) {
	case TOKEN_PLUS:
		return of_real(a + b);
	case TOKEN_MINUS:
		return of_real(a - b);
	case TOKEN_STAR:
		return of_real(a * b);
	default:
		return of_real(a / b);
	}
}

/* <0, 0, >0 */
static int compare(uint64_t a, uint64_t b, bool is_signed)
{
	if (is_signed)
		return ((int64_t)a > (int64_t)b) - ((int64_t)a < (int64_t)b);
	return (a > b) - (a < b);
}

static bool divide(enum token sign, uint64_t a, uint64_t b, bool is_signed, uint64_t *result)
{
	if (b == 0)
		return false;
	/* The one quotient that doesn't fit wraps around like all else. */
	if (is_signed && b == UINT64_MAX)
		*result = sign == TOKEN_SLASH ? 0 - a : 0;
	else if (is_signed)
		*result = (uint64_t)(sign == TOKEN_SLASH ? (int64_t)a / (int64_t)b : (int64_t)a % (int64_t)b);
	else
		*result = sign == TOKEN_SLASH ? a / b : a % b;
	return true;
}

static uint64_t shift_right(const struct value *a, unsigned by)
{
	return a->is_signed ? (uint64_t)((int64_t)a->number >> by) : a->number >> by;
}

static bool shift(enum token sign, const struct value *a, const struct value *b, struct value *result)
{
	const unsigned by = (unsigned)(b->number & (8u * a->size - 1));
	*result =
	    value_of_number(sign == TOKEN_LEFT ? a->number << by : shift_right(a, by), a->size, a->is_signed);
	return true;
}

/* Both are of the type that `size` and `is_signed` say. */
static bool number_binary(enum token sign, uint64_t a, uint64_t b, unsigned size, bool is_signed,
			  struct value *result)
{
	const int order = compare(a, b, is_signed);
	uint64_t number = 0;
	if (compared(sign, order<0, order == 0, order> 0, result))
		return true;
	switch (sign) {
	case TOKEN_PLUS:
		number = a + b;
		break;
	case TOKEN_MINUS:
		number = a - b;
		break;
	case TOKEN_STAR:
		number = a * b;
		break;
	case TOKEN_AND:
		number = a & b;
		break;
	case TOKEN_OR:
		number = a | b;
		break;
	case TOKEN_XOR:
		number = a ^ b;
		break;
	default:
		if (!divide(sign, a, b, is_signed, &number))
			return false;
	}
	*result = value_of_number(number, size, is_signed);
	return true;
}

bool value_binary(enum token sign, const struct value *a, const struct value *b, struct value *result)
{
	if (a->is_real || b->is_real) {
		*result = real_binary(sign, as_real(a), as_real(b));
		return true;
	}
	if (sign == TOKEN_LEFT || sign == TOKEN_RIGHT)
		return shift(sign, a, b, result);
	/* C's usual arithmetic conversions. */
	const unsigned size = a->size > b->size ? a->size : b->size;
	const bool is_signed = (a->is_signed || a->size < size) && (b->is_signed || b->size < size);
	return number_binary(sign, extend(a->number, size, is_signed), extend(b->number, size, is_signed),
			     size, is_signed, result);
}
