import "./projects.css";

import type { ReactElement, ReactNode } from "react";

import { Button } from "../../ui/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { Menu } from "../../ui/Menu.tsx";
import { Thumbnail } from "../media/Thumbnail.tsx";
import { Time } from "../time/Time.tsx";
import type { ProjectStatus, ProjectSummary } from "../../api/types.ts";
import { formatCount } from "../../ui/format.ts";
import { audienceMarks } from "./audience-labels.ts";
import { statusActions, statuses, statusLabels } from "./status-labels.ts";

export interface RowActions {
  /** The project whose status is being changed. */
  busyId: number | null;
  onStatus(project: ProjectSummary, status: ProjectStatus): void;
  onDelete(project: ProjectSummary): void;
}

const editAddress = (id: number): string => `/admin/projects/edit?id=${id}`;

function RowMenu(props: { project: ProjectSummary } & RowActions): ReactElement {
  const { project } = props;
  return (
    <Menu label={`More for ${project.name}`}>
      {(close) => (
        <>
          {statuses
            .filter((status) => status !== project.status)
            .map((status) => (
              <Button
                key={status}
                variant="bare"
                onClick={() => {
                  close();
                  props.onStatus(project, status);
                }}
              >
                {statusActions[status]}
              </Button>
            ))}
          <Button
            variant="bare"
            icon="trash"
            onClick={() => {
              close();
              props.onDelete(project);
            }}
          >
            Delete…
          </Button>
        </>
      )}
    </Menu>
  );
}

/** The status, and the audience unless it is everyone. */
function Badges({ project }: { project: ProjectSummary }): ReactElement {
  const { audience, status } = project;
  return (
    <span className="badges">
      <span className="badge" data-status={status}>
        {statusLabels[status]}
      </span>
      {audience !== "everyone" && (
        <a
          className="badge"
          href={`/admin/members?project=${project.id}`}
          aria-label={`${audienceMarks[audience]}: who sees ${project.name}`}
        >
          {audienceMarks[audience]}
        </a>
      )}
    </span>
  );
}

/** A project in the list; `grip` and `moves` are set if the order can be changed. */
export function ProjectRow(
  props: { project: ProjectSummary; grip?: ReactNode; moves?: ReactNode } & RowActions,
): ReactElement {
  const { project, grip, moves, busyId } = props;
  const facts = [project.kind, project.period, ...project.categories]
    .filter(Boolean)
    .join("\u00A0· ");
  const busy = busyId === project.id;
  return (
    <div className="project" aria-busy={busy || undefined}>
      {grip}
      <a className="project-cover" href={editAddress(project.id)} tabIndex={-1} aria-hidden="true">
        <Thumbnail media={project.cover} width={96} />
      </a>
      <div className="project-words">
        <h2>
          <a href={editAddress(project.id)}>{project.name}</a>
        </h2>
        <p className="muted project-facts">{facts === "" ? "No type or category yet" : facts}</p>
        <p className="muted project-dates">
          {formatCount(project.images, "image")} · changed <Time iso={project.updatedAt} dayOnly />
        </p>
      </div>
      <Badges project={project} />
      <div className="actions">
        {project.status === "published" && (
          <a
            className="button"
            href={`/projects/${project.slug}/`}
            aria-label={`View ${project.name}`}
          >
            <Icon name="external" />
            View
          </a>
        )}
        {moves}
        <a className="button" href={editAddress(project.id)} aria-label={`Edit ${project.name}`}>
          <Icon name="edit" />
          Edit
        </a>
        <RowMenu {...props} />
      </div>
    </div>
  );
}
