"""Write how games are stored now, for ever: ``python -m tests.workers.golden layout-3``."""

import sys

from tests.workers.golden.journals import HERE, write

name = sys.argv[1]
if (HERE / f"{name}.json").exists():
    sys.exit(f"{name}.json is there: what was stored once stays as it is; name the new layout.")
write(name)
