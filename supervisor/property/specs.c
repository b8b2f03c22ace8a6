/* Properties as text. */
#include <fmc/supervisor/property.h>

#include <stdio.h>
#include <string.h>

static const char *const words[PROPERTY_KINDS] = {
    [PROPERTY_ALWAYS] = "always",
    [PROPERTY_NEVER] = "never",
};

const char *property_word(enum property_kind kind)
{
	return words[kind];
}

bool property_specs_add(struct property_specs *specs, const char *text)
{
	const size_t length = strcspn(text, " ");
	enum property_kind kind = 0;
	while (kind < PROPERTY_KINDS &&
	       (strlen(words[kind]) != length || memcmp(words[kind], text, length) != 0))
		kind++;
	text += length + strspn(text + length, " ");
	if (kind == PROPERTY_KINDS || !*text || specs->length == PROPERTIES_MOST)
		return false;
	specs->at[specs->length++] = (struct property_spec){kind, text};
	return true;
}

char *property_spec_text(const struct property_spec *spec)
{
	char *text;
	return asprintf(&text, "%s %s", words[spec->kind], spec->text) < 0 ? NULL : text;
}

bool property_check(const struct property_spec *spec, char why[PROPERTY_WHY])
{
	struct expression_problem problem;
	struct expression *expression = expression_parse(spec->text, &problem);
	if (!expression)
		snprintf(why, PROPERTY_WHY, "--%s '%.60s', column %zu: %.200s", words[spec->kind], spec->text,
			 problem.column, problem.text);
	expression_free(expression);
	return expression;
}
