"""A module whose import doesn't end."""

import __main__

__main__.importing.set()
__main__.never.wait()
