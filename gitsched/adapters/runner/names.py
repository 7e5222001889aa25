"""Names that a run's starter, its worker and its readers share."""

from gitsched.domain.ids import run_id
from gitsched.domain.runs import RunOrder

ORDER_FILE = "order.json"
PROMPT_FILE = "prompt"
LOG_FILE = "log"
STOP_FILE = "stop"
"""Its presence tells a worker that an end by signal was asked for."""
WORKER_OUTPUT = "worker.log"
RUN_VARIABLE = "GITSCHED_RUN"
LOG_FROM = "log_from"
"""Extra field of a run record: where its own part of a shared log begins."""


def mark_of(order: RunOrder) -> str:
    """Give the value of `GITSCHED_RUN`: the run, and its token, so that no other clone's run is meant."""
    return f"{run_id(order.batch, order.name, order.gen)}/{order.token}"
