import type { ReactElement } from "react";

import { Time } from "../time/Time.tsx";
import { buildLabels } from "./labels.ts";
import type { MemberProject } from "./useMembers.ts";

/** The state of a project's private build, and why it failed. */
export function BuildState({ project }: { project: MemberProject }): ReactElement {
  const { status: state, builtAt, error } = project.build;
  return (
    <div className="build-state">
      <p>
        <span className="badge" data-build={state}>
          {buildLabels[state]}
        </span>{" "}
        {state === "none" && <span className="muted">No one can see it until it’s published.</span>}
        {state === "ready" && builtAt !== null && (
          <span className="muted">
            as of <Time iso={builtAt} />
          </span>
        )}
        {state === "pending" && (
          <span className="muted">
            {builtAt === null
              ? "Visible in a moment."
              : "Until then, people see the previous version."}
          </span>
        )}
      </p>
      {error !== null && (
        <p className="field-error">
          {error}{" "}
          {builtAt === null ? "No one can see it yet." : "People still see the previous version."}
        </p>
      )}
    </div>
  );
}
