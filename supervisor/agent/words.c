/* snprintf() with as much of its language as messages in traces use: %s, %d, %u, %x, %c, %%, with l, ll, z and a precision of %s. */
#include <fmc/tracer/assert.h>

#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define DIGITS 24

/* As much of a text as there is room for; `length` counts what there isn't room for, too. */
struct text {
	char *at;
	size_t room, length;
};

static void put(struct text *text, char c)
{
	if (text->length + 1 < text->room)
		text->at[text->length] = c;
	text->length++;
}

static void put_string(struct text *text, const char *string, size_t most)
{
	for (size_t i = 0; i < most && string[i]; i++)
		put(text, string[i]);
}

static void put_number(struct text *text, uint64_t number, unsigned base, bool negative)
{
	char digits[DIGITS];
	size_t length = 0;
	do {
		digits[length++] = "0123456789abcdef"[number % base];
		number /= base;
	} while (number);
	if (negative)
		put(text, '-');
	while (length > 0)
		put(text, digits[--length]);
}

/* A directive, after its '%'. */
struct directive {
	size_t precision; /* SIZE_MAX: none */
	bool wide;
	char kind;
};

static const char *read_directive(const char *format, struct directive *directive)
{
	*directive = (struct directive){.precision = SIZE_MAX};
	if (*format == '.') {
		directive->precision = 0;
		while (*++format >= '0' && *format <= '9')
			directive->precision = 10 * directive->precision + (size_t)(*format - '0');
	}
	for (; *format == 'l' || *format == 'z'; format++)
		directive->wide = true;
	directive->kind = *format;
	return format + 1;
}

int vsnprintf(char *to, size_t room, const char *format, va_list arguments)
{
	struct text text = {to, room, 0};
	while (*format) {
		struct directive directive;
		int64_t number;
		if (*format != '%') {
			put(&text, *format++);
			continue;
		}
		format = read_directive(format + 1, &directive);
		switch (directive.kind) {
		case 's':
			put_string(&text, va_arg(arguments, const char *), directive.precision);
			break;
		case 'd':
			number = directive.wide ? va_arg(arguments, int64_t) : va_arg(arguments, int);
			put_number(&text, number < 0 ? -(uint64_t)number : (uint64_t)number, 10, number < 0);
			break;
		case 'u':
		case 'x':
			put_number(&text,
				   directive.wide ? va_arg(arguments, uint64_t) : va_arg(arguments, unsigned),
				   directive.kind == 'x' ? 16 : 10, false);
			break;
		case 'c':
			put(&text, (char)va_arg(arguments, int));
			break;
		default:
			FMC_ASSERT(directive.kind == '%');
			put(&text, '%');
		}
	}
	if (room > 0)
		to[text.length < room ? text.length : room - 1] = '\0';
	return (int)text.length;
}

int snprintf(char *to, size_t room, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	const int length = vsnprintf(to, room, format, arguments);
	va_end(arguments);
	return length;
}
