"""DBOS without flowc: workflows of ten steps, each one small transaction in the workspace's database.

Its queue, its threads and its settings are those of `runtime.worker`, so that what differs is what flowc does.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import sqlalchemy as sa

from evals.executions.shapes import NODES
from store.database import Database
from store.workspace import Workspace

STEPS = sa.Table("steps_done", sa.MetaData(), sa.Column("id", sa.Integer, primary_key=True), sa.Column("name", sa.Text))
QUEUE, THREADS = "steps", 4


def prepared(workspace: Workspace) -> None:
    """Make the table that the steps write."""
    with workspace.database.transaction() as connection:
        STEPS.metadata.create_all(connection)


def done(workspace: Workspace) -> int:
    """The steps that were done."""
    with workspace.database.transaction() as connection:
        return int(connection.execute(sa.select(sa.func.count()).select_from(STEPS)).scalar_one())


@contextmanager
def working(workspace: Workspace, count: int) -> Iterator[None]:
    """Hand over so many workflows, and work on them as long as this lasts."""
    from dbos import DBOS, DBOSConfig, DBOSPortableJSONSerializer, SetWorkflowID

    database = Database(workspace.url)
    config: DBOSConfig = {
        "name": "flowc-steps",
        "system_database_url": workspace.engine_url,
        "executor_id": f"{os.getpid()}",
        "application_version": "1",
        "log_level": "ERROR",
        "serializer": DBOSPortableJSONSerializer(),
    }
    DBOS(config=config)

    @DBOS.step(name="small")
    def small(name: str) -> str:
        with database.transaction() as connection:
            connection.execute(STEPS.insert().values(name=name))
        return name

    @DBOS.workflow(name="ten_steps")
    def ten_steps(name: str) -> None:
        for number in range(NODES):
            small(f"{name}:{number}")

    if database.is_sqlite:
        with sa.create_engine(workspace.engine_url).connect() as connection:
            connection.exec_driver_sql("PRAGMA journal_mode=WAL")
    DBOS.launch()
    DBOS.register_queue(QUEUE, worker_concurrency=THREADS, polling_interval_sec=0.05, on_conflict="always_update")

    def hand_over() -> None:
        for number in range(count):
            name = f"{os.getpid()}-{number}-{uuid4().hex[:8]}"
            with SetWorkflowID(name):
                DBOS.enqueue_workflow(QUEUE, ten_steps, name)

    handing = threading.Thread(target=hand_over)
    handing.start()
    yield
    handing.join()
    DBOS.destroy(workflow_completion_timeout_sec=5)
    database.close()
