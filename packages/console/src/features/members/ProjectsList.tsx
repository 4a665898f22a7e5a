import type { ReactElement } from "react";

import { EmptyState } from "../../ui/EmptyState.tsx";
import { formatCount } from "../../ui/format.ts";
import { QueryBody } from "../queries/QueryBody.tsx";
import { BuildState } from "./BuildState.tsx";
import { audienceLabels } from "./labels.ts";
import { type MemberProject, useMemberProjects } from "./useMembers.ts";

function ProjectItem({ project }: { project: MemberProject }): ReactElement {
  const { id, name, audience, invited, opened } = project;
  const here = `/admin/members?project=${id}`;
  const what = audience === "invited" ? "Invite" : "Who opened it";
  return (
    <li className="entry" data-project={id}>
      <div className="entry-words">
        <h2>
          <a href={here}>{name}</a>
        </h2>
        <p className="muted">
          {audienceLabels[audience]}
          {audience === "invited" &&
            (invited === 0
              ? " · no one invited yet"
              : ` · ${formatCount(invited, "person", "people")} invited`)}
          {opened === 0
            ? " · not opened yet"
            : ` · opened by ${formatCount(opened, "person", "people")}`}
        </p>
        <BuildState project={project} />
      </div>
      <div className="actions">
        <a className="button" href={here} aria-label={`${what}: ${name}`}>
          {what}
        </a>
      </div>
    </li>
  );
}

/** The projects for members or invited people. */
export function ProjectsList(): ReactElement {
  return (
    <QueryBody
      query={useMemberProjects()}
      what="the projects"
      skeleton={{ count: 3, shape: "row", label: "Loading projects…" }}
    >
      {({ projects }) =>
        projects.length === 0 ? (
          <EmptyState
            action={
              <a className="button" href="/admin/projects">
                Open the projects
              </a>
            }
          >
            No project is limited to members or invited people. To limit one, open it and change
            “Who can see it”.
          </EmptyState>
        ) : (
          <ul className="entries" aria-label="Projects with limited access">
            {projects.map((project) => (
              <ProjectItem key={project.id} project={project} />
            ))}
          </ul>
        )
      }
    </QueryBody>
  );
}
