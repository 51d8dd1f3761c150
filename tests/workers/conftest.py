"""Settings for tests of the workers."""

from pathlib import Path

import pytest

from workers.settings import Settings


@pytest.fixture
def settings(redis_url: str, tmp_path: Path) -> Settings:
    """Give settings that lead to the tests' own server."""
    return Settings(data=tmp_path, redis_url=redis_url)
