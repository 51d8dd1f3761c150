"""Write the golden files again: ``python -m tests.engines.golden``; then read the difference."""

from tests.engines.golden.transcripts import HERE, written

for name, text in written().items():
    changed = not (HERE / name).exists() or (HERE / name).read_text(encoding="utf-8") != text
    (HERE / name).write_text(text, encoding="utf-8")
    print(f"{name}: {'written' if changed else 'as it was'}")  # noqa: T201  # that is how a command answers
