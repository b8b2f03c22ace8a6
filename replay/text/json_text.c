#include "replay/text/json_text.h"

#include "replay/text/text.h"

#include <string.h>

void json_put_escaped(FILE *stream, const char *escaped)
{
	fputc('"', stream);
	for (const char *c = escaped; *c; c++) {
		if (*c == '"' || *c == '\\')
			fprintf(stream, "\\%c", *c);
		else if (strchr("<>&", *c))
			fprintf(stream, "\\u%04x", (unsigned)*c);
		else
			fputc(*c, stream);
	}
	fputc('"', stream);
}

void json_put_string(FILE *stream, const char *string)
{
	struct text text = {0};
	if (!string) {
		fputs("null", stream);
		return;
	}
	text_add_escaped(&text, string);
	json_put_escaped(stream, text_string(&text));
	text_release(&text);
}
