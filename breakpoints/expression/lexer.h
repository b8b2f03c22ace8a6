#ifndef FMC_BREAKPOINTS_EXPRESSION_LEXER_H
#define FMC_BREAKPOINTS_EXPRESSION_LEXER_H

#include <fmc/breakpoints/expression.h>

/* The words of an expression. */
enum token {
	TOKEN_END,
	TOKEN_NAME, /* with its scopes: `a::b`, `f.c::x`, `'f.c'::x` */
	TOKEN_NUMBER,
	TOKEN_REAL,
	TOKEN_OPEN,
	TOKEN_CLOSE,
	TOKEN_OPEN_INDEX,
	TOKEN_CLOSE_INDEX,
	TOKEN_DOT,
	TOKEN_ARROW,
	TOKEN_COMMA,
	TOKEN_QUESTION,
	TOKEN_COLON,
	TOKEN_NOT,
	TOKEN_TILDE,
	TOKEN_STAR,
	TOKEN_SLASH,
	TOKEN_PERCENT,
	TOKEN_PLUS,
	TOKEN_MINUS,
	TOKEN_LEFT,
	TOKEN_RIGHT,
	TOKEN_LESS,
	TOKEN_LESS_EQUAL,
	TOKEN_GREATER,
	TOKEN_GREATER_EQUAL,
	TOKEN_EQUAL,
	TOKEN_NOT_EQUAL,
	TOKEN_AND,
	TOKEN_XOR,
	TOKEN_OR,
	TOKEN_AND_AND,
	TOKEN_OR_OR,
	TOKEN_WRONG, /* the problem has been said */
};

/* The word that stands at text[begin] up to text[end]. */
struct lexer {
	const char *text;
	size_t begin, end;
	enum token token;
	uint64_t number; /* TOKEN_NUMBER */
	unsigned size;	 /* of its type, 4 or 8 */
	bool is_unsigned;
	double real;
	struct expression_problem *problem; /* the first one counts */
};

void lexer_start(struct lexer *lexer, const char *text, struct expression_problem *problem);

/* To the next word. */
void lexer_next(struct lexer *lexer);

/* Say what is wrong at text[at], unless something has been said before. Returns false. */
bool problem_at(struct expression_problem *problem, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
