import { type ReactElement, useState } from "react";

import { asApiError } from "../../api/client.ts";
import { namedSentences } from "../../api/field-errors.ts";
import type { ProjectList, ProjectSort, ProjectSummary } from "../../api/types.ts";
import { EmptyState } from "../../ui/EmptyState.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { PageHeader } from "../../ui/PageHeader.tsx";
import { type Address, useAddress, useSearchText } from "../../ui/search-params.ts";
import { SearchField } from "../../ui/SearchField.tsx";
import { SegmentedControl } from "../../ui/SegmentedControl.tsx";
import { Select } from "../../ui/Select.tsx";
import { DeleteDialog } from "../forms/DeleteDialog.tsx";
import { ErrorState } from "../errors/ErrorState.tsx";
import { PagedList } from "../queries/PagedList.tsx";
import { fieldLabels } from "./editor/form.ts";
import { ProjectOrder } from "./ProjectOrder.tsx";
import { ProjectRow, type RowActions } from "./ProjectRow.tsx";
import { statuses, statusLabels } from "./status-labels.ts";
import {
  type ProjectsView,
  perPage,
  useProjectChanges,
  useProjectFilters,
  useProjectList,
  useReorder,
  viewOf,
} from "./useProjects.ts";

const sortLabels: readonly { value: ProjectSort; label: string }[] = [
  { value: "position", label: "Order on the site" },
  { value: "updated", label: "Recently changed" },
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
      <SegmentedControl
        legend="Status"
        value={view.status ?? ""}
        options={[
          { value: "", label: "All", count: all },
          ...statuses.map((status) => ({
            value: status,
            label: statusLabels[status],
            count: counts?.[status],
          })),
        ]}
        onChange={(status) => address.change({ status, page: null })}
      />
      <Select
        label="Category"
        visuallyHiddenLabel
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
        label="Sort by"
        visuallyHiddenLabel
        value={view.sort}
        options={sortLabels}
        onChange={(sort) => address.change({ sort: sort === "position" ? null : sort, page: null })}
      />
    </div>
  );
}

interface ListProps extends RowActions {
  list: ProjectList;
  view: ProjectsView;
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
          what="Couldn’t change the order."
          note="The order is unchanged."
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

function PlainList(props: ListProps): ReactElement {
  return (
    <ul className="projects" aria-label="Projects">
      {props.list.items.map((project) => (
        <li key={project.id} className="project-item">
          <ProjectRow {...props} project={project} />
        </li>
      ))}
    </ul>
  );
}

function StatusRefused(props: { project: ProjectSummary; error: unknown }): ReactElement {
  const { project } = props;
  const { message, fields } = asApiError(props.error);
  return (
    <Notice
      kind="error"
      title={`${project.name} is unchanged.`}
      actions={
        <a className="button" href={`/admin/projects/edit?id=${project.id}`}>
          Open it
        </a>
      }
    >
      {[message, ...namedSentences(fields, fieldLabels)].join(" ")}
    </Notice>
  );
}

function DeleteProject(props: { project: ProjectSummary; onClose(): void }): ReactElement {
  const { project, onClose } = props;
  const { remove } = useProjectChanges();
  return (
    <DeleteDialog item={project} name={project.name} remove={remove} onClose={onClose}>
      <p>
        Its text is deleted permanently
        {project.status === "published" && ", and its page is removed from the site"}. Its images
        stay in Media.
      </p>
    </DeleteDialog>
  );
}

const importLink = (
  <a className="button" href="/admin/import">
    <Icon name="upload" />
    Import
  </a>
);

/** The page of all projects. */
export function ProjectsPage(): ReactElement {
  const address = useAddress();
  const view = viewOf(address);
  const projects = useProjectList(view);
  const { setStatus } = useProjectChanges();
  const [projectToDelete, setProjectToDelete] = useState<ProjectSummary | null>(null);
  const rowActions: RowActions = {
    busyId: setStatus.isPending ? setStatus.variables.project.id : null,
    onStatus: (project, status) => setStatus.mutate({ project, status }),
    onDelete: setProjectToDelete,
  };
  return (
    <div className="page">
      <PageHeader title="Projects">
        {importLink}
        {newProject}
      </PageHeader>
      <Filters address={address} view={view} />
      {setStatus.isError && (
        <StatusRefused project={setStatus.variables.project} error={setStatus.error} />
      )}
      <PagedList
        query={projects}
        address={address}
        view={view}
        perPage={perPage}
        noun="projects"
        skeleton={{ count: 6, shape: "row" }}
        filters={["q", "status", "category"]}
        empty={
          <EmptyState action={newProject}>
            No projects yet. Each project becomes a case study on your site.
          </EmptyState>
        }
      >
        {(list) => {
          const List = view.ordered && !projects.isPlaceholderData ? OrderedList : PlainList;
          return <List {...rowActions} list={list} view={view} />;
        }}
      </PagedList>
      {projectToDelete && (
        <DeleteProject project={projectToDelete} onClose={() => setProjectToDelete(null)} />
      )}
    </div>
  );
}
