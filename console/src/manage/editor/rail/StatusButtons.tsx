import type { ReactElement } from "react";

import type { ProjectStatus } from "../../../../../src/features/projects/schema.ts";
import { Button } from "../../components/Button.tsx";
import { Icon } from "../../components/Icon.tsx";

const statusWords: Readonly<Record<ProjectStatus, string>> = {
  draft: "Draft",
  published: "Published",
  archived: "Archived",
};

/** The project's state and the ways to another one. */
export function StatusButtons(props: {
  status: ProjectStatus;
  slug: string;
  unsaved: boolean;
  busy: boolean;
  /** While a conflict waits for a decision. */
  disabled: boolean;
  onPublish(): void;
  onStatus(status: ProjectStatus): void;
}): ReactElement {
  const { status, busy, disabled } = props;
  return (
    <div className="rail-part">
      <p>
        Status: <b className={`status ${status}`}>{statusWords[status]}</b>
      </p>
      <div className="actions">
        {status !== "published" && (
          <Button busy={busy} disabled={disabled} onClick={props.onPublish}>
            {props.unsaved ? "Save and publish" : "Publish"}
          </Button>
        )}
        {status !== "draft" && (
          <Button busy={busy} disabled={disabled} onClick={() => props.onStatus("draft")}>
            Back to draft
          </Button>
        )}
        {status !== "archived" && (
          <Button busy={busy} disabled={disabled} onClick={() => props.onStatus("archived")}>
            Archive
          </Button>
        )}
        {status === "published" && (
          <a className="button" href={`/projects/${props.slug}/`} target="_blank" rel="noopener">
            <Icon name="external" />
            View live
          </a>
        )}
      </div>
    </div>
  );
}
