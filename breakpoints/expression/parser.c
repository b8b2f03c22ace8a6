/* From text to a tree: recursive descent, operators by their precedence. */
#include "breakpoints/expression/node.h"

#include <ctype.h>
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Deeper trees than any person writes. */
#define DEEPEST 200

struct parser {
	struct lexer lexer;
	struct expression *expression;
	unsigned depth;
};

static struct node *parse_unary(struct parser *parser);
static struct node *parse_choice(struct parser *parser);

/* Always NULL. */
static struct node *fail(struct parser *parser, const char *text)
{
	struct lexer *lexer = &parser->lexer;
	if (lexer->token == TOKEN_END)
		problem_at(lexer->problem, lexer->begin, "%s is missing at the end", text);
	else
		problem_at(lexer->problem, lexer->begin, "%s is expected, not '%.*s'", text,
			   (int)(lexer->end - lexer->begin), lexer->text + lexer->begin);
	lexer->token = TOKEN_WRONG;
	return NULL;
}

static struct node *out_of_memory(struct parser *parser)
{
	problem_at(parser->lexer.problem, parser->lexer.begin, "out of memory");
	parser->lexer.token = TOKEN_WRONG;
	return NULL;
}

/* A node that begins at text[begin], the present word being its sign. */
static struct node *make(struct parser *parser, enum node_kind kind, size_t begin)
{
	struct node *node = calloc(1, sizeof *node);
	if (!node)
		return out_of_memory(parser);
	node->kind = kind;
	node->begin = begin;
	node->at = parser->lexer.begin;
	node->end = parser->lexer.end;
	node->sign = parser->lexer.token;
	node->next = parser->expression->all;
	parser->expression->all = node;
	return node;
}

static bool take(struct parser *parser, enum token token)
{
	if (parser->lexer.token != token)
		return false;
	lexer_next(&parser->lexer);
	return true;
}

static char *present_text(struct parser *parser)
{
	const struct lexer *lexer = &parser->lexer;
	char *text = strndup(lexer->text + lexer->begin, lexer->end - lexer->begin);
	if (!text)
		out_of_memory(parser);
	return text;
}

static bool is_word(const struct parser *parser, const char *word)
{
	const struct lexer *lexer = &parser->lexer;
	return lexer->token == TOKEN_NAME && strlen(word) == lexer->end - lexer->begin &&
	       memcmp(lexer->text + lexer->begin, word, lexer->end - lexer->begin) == 0;
}

#define INTEGER(s, sign)                                                                                     \
	{                                                                                                    \
		.class = KIND_INTEGER, .size = s, .is_signed = sign                                          \
	}

static const struct type_word {
	const char *word;
	struct kind kind;
} fixed_types[] = {
    {"int8_t", INTEGER(1, true)},
    {"int16_t", INTEGER(2, true)},
    {"int32_t", INTEGER(4, true)},
    {"int64_t", INTEGER(8, true)},
    {"uint8_t", INTEGER(1, false)},
    {"uint16_t", INTEGER(2, false)},
    {"uint32_t", INTEGER(4, false)},
    {"uint64_t", INTEGER(8, false)},
    {"size_t", INTEGER(8, false)},
    {"ssize_t", INTEGER(8, true)},
    {"intptr_t", INTEGER(8, true)},
    {"uintptr_t", INTEGER(8, false)},
    {"float", {.class = KIND_REAL, .size = 4}},
    {"bool", {.class = KIND_INTEGER, .size = 1, .is_bool = true}},
    {"_Bool", {.class = KIND_INTEGER, .size = 1, .is_bool = true}},
};

static const char *const type_words[] = {"unsigned", "signed", "char",	   "short", "int",
					 "long",     "double", "volatile", "const"};
enum { WORD_UNSIGNED, WORD_SIGNED, WORD_CHAR, WORD_SHORT, WORD_INT, WORD_LONG, WORD_DOUBLE, WORDS = 9 };

static size_t word_of_type(const struct parser *parser)
{
	size_t i = 0;
	while (i < WORDS && !is_word(parser, type_words[i]))
		i++;
	return i;
}

static const struct type_word *fixed_type(const struct parser *parser)
{
	for (size_t i = 0; i < sizeof fixed_types / sizeof *fixed_types; i++)
		if (is_word(parser, fixed_types[i].word))
			return &fixed_types[i];
	return NULL;
}

static struct kind kind_of_words(const unsigned counts[WORDS])
{
	if (counts[WORD_DOUBLE])
		return (struct kind){.class = KIND_REAL, .size = 8};
	const uint8_t size = counts[WORD_CHAR] ? 1 : counts[WORD_SHORT] ? 2 : counts[WORD_LONG] ? 8 : 4;
	return (struct kind)INTEGER(size, !counts[WORD_UNSIGNED]);
}

/* The words of a type and its stars. */
static struct type parse_type(struct parser *parser)
{
	struct type type = {.pointers = 0};
	unsigned counts[WORDS] = {0};
	const struct type_word *fixed = fixed_type(parser);
	size_t word;
	if (fixed)
		lexer_next(&parser->lexer);
	while (!fixed && (word = word_of_type(parser)) < WORDS) {
		counts[word]++;
		lexer_next(&parser->lexer);
	}
	type.base = fixed ? fixed->kind : kind_of_words(counts);
	while (take(parser, TOKEN_STAR))
		type.pointers++;
	type.kind = type.pointers ? (struct kind){.class = KIND_POINTER, .size = 8} : type.base;
	return type;
}

static const struct {
	const char *word;
	int tag;
} tag_words[] = {{"struct", DW_TAG_structure_type},
		 {"class", DW_TAG_class_type},
		 {"union", DW_TAG_union_type},
		 {"enum", DW_TAG_enumeration_type}};
#define TAG_WORDS (sizeof tag_words / sizeof *tag_words)

static size_t tag_word(const struct parser *parser)
{
	size_t i = 0;
	while (i < TAG_WORDS && !is_word(parser, tag_words[i].word))
		i++;
	return i;
}

/* Which the debug information knows, perhaps after `struct`. */
static bool parse_own_type(struct parser *parser, struct node *node)
{
	const size_t tag = tag_word(parser);
	if (tag < TAG_WORDS) {
		node->stride = (uint64_t)tag_words[tag].tag;
		lexer_next(&parser->lexer);
	}
	if (parser->lexer.token != TOKEN_NAME)
		return fail(parser, "the name of a type");
	node->at = parser->lexer.begin;
	if (!(node->name = present_text(parser)))
		return false;
	lexer_next(&parser->lexer);
	while (take(parser, TOKEN_STAR))
		node->type.pointers++;
	return true;
}

/*
 * Is it a cast to a type of the program's, after the parenthesis? A name in parentheses is a variable, but with a star after it, or before
 * what begins another operand.
 */
static bool is_own_cast(const struct parser *parser)
{
	struct expression_problem unused = {0};
	struct lexer lexer = parser->lexer;
	bool pointer = false;
	lexer.problem = &unused;
	if (tag_word(parser) < TAG_WORDS)
		return true;
	if (lexer.token != TOKEN_NAME)
		return false;
	lexer_next(&lexer);
	for (; lexer.token == TOKEN_STAR; lexer_next(&lexer))
		pointer = true;
	if (lexer.token != TOKEN_CLOSE)
		return false;
	lexer_next(&lexer);
	return pointer || lexer.token == TOKEN_NAME || lexer.token == TOKEN_NUMBER ||
	       lexer.token == TOKEN_REAL || lexer.token == TOKEN_OPEN || lexer.token == TOKEN_NOT ||
	       lexer.token == TOKEN_TILDE;
}

/* After its parenthesis. */
static struct node *parse_cast(struct parser *parser, size_t begin, bool own)
{
	struct node *node = make(parser, NODE_CAST, begin);
	if (!node)
		return NULL;
	if (!own)
		node->type = parse_type(parser);
	else if (!parse_own_type(parser, node))
		return NULL;
	if (!take(parser, TOKEN_CLOSE))
		return fail(parser, "')' after the type");
	node->a = parse_unary(parser);
	if (!node->a)
		return NULL;
	node->end = node->a->end;
	return node;
}

static struct node *parse_parenthesis(struct parser *parser)
{
	const size_t begin = parser->lexer.begin;
	lexer_next(&parser->lexer);
	if (fixed_type(parser) || word_of_type(parser) < WORDS)
		return parse_cast(parser, begin, false);
	if (is_own_cast(parser))
		return parse_cast(parser, begin, true);
	struct node *inner = parse_choice(parser);
	if (!inner)
		return NULL;
	const size_t end = parser->lexer.end;
	if (!take(parser, TOKEN_CLOSE))
		return fail(parser, "')'");
	inner->begin = begin;
	inner->end = end;
	return inner;
}

static const char *const atom_names[] = {
    [ATOM_AT] = "at", [ATOM_HOLDS] = "holds", [ATOM_WAITS] = "waits", [ATOM_EXITED] = "exited"};
#define ATOMS (sizeof atom_names / sizeof *atom_names)

/* "T2", or "self" */
static bool parse_thread(struct parser *parser, uint32_t *thread)
{
	const struct lexer *lexer = &parser->lexer;
	if (is_word(parser, "self")) {
		*thread = EXPRESSION_SELF;
		lexer_next(&parser->lexer);
		return true;
	}
	const char *text = lexer->text + lexer->begin;
	char *end;
	unsigned long number = 0;
	if (lexer->token == TOKEN_NAME && *text == 'T' && isdigit((unsigned char)text[1]))
		number = strtoul(text + 1, &end, 10);
	if (number < 1 || number > 4096 || end != lexer->text + lexer->end) {
		(void)fail(parser, "a thread, as T2");
		return false;
	}
	*thread = (uint32_t)number - 1;
	lexer_next(&parser->lexer);
	return true;
}

/* "function" or "file:line" up to the parenthesis, whatever signs are in it; the word that is present is its first. */
static bool parse_place(struct parser *parser, struct expression_atom *atom)
{
	struct lexer *lexer = &parser->lexer;
	const char *text = lexer->text + lexer->begin;
	size_t length = strcspn(text, ")");
	while (length && isspace((unsigned char)text[length - 1]))
		length--;
	if (length == 0) {
		(void)fail(parser, "a function, or a line as file.c:42,");
		return false;
	}
	size_t digits = 0;
	while (digits < length && isdigit((unsigned char)text[length - 1 - digits]))
		digits++;
	const bool line = digits > 0 && digits + 1 < length && text[length - digits - 1] == ':';
	if (line)
		atom->line = atoi(text + length - digits);
	atom->place = strndup(text, line ? length - digits - 1 : length);
	if (!atom->place)
		return out_of_memory(parser);
	lexer->end = lexer->begin + length;
	if (lexer->token != TOKEN_WRONG)
		lexer_next(lexer);
	return true;
}

static bool parse_arguments(struct parser *parser, struct node *node)
{
	if (!parse_thread(parser, &node->atom.thread))
		return false;
	if (node->atom.kind == ATOM_EXITED)
		return true;
	if (!take(parser, TOKEN_COMMA))
		return fail(parser, "','");
	if (node->atom.kind == ATOM_AT)
		return parse_place(parser, &node->atom);
	node->a = parse_choice(parser);
	return node->a;
}

/* The name has been read, and the parenthesis is there. */
static struct node *parse_call(struct parser *parser, struct node *name)
{
	size_t i = 0;
	while (i < ATOMS && strcmp(name->name, atom_names[i]) != 0)
		i++;
	if (i == ATOMS) {
		problem_at(parser->lexer.problem, name->begin,
			   "%s() would be a call: there is at(T2, f), at(T2, f.c:31), holds(T1, lock), "
			   "waits(T1, lock), exited(T1)",
			   name->name);
		parser->lexer.token = TOKEN_WRONG;
		return NULL;
	}
	name->kind = NODE_ATOM;
	name->atom.kind = (enum expression_atom_kind)i;
	lexer_next(&parser->lexer);
	if (!parse_arguments(parser, name))
		return NULL;
	name->end = parser->lexer.end;
	return take(parser, TOKEN_CLOSE) ? name : fail(parser, "')'");
}

static struct node *constant(struct parser *parser, struct value value)
{
	struct node *node = make(parser, NODE_CONSTANT, parser->lexer.begin);
	if (!node)
		return NULL;
	node->value = value;
	lexer_next(&parser->lexer);
	return node;
}

static struct node *parse_name(struct parser *parser)
{
	static const char *const zeros[] = {"false", "NULL", "nullptr"};
	if (is_word(parser, "true"))
		return constant(parser, value_of_truth(true));
	for (size_t i = 0; i < sizeof zeros / sizeof *zeros; i++)
		if (is_word(parser, zeros[i]))
			return constant(parser, value_of_truth(false));
	struct node *node = make(parser, NODE_NAME, parser->lexer.begin);
	if (!node || !(node->name = present_text(parser)))
		return NULL;
	lexer_next(&parser->lexer);
	return parser->lexer.token == TOKEN_OPEN ? parse_call(parser, node) : node;
}

static struct node *parse_primary(struct parser *parser)
{
	const struct lexer *lexer = &parser->lexer;
	switch (lexer->token) {
	case TOKEN_NAME:
		return parse_name(parser);
	case TOKEN_NUMBER:
		return constant(parser, value_of_number(lexer->number, lexer->size, !lexer->is_unsigned));
	case TOKEN_REAL:
		return constant(
		    parser,
		    (struct value){.is_real = true, .real = lexer->real, .size = 8, .is_signed = true});
	case TOKEN_OPEN:
		return parse_parenthesis(parser);
	default:
		return fail(parser, "a variable or a number");
	}
}

static struct node *parse_member(struct parser *parser, struct node *of)
{
	struct node *node =
	    make(parser, parser->lexer.token == TOKEN_DOT ? NODE_MEMBER : NODE_ARROW, of->begin);
	if (!node)
		return NULL;
	lexer_next(&parser->lexer);
	if (parser->lexer.token != TOKEN_NAME)
		return fail(parser, "the name of a member");
	node->a = of;
	node->at = parser->lexer.begin;
	node->end = parser->lexer.end;
	if (!(node->name = present_text(parser)))
		return NULL;
	lexer_next(&parser->lexer);
	return node;
}

static struct node *parse_element(struct parser *parser, struct node *of)
{
	struct node *node = make(parser, NODE_ELEMENT, of->begin);
	if (!node)
		return NULL;
	lexer_next(&parser->lexer);
	node->a = of;
	node->b = parse_choice(parser);
	if (!node->b)
		return NULL;
	node->end = parser->lexer.end;
	return take(parser, TOKEN_CLOSE_INDEX) ? node : fail(parser, "']'");
}

static struct node *parse_postfix(struct parser *parser)
{
	struct node *node = parse_primary(parser);
	for (;;) {
		switch (node ? parser->lexer.token : TOKEN_END) {
		case TOKEN_DOT:
		case TOKEN_ARROW:
			node = parse_member(parser, node);
			break;
		case TOKEN_OPEN_INDEX:
			node = parse_element(parser, node);
			break;
		case TOKEN_OPEN:
			problem_at(parser->lexer.problem, parser->lexer.begin,
				   "functions of the program can't be called");
			return NULL;
		default:
			return node;
		}
	}
}

static enum node_kind unary_kind(enum token token)
{
	switch (token) {
	case TOKEN_STAR:
		return NODE_TARGET;
	case TOKEN_AND:
		return NODE_ADDRESS;
	case TOKEN_NOT:
	case TOKEN_TILDE:
	case TOKEN_PLUS:
	case TOKEN_MINUS:
		return NODE_UNARY;
	default:
		return NODE_CONSTANT;
	}
}

static struct node *parse_sign(struct parser *parser)
{
	const enum node_kind kind = unary_kind(parser->lexer.token);
	if (kind == NODE_CONSTANT)
		return parse_postfix(parser);
	struct node *node = make(parser, kind, parser->lexer.begin);
	if (!node)
		return NULL;
	lexer_next(&parser->lexer);
	node->a = parse_unary(parser);
	if (!node->a)
		return NULL;
	node->end = node->a->end;
	return node;
}

static struct node *parse_unary(struct parser *parser)
{
	if (parser->depth == DEEPEST) {
		problem_at(parser->lexer.problem, parser->lexer.begin, "it is nested too deeply");
		return NULL;
	}
	parser->depth++;
	struct node *node = parse_sign(parser);
	parser->depth--;
	return node;
}

/* 0: no operator with two operands. */
static unsigned precedence(enum token token)
{
	switch (token) {
	case TOKEN_STAR:
	case TOKEN_SLASH:
	case TOKEN_PERCENT:
		return 10;
	case TOKEN_PLUS:
	case TOKEN_MINUS:
		return 9;
	case TOKEN_LEFT:
	case TOKEN_RIGHT:
		return 8;
	case TOKEN_LESS:
	case TOKEN_LESS_EQUAL:
	case TOKEN_GREATER:
	case TOKEN_GREATER_EQUAL:
		return 7;
	case TOKEN_EQUAL:
	case TOKEN_NOT_EQUAL:
		return 6;
	case TOKEN_AND:
		return 5;
	case TOKEN_XOR:
		return 4;
	case TOKEN_OR:
		return 3;
	case TOKEN_AND_AND:
		return 2;
	case TOKEN_OR_OR:
		return 1;
	default:
		return 0;
	}
}

/* Operators of at least this precedence; all bind to the left. */
static struct node *parse_binary(struct parser *parser, unsigned least)
{
	struct node *left = parse_unary(parser);
	unsigned now;
	while (left && (now = precedence(parser->lexer.token)) >= least && now) {
		struct node *node = make(parser, NODE_BINARY, left->begin);
		if (!node)
			return NULL;
		lexer_next(&parser->lexer);
		node->a = left;
		node->b = parse_binary(parser, now + 1);
		if (!node->b)
			return NULL;
		node->end = node->b->end;
		left = node;
	}
	return left;
}

static struct node *parse_choice(struct parser *parser)
{
	struct node *condition = parse_binary(parser, 1);
	if (!condition || parser->lexer.token != TOKEN_QUESTION)
		return condition;
	struct node *node = make(parser, NODE_CHOICE, condition->begin);
	if (!node)
		return NULL;
	lexer_next(&parser->lexer);
	node->a = condition;
	node->b = parse_choice(parser);
	if (!node->b)
		return NULL;
	if (!take(parser, TOKEN_COLON))
		return fail(parser, "':'");
	if (++parser->depth == DEEPEST)
		return fail(parser, "less nesting");
	node->c = parse_choice(parser);
	parser->depth--;
	if (!node->c)
		return NULL;
	node->end = node->c->end;
	return node;
}

struct expression *expression_parse(const char *text, struct expression_problem *problem)
{
	struct parser parser = {.expression = calloc(1, sizeof *parser.expression)};
	*problem = (struct expression_problem){0};
	if (parser.expression)
		parser.expression->text = strdup(text);
	if (!parser.expression || !parser.expression->text) {
		snprintf(problem->text, sizeof problem->text, "out of memory");
		expression_free(parser.expression);
		return NULL;
	}
	lexer_start(&parser.lexer, parser.expression->text, problem);
	parser.expression->root = parse_choice(&parser);
	if (parser.expression->root && parser.lexer.token != TOKEN_END)
		(void)fail(&parser, "an operator or the end");
	if (!*problem->text)
		return parser.expression;
	expression_free(parser.expression);
	return NULL;
}

void expression_free(struct expression *expression)
{
	if (!expression)
		return;
	for (struct node *node = expression->all, *next; node; node = next) {
		next = node->next;
		free(node->name);
		free(node->atom.place);
		free(node);
	}
	stand_free(expression->stand);
	free(expression->text);
	free(expression->reads);
	free(expression->atoms);
	free(expression);
}

const char *expression_text(const struct expression *expression)
{
	return expression->text;
}
