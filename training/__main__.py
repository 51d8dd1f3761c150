"""``make train``: train a value network. ``python -m training regicide.1 --games 30000``.

An interrupted run is resumed; the network is written at the end. Equal settings give equal networks on one machine.
"""

from argparse import ArgumentParser
from dataclasses import asdict, replace
from pathlib import Path
from typing import Final

from engines.core.compiled import is_compiled
from training.run import Run, TrainingSettings, default_settings
from training.subjects import SUBJECTS

ROUNDS: Final = 10
"""Rounds between two checkpoints."""


def main() -> None:
    """Parse the arguments and train."""
    parser = ArgumentParser(prog="python -m training", description=__doc__)
    parser.add_argument("subject", choices=SUBJECTS)
    parser.add_argument("--games", type=int, help="of greedy players")
    parser.add_argument("--seed", type=int, default=TrainingSettings.seed)
    parser.add_argument("--folder", type=Path, default=Path(".training"), help="where a run is kept")
    args = parser.parse_args()
    subject = SUBJECTS[args.subject]
    settings = default_settings(subject)
    settings = replace(settings, seed=args.seed, games=args.games or settings.games)
    run = Run(subject, settings)
    args.folder.mkdir(parents=True, exist_ok=True)
    checkpoint = args.folder / f"{args.subject}.{args.seed}.npz"
    if checkpoint.exists():
        run.restore(checkpoint)
    print(f"{args.subject}, engines {'compiled' if is_compiled() else 'interpreted'}: {asdict(settings)}", flush=True)
    while not run.is_done:
        for _ in range(ROUNDS):
            run.train_round()
        print(run.line(), flush=True)
        run.save(checkpoint)
        (args.folder / f"{args.subject}.{args.seed}.bin").write_bytes(run.network.packed())


if __name__ == "__main__":
    main()
