import { type ReactElement, useEffect, useState } from "react";

import { type Address, useAddress, useSearchText } from "../address.ts";
import { asClientError } from "../client.ts";
import { Button } from "../components/Button.tsx";
import { ConfirmDialog } from "../components/ConfirmDialog.tsx";
import { EmptyState } from "../components/EmptyState.tsx";
import { ErrorState } from "../components/ErrorState.tsx";
import { Icon } from "../components/Icon.tsx";
import { Notice } from "../components/Notice.tsx";
import { focusHeading } from "../components/focus.ts";
import { Pagination } from "../components/Pagination.tsx";
import { SearchField } from "../components/SearchField.tsx";
import { Segments } from "../components/Segments.tsx";
import { Select } from "../components/Select.tsx";
import { Skeleton } from "../components/Skeleton.tsx";
import type { ProjectList, ProjectSort, ProjectSummary } from "../types.ts";
import { ProjectOrder } from "./ProjectOrder.tsx";
import { ProjectRow, type RowActions } from "./ProjectRow.tsx";
import { statuses, statusWords } from "./status.ts";
import {
  type ProjectsView,
  perPage,
  useProjectChanges,
  useProjectFilters,
  useProjectList,
  useReorder,
  viewOf,
} from "./useProjects.ts";

const sortWords: readonly { value: ProjectSort; label: string }[] = [
  { value: "position", label: "Order on the site" },
  { value: "updated", label: "Changed last" },
  { value: "name", label: "Name" },
];

const newProject = (
  <a className="button primary" href="/admin/projects/new">
    <Icon name="add" />
    New project
  </a>
);

function Filters(props: { address: Address; view: ProjectsView }): ReactElement {
  const { address, view } = props;
  const filters = useProjectFilters();
  const search = useSearchText(address);
  const counts = filters.data?.statuses;
  const all = counts && counts.draft + counts.published + counts.archived;
  const categories = filters.data?.categories ?? [];
  const known = categories.some(({ name }) => name === view.category);
  return (
    <div className="filters">
      <SearchField label="Search projects" search={search} />
      <Segments
        legend="State"
        value={view.status ?? "all"}
        options={[
          { value: "all", label: "All", count: all },
          ...statuses.map((status) => ({
            value: status,
            label: statusWords[status],
            count: counts?.[status],
          })),
        ]}
        onChange={(status) =>
          address.change({ status: status === "all" ? null : status, page: null })
        }
      />
      <Select
        label="Category"
        unseenLabel
        value={view.category}
        options={[
          { value: "", label: "Every category" },
          ...(view.category === "" || known
            ? []
            : [{ value: view.category, label: view.category }]),
          ...categories.map(({ name, count }) => ({ value: name, label: `${name} (${count})` })),
        ]}
        onChange={(category) => address.change({ category, page: null })}
      />
      <Select
        label="Sorted by"
        unseenLabel
        value={view.sort}
        options={sortWords}
        onChange={(sort) => address.change({ sort: sort === "position" ? null : sort, page: null })}
      />
    </div>
  );
}

interface ListProps extends RowActions {
  list: ProjectList;
  view: ProjectsView;
  stale: boolean;
}

function OrderedList(props: ListProps): ReactElement {
  const { list, view } = props;
  const reorder = useReorder(view, list.items);
  const ids = list.items.map(({ id }) => id);
  const before = (view.page - 1) * perPage;
  return (
    <>
      {reorder.isError && (
        <ErrorState
          what="The order could not be changed."
          kept="The list is as it was."
          error={reorder.error}
          onRetry={() => reorder.mutate(reorder.variables)}
        />
      )}
      <ProjectOrder
        {...props}
        items={list.items}
        before={before}
        after={Math.max(0, list.total - before - list.items.length)}
        onMove={(move) => reorder.mutate({ ...move, ids })}
      />
    </>
  );
}

function Results(props: ListProps): ReactElement {
  const { list, view, stale } = props;
  return (
    <div className="results" data-stale={stale} aria-busy={stale}>
      {view.ordered ? (
        <OrderedList {...props} />
      ) : (
        <ul className="projects" aria-label="Projects">
          {list.items.map((project) => (
            <li key={project.id} className="project-item">
              <ProjectRow {...props} project={project} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Nothing(props: { address: Address; view: ProjectsView }): ReactElement {
  if (!props.view.filtered) {
    return (
      <EmptyState action={newProject}>
        There is no project yet. The first one becomes a case study of the site.
      </EmptyState>
    );
  }
  const clear = (): void =>
    props.address.change({ q: null, status: null, category: null, page: null });
  return (
    <EmptyState action={<Button onClick={clear}>Show all projects</Button>}>
      No project is like that.
    </EmptyState>
  );
}

/** The page of all projects. */
export function ProjectsPage(): ReactElement {
  const address = useAddress();
  const view = viewOf(address);
  const projects = useProjectList(view);
  const { setStatus, remove } = useProjectChanges();
  const [asked, setAsked] = useState<ProjectSummary | null>(null);
  const { data } = projects;
  const last = data ? Math.max(1, Math.ceil(data.total / perPage)) : view.page;
  const { change } = address;
  useEffect(() => {
    // The last one of a page has gone: the page before it is the last one now.
    if (view.page > last) change({ page: last === 1 ? null : last }, "replace");
  }, [view.page, last, change]);

  return (
    <div className="page">
      <div className="page-head">
        <h1>Projects</h1>
        {newProject}
      </div>
      <Filters address={address} view={view} />
      <p className="unseen" role="status">
        {data && !projects.isPlaceholderData && view.filtered && `${data.total} found`}
      </p>
      {setStatus.isError && (
        <Notice
          kind="error"
          title={`${setStatus.variables.project.name} stays as it was.`}
          actions={
            <a
              className="button"
              href={`/admin/projects/edit?id=${setStatus.variables.project.id}`}
            >
              Open it
            </a>
          }
        >
          {[
            asClientError(setStatus.error).message,
            ...Object.values(asClientError(setStatus.error).fields),
          ].join(" ")}
        </Notice>
      )}
      {projects.isError && (
        <ErrorState
          what="The projects can’t be shown."
          error={projects.error}
          busy={projects.isFetching}
          onRetry={() => void projects.refetch()}
        />
      )}
      {projects.isPending && <Skeleton count={6} shape="row" label="The projects are loading…" />}
      {data?.total === 0 && <Nothing address={address} view={view} />}
      {data && data.items.length > 0 && (
        <Results
          list={data}
          view={view}
          stale={projects.isPlaceholderData}
          busyId={setStatus.isPending ? setStatus.variables.project.id : null}
          onStatus={(project, status) => setStatus.mutate({ project, status })}
          onDelete={(project) => {
            remove.reset();
            setAsked(project);
          }}
        />
      )}
      {data && (
        <Pagination
          noun="projects"
          page={view.page}
          perPage={perPage}
          total={data.total}
          onPage={(page) => {
            address.change({ page: page === 1 ? null : page });
            scrollTo({ top: 0 });
          }}
        />
      )}
      {asked && (
        <ConfirmDialog
          danger
          question={`Delete “${asked.name}”?`}
          yes="Delete"
          busy={remove.isPending}
          error={remove.isError ? asClientError(remove.error).message : null}
          onNo={() => setAsked(null)}
          onYes={() =>
            remove.mutate(asked, {
              onSuccess: () => {
                setAsked(null);
                focusHeading();
              },
            })
          }
        >
          <p>
            Its texts are gone for good
            {asked.status === "published" && ", and its page leaves the site"}. Its pictures stay in
            Media.
          </p>
        </ConfirmDialog>
      )}
    </div>
  );
}
