"""The back-end `command`: workers that the driver never sees."""

from gitsched.domain.words import BatchStatus
from tests.fleet.away import AwayWorld


def test_a_batch_is_worked_elsewhere(away: AwayWorld) -> None:
    """Members are worked in repositories apart, and land as any others."""
    away.issues(1, 2, 3)
    away.agents(1, 2, 3)
    away.enqueue(1, 2, 3)
    away.run()
    away.expect_landed(1, 2, 3)
    assert away.batch().status is BatchStatus.DONE
    assert sorted(away.started()) == ["1 0", "2 0", "3 0"]
    assert away.paths("refs/gitsched-remote/heads/main") >= {"file1.txt", "file2.txt", "file3.txt"}
