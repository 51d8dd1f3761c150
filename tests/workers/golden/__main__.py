"""Store games for ever as this version stores them: ``python -m tests.workers.golden NAME``."""

import sys

from tests.workers.golden.journals import HERE, write

name = sys.argv[1]
if (HERE / f"{name}.json").exists():
    sys.exit(f"{name}.json is there: what was released stays as it is; take the name of the new version.")
write(name)
