"""Say at the end of ``make test`` what was not tested on this machine, and how to call the command line."""

import os
import sys
from collections import Counter
from pathlib import Path

from tests.conftest import SKIPPED_FILE


def main() -> None:
    """Print the reasons that the runs of pytest have gathered, each once, with the number of tests."""
    gathered = Path(os.environ[SKIPPED_FILE])
    skipped = gathered.read_text("utf-8").splitlines() if gathered.exists() else []
    if skipped:
        sys.stdout.write("All that was run has passed. Not run on this machine:\n")
        sys.stdout.writelines(f"  {count} skipped: {reason}\n" for reason, count in sorted(Counter(skipped).items()))
    else:
        sys.stdout.write("Everything has passed; nothing was skipped.\n")
    sys.stdout.write(f"The command line: {Path(sys.executable).parent.relative_to(Path.cwd())}/regicide --help\n")


if __name__ == "__main__":
    main()
