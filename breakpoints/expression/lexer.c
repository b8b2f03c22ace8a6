#include "breakpoints/expression/lexer.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool problem_at(struct expression_problem *problem, size_t at, const char *format, ...)
{
	va_list arguments;
	if (*problem->text)
		return false;
	problem->column = at + 1;
	va_start(arguments, format);
	vsnprintf(problem->text, sizeof problem->text, format, arguments);
	va_end(arguments);
	return false;
}

static void wrong(struct lexer *lexer)
{
	lexer->token = TOKEN_WRONG;
}

static bool begins_name(char c)
{
	return isalpha((unsigned char)c) || c == '_' || c == '$';
}

static bool in_name(char c)
{
	return begins_name(c) || isdigit((unsigned char)c);
}

static size_t name_length(const char *text)
{
	size_t length = 0;
	if (!begins_name(*text))
		return 0;
	while (in_name(text[length]))
		length++;
	return length;
}

/* ".c::" after a name makes it a file's: how long it is up to the colons, else 0. */
static size_t ending_length(const char *text)
{
	size_t length = 1;
	if (*text != '.' || !begins_name(text[1]))
		return 0;
	while (in_name(text[length]) || text[length] == '+')
		length++;
	return strncmp(text + length, "::", 2) == 0 ? length : 0;
}

/* The rest of a name, whose first part ends at `end`. */
static void scan_scopes(struct lexer *lexer)
{
	const char *text = lexer->text;
	lexer->token = TOKEN_NAME;
	while (strncmp(text + lexer->end, "::", 2) == 0) {
		size_t length = name_length(text + lexer->end + 2);
		if (length == 0) {
			problem_at(lexer->problem, lexer->end, "'::' without a name after it");
			return wrong(lexer);
		}
		lexer->end += 2 + length;
	}
}

static void scan_name(struct lexer *lexer)
{
	lexer->end += name_length(lexer->text + lexer->end);
	lexer->end += ending_length(lexer->text + lexer->end);
	scan_scopes(lexer);
}

/* A character, or the name of a file. */
static void scan_quoted(struct lexer *lexer)
{
	static const char escapes[] = "n\nt\tr\r0\0\\\\''";
	const char *text = lexer->text + lexer->begin, *close = strchr(text + 1, '\'');
	if (text[1] == '\\' && text[2])
		close = strchr(text + 3, '\'');
	if (!close) {
		problem_at(lexer->problem, lexer->begin, "a quote that isn't closed");
		return wrong(lexer);
	}
	lexer->end = (size_t)(close - lexer->text) + 1;
	if (strncmp(close + 1, "::", 2) == 0)
		return scan_scopes(lexer);
	lexer->token = TOKEN_NUMBER;
	lexer->size = 4;
	lexer->is_unsigned = false;
	if (close == text + 2) {
		lexer->number = (uint64_t)(int64_t)(signed char)text[1];
		return;
	}
	for (size_t i = 0; close == text + 3 && text[1] == '\\' && i < sizeof escapes - 1; i += 2)
		if (text[2] == escapes[i]) {
			lexer->number = (uint64_t)escapes[i + 1];
			return;
		}
	problem_at(lexer->problem, lexer->begin, "one character is expected in quotes");
	wrong(lexer);
}

static bool is_real(const char *text)
{
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		return false;
	text += strspn(text, "0123456789");
	return *text == '.' || *text == 'e' || *text == 'E';
}

/* As C has it: the smallest type, int at least, in which the number fits. */
static void find_type(struct lexer *lexer, bool hexadecimal, bool is_long, bool is_unsigned)
{
	lexer->size = is_long || lexer->number > UINT32_MAX ? 8 : 4;
	if (!hexadecimal && !is_unsigned && lexer->number > INT32_MAX)
		lexer->size = 8;
	lexer->is_unsigned =
	    is_unsigned || lexer->number > INT64_MAX || (lexer->size == 4 && lexer->number > INT32_MAX);
}

static void scan_number(struct lexer *lexer)
{
	const char *text = lexer->text + lexer->begin;
	char *end;
	bool is_long = false, is_unsigned = false;
	errno = 0;
	if (is_real(text)) {
		lexer->token = TOKEN_REAL;
		lexer->real = strtod(text, &end);
		if (*end == 'f' || *end == 'F') {
			lexer->real = (double)(float)lexer->real;
			end++;
		}
	} else {
		lexer->token = TOKEN_NUMBER;
		lexer->number = strtoull(text, &end, 0);
		const bool hexadecimal = *text == '0';
		for (; *end && strchr("uUlL", *end); end++) {
			is_unsigned |= *end == 'u' || *end == 'U';
			is_long |= *end == 'l' || *end == 'L';
		}
		find_type(lexer, hexadecimal, is_long, is_unsigned);
	}
	lexer->end = (size_t)(end - lexer->text);
	if (errno || in_name(*end)) {
		problem_at(lexer->problem, lexer->begin, "this is no number that fits");
		wrong(lexer);
	}
}

/* Longer ones first. TOKEN_WRONG: it would change the program. */
static const struct {
	const char *text;
	enum token token;
} signs[] = {
    {"<<=", TOKEN_WRONG},
    {">>=", TOKEN_WRONG},
    {"->", TOKEN_ARROW},
    {"++", TOKEN_WRONG},
    {"--", TOKEN_WRONG},
    {"+=", TOKEN_WRONG},
    {"-=", TOKEN_WRONG},
    {"*=", TOKEN_WRONG},
    {"/=", TOKEN_WRONG},
    {"%=", TOKEN_WRONG},
    {"&=", TOKEN_WRONG},
    {"|=", TOKEN_WRONG},
    {"^=", TOKEN_WRONG},
    {"<<", TOKEN_LEFT},
    {">>", TOKEN_RIGHT},
    {"<=", TOKEN_LESS_EQUAL},
    {">=", TOKEN_GREATER_EQUAL},
    {"==", TOKEN_EQUAL},
    {"!=", TOKEN_NOT_EQUAL},
    {"&&", TOKEN_AND_AND},
    {"||", TOKEN_OR_OR},
    {"=", TOKEN_WRONG},
    {"<", TOKEN_LESS},
    {">", TOKEN_GREATER},
    {"!", TOKEN_NOT},
    {"~", TOKEN_TILDE},
    {"*", TOKEN_STAR},
    {"/", TOKEN_SLASH},
    {"%", TOKEN_PERCENT},
    {"+", TOKEN_PLUS},
    {"-", TOKEN_MINUS},
    {"&", TOKEN_AND},
    {"^", TOKEN_XOR},
    {"|", TOKEN_OR},
    {"(", TOKEN_OPEN},
    {")", TOKEN_CLOSE},
    {"[", TOKEN_OPEN_INDEX},
    {"]", TOKEN_CLOSE_INDEX},
    {".", TOKEN_DOT},
    {",", TOKEN_COMMA},
    {"?", TOKEN_QUESTION},
    {":", TOKEN_COLON},
};

static void scan_sign(struct lexer *lexer)
{
	const char *text = lexer->text + lexer->begin;
	for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
		const size_t length = strlen(signs[i].text);
		if (strncmp(text, signs[i].text, length) != 0)
			continue;
		lexer->end = lexer->begin + length;
		lexer->token = signs[i].token;
		if (lexer->token == TOKEN_WRONG)
			problem_at(lexer->problem, lexer->begin, "'%s' would change the program%s",
				   signs[i].text,
				   strcmp(signs[i].text, "=") == 0 ? ": to compare is ==" : "");
		return;
	}
	problem_at(lexer->problem, lexer->begin, "'%c' means nothing in an expression", *text);
	wrong(lexer);
}

void lexer_next(struct lexer *lexer)
{
	if (lexer->token == TOKEN_WRONG)
		return;
	const char *text = lexer->text;
	lexer->end += strspn(text + lexer->end, " \t\n");
	lexer->begin = lexer->end;
	const char c = text[lexer->begin];
	if (!c)
		lexer->token = TOKEN_END;
	else if (begins_name(c))
		scan_name(lexer);
	else if (c == '\'')
		scan_quoted(lexer);
	else if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)text[lexer->begin + 1])))
		scan_number(lexer);
	else
		scan_sign(lexer);
}

void lexer_start(struct lexer *lexer, const char *text, struct expression_problem *problem)
{
	*lexer = (struct lexer){.text = text, .problem = problem};
	*problem = (struct expression_problem){0};
	lexer_next(lexer);
}
