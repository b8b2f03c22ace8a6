/* Rules of who is woken: reading them, and finding those for one object. */
#include <fmc/supervisor/waking.h>

#include <stdlib.h>
#include <string.h>

/* One rule, cut in two at its last '='; what is longer than its place names nothing. */
struct rule {
	char what[WAKING_NAME], how[16];
};

static bool cut(const char *text, size_t length, struct rule *rule)
{
	const char *equals = memrchr(text, '=', length);
	size_t what = equals ? (size_t)(equals - text) : 0, how = equals ? length - what - 1 : 0;
	if (what == 0 || how == 0 || what >= sizeof rule->what || how >= sizeof rule->how)
		return false;
	memcpy(rule->what, text, what);
	rule->what[what] = 0;
	memcpy(rule->how, equals + 1, how);
	rule->how[how] = 0;
	return true;
}

/* The next rule of a list; false at its end. */
static bool next_rule(const char **rules, struct rule *rule)
{
	while (*rules && **rules) {
		const char *text = *rules;
		size_t length = strcspn(text, ",");
		*rules = text[length] ? text + length + 1 : text + length;
		if (cut(text, length, rule))
			return true;
	}
	return false;
}

static bool is_budget(const struct rule *rule)
{
	return strcmp(rule->what, "spurious") == 0;
}

const char *waking_refusal(const char *text)
{
	struct rule rule;
	if (strchr(text, ',') || !cut(text, strlen(text), &rule))
		return "isn't of the form WHAT=POLICY";
	if (is_budget(&rule))
		return rule.how[strspn(rule.how, "0123456789")] || strlen(rule.how) > 9 ? "needs a number"
											: NULL;
	enum object_class class = class_by_name(rule.what);
	if (wakeup_by_name(CLASS_RWLOCK, rule.how) == WAKEUPS)
		return "has a policy other than any, fifo, lifo, readers and writers";
	if (class < CLASSES && wakeup_by_name(class, rule.how) == WAKEUPS)
		return "has a policy that such objects don't have";
	return NULL;
}

/* Reports may say what it is before where it is: `account.lock at heap +0x2a0`. */
static bool is_called(const char *said, const char *name)
{
	const char *where = strstr(said, " at ");
	return strcmp(said, name) == 0 || (where && strcmp(where + strlen(" at "), name) == 0);
}

uint64_t waking_apply(const char *rules, const char *name, struct object_state *state)
{
	struct rule rule;
	uint64_t used = 0;
	for (unsigned i = 0; next_rule(&rules, &rule); i++) {
		enum wakeup wakeup = wakeup_by_name(state->class, rule.how);
		bool meant = class_by_name(rule.what) == state->class || (name && is_called(rule.what, name));
		used |= meant && i < 64 ? UINT64_C(1) << i : 0;
		if (is_budget(&rule) && state->class == CLASS_COND)
			state->spurious = (uint32_t)strtoul(rule.how, NULL, 10);
		else if (meant && wakeup != WAKEUPS)
			state->wakeup = wakeup;
	}
	return used;
}

static bool names_object(const struct rule *rule)
{
	return !is_budget(rule) && class_by_name(rule->what) == CLASSES;
}

bool waking_idle(const char *rules, uint64_t used, char name[WAKING_NAME])
{
	struct rule rule;
	for (unsigned i = 0; i < 64 && next_rule(&rules, &rule); i++) {
		if (!names_object(&rule) || used >> i & 1)
			continue;
		memcpy(name, rule.what, sizeof rule.what);
		return true;
	}
	return false;
}

bool waking_wants_names(const char *rules)
{
	struct rule rule;
	while (next_rule(&rules, &rule))
		if (names_object(&rule))
			return true;
	return false;
}
