"""``make train``: train a value network by self-play. ``python -m training regicide.1 --games 30000``.

It goes on where it was interrupted, and writes the network when it is done. Equal settings give the same network on the
same machine.
"""

from argparse import ArgumentParser
from dataclasses import asdict, replace
from pathlib import Path
from typing import Final

from engines.core.compiled import is_compiled
from training.run import Run, Settings, usual
from training.subjects import SUBJECTS

ROUNDS: Final = 10
"""Between two checkpoints."""


def main() -> None:
    """Train what is asked for."""
    parser = ArgumentParser(prog="python -m training", description=__doc__)
    parser.add_argument("subject", choices=SUBJECTS)
    parser.add_argument("--games", type=int, help="of greedy players")
    parser.add_argument("--seed", type=int, default=Settings.seed)
    parser.add_argument("--folder", type=Path, default=Path(".training"), help="where a run is kept")
    asked = parser.parse_args()
    subject = SUBJECTS[asked.subject]
    settings = usual(subject)
    settings = replace(settings, seed=asked.seed, games=asked.games or settings.games)
    run = Run(subject, settings)
    asked.folder.mkdir(parents=True, exist_ok=True)
    checkpoint = asked.folder / f"{asked.subject}.{asked.seed}.npz"
    if checkpoint.exists():
        run.restore(checkpoint)
    print(f"{asked.subject}, engines {'compiled' if is_compiled() else 'interpreted'}: {asdict(settings)}", flush=True)
    while not run.is_done:
        for _ in range(ROUNDS):
            run.go_on()
        print(run.line(), flush=True)
        run.save(checkpoint)
        (asked.folder / f"{asked.subject}.{asked.seed}.bin").write_bytes(run.network.packed())


if __name__ == "__main__":
    main()
