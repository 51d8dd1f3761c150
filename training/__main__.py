"""``make train``: train the value networks, or one of them. ``python -m training NAME.PLAYERS --games 30000``.

Without a name all networks are trained: those of each game whose folder has a package ``training``. An interrupted run
is resumed; a network is written at the end. Equal settings give equal networks on one machine.
"""

from argparse import ArgumentParser
from dataclasses import asdict, replace
from pathlib import Path
from typing import Final

from engines.core.mypyc_support import is_compiled
from training.run import Run, TrainingSettings, default_settings
from training.subjects import SUBJECTS

ROUNDS_PER_CHECKPOINT: Final = 10
"""Number of rounds between two checkpoints."""


def main() -> None:
    """Parse the arguments and train."""
    parser = ArgumentParser(prog="python -m training", description=__doc__)
    parser.add_argument(
        "subjects", nargs="*", metavar="SUBJECT", help=f"of {', '.join(SUBJECTS)}; all if none is named"
    )
    parser.add_argument("--games", type=int, help="of greedy players")
    parser.add_argument("--seed", type=int, default=TrainingSettings.seed)
    parser.add_argument("--folder", type=Path, default=Path(".training"), help="where a run is kept")
    args = parser.parse_args()
    unknown = set(args.subjects) - set(SUBJECTS)
    if unknown:
        parser.error(f"no subject is called {', '.join(sorted(unknown))}")
    args.folder.mkdir(parents=True, exist_ok=True)
    for name in args.subjects or SUBJECTS:
        settings = default_settings(SUBJECTS[name])
        settings = replace(settings, seed=args.seed, games=args.games or settings.games)
        train(name, settings, args.folder / f"{name}.{args.seed}")


def train(name: str, settings: TrainingSettings, stem: Path) -> None:
    """Train a network, resuming an interrupted run; *stem* is the path of its files without their suffixes."""
    run = Run(SUBJECTS[name], settings)
    checkpoint = stem.with_name(f"{stem.name}.npz")
    if checkpoint.exists():
        run.restore(checkpoint)
    print(f"{name}, engines {'compiled' if is_compiled() else 'interpreted'}: {asdict(settings)}", flush=True)
    while not run.is_done:
        for _ in range(ROUNDS_PER_CHECKPOINT):
            run.train_round()
        print(run.line(), flush=True)
        run.save(checkpoint)
        stem.with_name(f"{stem.name}.bin").write_bytes(run.network.packed())


if __name__ == "__main__":
    main()
