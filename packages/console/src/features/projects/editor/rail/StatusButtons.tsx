import type { ReactElement } from "react";

import type { ProjectStatus } from "../../../../../../server/src/features/projects/schema.ts";
import { Button } from "../../../../ui/Button.tsx";
import { Icon } from "../../../../ui/Icon.tsx";
import { statusActions, statusLabels } from "../../status-labels.ts";

/** The project's status and buttons to change it. */
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
        Status: <b className={`status ${status}`}>{statusLabels[status]}</b>
      </p>
      <div className="actions">
        {status === "published" && (
          <a className="button" href={`/projects/${props.slug}/`} target="_blank" rel="noopener">
            <Icon name="external" />
            View live
          </a>
        )}
        {status !== "published" && (
          <Button busy={busy} disabled={disabled} onClick={props.onPublish}>
            {props.unsaved ? "Save and publish" : statusActions.published}
          </Button>
        )}
        {status !== "draft" && (
          <Button busy={busy} disabled={disabled} onClick={() => props.onStatus("draft")}>
            {statusActions.draft}
          </Button>
        )}
        {status !== "archived" && (
          <Button busy={busy} disabled={disabled} onClick={() => props.onStatus("archived")}>
            {statusActions.archived}
          </Button>
        )}
      </div>
    </div>
  );
}
