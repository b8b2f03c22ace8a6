/*
 * json FILE PATH...: print the value at a path such as findings.0.kind; nothing and status 1 if it isn't there. The values of several paths
 * are a line each, an empty one for what isn't there.
 * The test scripts read fmc's JSON with it.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *step(json_t *value, const char *key)
{
	if (json_is_array(value))
		return json_array_get(value, strtoul(key, NULL, 10));
	return json_object_get(value, key);
}

static json_t *find(json_t *root, char *path)
{
	json_t *value = root;
	for (char *key = strtok(path, "."); key != NULL && value != NULL; key = strtok(NULL, "."))
		value = step(value, key);
	return value;
}

static void print(const json_t *value)
{
	if (json_is_string(value)) {
		puts(json_string_value(value));
		return;
	}
	if (value != NULL)
		json_dumpf(value, stdout, JSON_ENCODE_ANY | JSON_COMPACT);
	putchar('\n');
}

int main(int argc, char **argv)
{
	json_error_t error;

	if (argc < 3) {
		fputs("usage: json FILE PATH...\n", stderr);
		return 2;
	}
	json_t *root = json_load_file(argv[1], 0, &error);
	if (root == NULL) {
		fprintf(stderr, "json: %s:%d: %s\n", argv[1], error.line, error.text);
		return 2;
	}
	for (int i = 2; i < argc; i++) {
		const json_t *value = find(root, argv[i]);
		if (value == NULL && argc == 3)
			return 1;
		print(value);
	}
	json_decref(root);
	return 0;
}
