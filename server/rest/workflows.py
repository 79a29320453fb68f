"""Workflows that can be begun: listed, told by what they take and give, found for a task, foreseen."""

from agents.forms import ForeseenRun, FoundWorkflow
from agents.schemas import answer_schema, inputs_schema
from registry.forms import Version
from registry.versions import findable
from server.access import Shown
from server.proving import proving
from server.rest.call import Doing, Looking, WorkflowName, operations
from server.rest.forms import (
    FoundWorkflows,
    PublishedAs,
    RunForeseen,
    WorkflowAbout,
    WorkflowGuard,
    WorkflowQuestion,
    WorkflowSummary,
)
from server.rest.paging import Cursor, Limit, Page, cursor_of, place_of
from server.site import Site
from store.users import AGENT, User

router = operations("workflows", (404, 409))


@router.get("/workflows")
def list_workflows(
    site: Shown, user: Looking, limit: Limit = 50, cursor: Cursor = None
) -> Page[WorkflowSummary]:  # fmt: skip
    """Workflows that the caller reaches and that can be begun here, by id."""
    after = place_of(cursor)
    with site.workspace.database.transaction() as connection:
        known = [one for one in findable(connection) if site.host.agency.permits(user, one.workflow_id)]
    left = [one for one in known if (after is None or one.workflow_id > after[0]) and site.host.can_run(one)]
    more = cursor_of((left[limit - 1].workflow_id, "")) if len(left) > limit else None
    return Page(items=tuple(_summary(one) for one in left[:limit]), next_page=more)


@router.get("/workflows/{workflow}")
def see_workflow(site: Shown, user: Looking, acts: Doing, workflow: WorkflowName) -> WorkflowAbout:
    """What a version is for, takes and gives; without a number the last that is published."""
    return _about(site, user, acts.version(workflow))


@router.post("/workflows/search")
def find_workflow(user: Looking, acts: Doing, asked: WorkflowQuestion) -> FoundWorkflows:
    """The workflows that a task may be for, ranked, with reasons."""
    found = acts.find(asked.task, asked.limit).found
    kept = FoundWorkflow.model_fields.keys()
    return FoundWorkflows(found=tuple(FoundWorkflow(**{name: getattr(one, name) for name in kept}) for one in found))


@router.post("/workflows/{workflow}/dry-run")
def dry_run(user: Looking, acts: Doing, workflow: WorkflowName, asked: RunForeseen) -> ForeseenRun:
    """What a run would come to: how it may end, whom it may ask, what is missing. Nothing is called or written."""
    with proving():
        return acts.foresee(workflow, asked.inputs)


def _summary(version: Version) -> WorkflowSummary:
    workflow = version.definition
    about, policy = workflow.metadata, workflow.execution_policy
    return WorkflowSummary(
        workflow=version.workflow_id,
        version=version.name,
        title=about.title or version.workflow_id,
        description=about.description,
        when=tuple(dict.fromkeys(one.text for one in workflow.triggers if one.text)),
        risk_level=policy.risk_level,
        begins_by_itself=policy.allow_auto,
        owner=about.owner,
        tags=about.tags,
    )


def _about(site: Site, user: User, version: Version) -> WorkflowAbout:
    schema = answer_schema(site.host, version, user)
    published = PublishedAs(state=version.state, digest=version.digest, history=version.history)
    return WorkflowAbout(
        **dict(_summary(version)),
        guards=tuple(
            WorkflowGuard(
                code=one.error_code, message=one.message, words=tuple(word.quote for word in one.evidence)
            )
            for one in version.definition.guards
        ),
        inputs=inputs_schema(version),
        outputs=schema["properties"]["outputs"],
        published=None if AGENT in user.roles else published,
    )  # fmt: skip
