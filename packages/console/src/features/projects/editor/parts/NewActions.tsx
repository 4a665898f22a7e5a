import type { ReactElement } from "react";

import { Button } from "../../../../ui/Button.tsx";
import { formatCount } from "../../../../ui/format.ts";
import { ErrorState } from "../../../errors/ErrorState.tsx";
import { BuildProgress } from "../design/BuildProgress.tsx";
import type { Build } from "../design/useBuild.ts";
import type { Create } from "../useCreate.ts";
import type { PendingAction } from "../useNewProject.ts";

export interface NewActionsProps {
  create: Create;
  build: Build;
  waiting: PendingAction | null;
  uploading: number;
  onStart(action: PendingAction): void;
  onStop(): void;
}

/** The actions for a new project and their state; when one replaces another, it keeps the focus. */
export function NewActions(props: NewActionsProps): ReactElement {
  const { build } = props;
  return (
    <div>
      {build.phase === "working" ? <BuildProgress build={build} /> : <CreateActions {...props} />}
    </div>
  );
}

function CreateActions(props: NewActionsProps): ReactElement {
  const { create, build, waiting, onStart } = props;
  const then = waiting === "build" ? "the page is built" : "it is saved";
  return (
    <section className="new-actions" aria-label="Save">
      {create.error && (
        <ErrorState
          what="Couldn’t save the project."
          error={create.error}
          note="Nothing on this page is lost."
          onRetry={() => onStart("save")}
        />
      )}
      {build.error && (
        <ErrorState
          what="Couldn’t build the page."
          error={build.error}
          note="Nothing on this page is lost."
          onRetry={() => onStart("build")}
        />
      )}
      <p role="status">
        {waiting && `Waiting for ${formatCount(props.uploading, "upload")}, then ${then}.`}
      </p>
      <div className="actions">
        <Button
          variant="primary"
          busy={waiting === "build"}
          describedBy="designer-hint"
          onClick={() => onStart("build")}
        >
          Build with Web Designer
        </Button>
        <Button busy={create.busy || waiting === "save"} onClick={() => onStart("save")}>
          Save as draft
        </Button>
        {waiting && (
          <Button onClick={props.onStop}>
            {waiting === "build" ? "Don’t build yet" : "Don’t save yet"}
          </Button>
        )}
      </div>
      <p id="designer-hint" className="hint">
        The Web Designer turns your words and images into a whole page. Nothing is saved until you
        create the project.
      </p>
      <p className="hint">
        In a hurry? <a href="/admin/tasks?new=case-study">Queue a case study</a> from a brief and
        images.
      </p>
    </section>
  );
}
