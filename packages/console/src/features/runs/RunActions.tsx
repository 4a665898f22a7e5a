import type { ReactElement } from "react";

import { usePagePath } from "../../api/context.tsx";
import { Button } from "../../ui/Button.tsx";
import { isStoppable } from "./outcome.ts";
import type { LiveRun } from "./useRun.ts";

export interface RunActionsProps {
  live: LiveRun;
  pending: string | null;
  /** Whether others have changed the same lines: it is then applied again instead of published. */
  conflict: boolean;
  logOpen: boolean;
  onLog(): void;
  onStop(): void;
  onPublish(): void;
  onReapply(): void;
  onDiscard(): void;
  onRetry(fresh: boolean): void;
  onUndo(): void;
  /** Whether the preview has been viewed: Publish is then the primary action. */
  isLookedAt: boolean;
  onPreview(): void;
  onDone: (() => void) | null;
}

/** Shows the run's page on the live site. */
function viewLive(page: string): void {
  if (new URL(page, location.href).pathname === location.pathname) location.reload();
  else location.assign(page);
}

/** The buttons for the run's state, most important last. */
export function RunActions(props: RunActionsProps): ReactElement | null {
  const { status } = props.live.view;
  if (status === null) return null;
  const stopping = props.pending === "cancel";
  if (stopping || isStoppable(status)) {
    return (
      <div className="actions">
        <Button disabled={props.pending !== null} onClick={props.onStop}>
          {stopping ? "Stopping…" : "Stop"}
        </Button>
      </div>
    );
  }
  return (
    <div className="actions">
      {status === "preview_ready" && <ReadyActions {...props} />}
      {(status === "failed" || status === "interrupted") && <FailedActions {...props} />}
      {status === "cancelled" && <RetryButton {...props} />}
      {status === "published" && (
        <Button disabled={props.pending !== null} onClick={props.onUndo}>
          Undo
        </Button>
      )}
      {status === "published" && <ViewButton live={props.live} />}
      {props.onDone && ["published", "discarded", "cancelled"].includes(status) && (
        <Button variant="bare" icon="cross" label="Close this change" onClick={props.onDone} />
      )}
    </div>
  );
}

function ReadyActions(props: RunActionsProps): ReactElement {
  const busy = props.pending !== null;
  const hasPreview = props.live.view.previewUrl !== null;
  const look = hasPreview && !props.isLookedAt ? ({ variant: "primary" } as const) : {};
  const publish = hasPreview && !props.isLookedAt ? {} : ({ variant: "primary" } as const);
  return (
    <>
      {hasPreview && (
        <Button {...look} icon="eye" mark="to-preview" onClick={props.onPreview}>
          Preview
        </Button>
      )}
      <DiscardButton {...props} />
      {props.conflict ? (
        <Button variant="primary" disabled={busy} onClick={props.onReapply}>
          Apply again to the new version
        </Button>
      ) : (
        <Button {...publish} disabled={busy} onClick={props.onPublish}>
          Publish
        </Button>
      )}
    </>
  );
}

function DiscardButton(props: RunActionsProps): ReactElement {
  return (
    <Button disabled={props.pending !== null} onClick={props.onDiscard}>
      Discard
    </Button>
  );
}

/** A run that has stopped: its work can be continued, or it starts again. */
function FailedActions(props: RunActionsProps): ReactElement {
  const busy = props.pending !== null;
  const goesOn = props.live.run?.canContinue === true;
  return (
    <>
      <Button expanded={props.logOpen} onClick={props.onLog}>
        Log
      </Button>
      <DiscardButton {...props} />
      {goesOn && (
        <Button disabled={busy} onClick={() => props.onRetry(true)}>
          Start over
        </Button>
      )}
      {goesOn ? (
        <Button variant="primary" disabled={busy} onClick={() => props.onRetry(false)}>
          Continue
        </Button>
      ) : (
        <RetryButton {...props} />
      )}
    </>
  );
}

function RetryButton(props: RunActionsProps): ReactElement {
  const busy = props.pending !== null;
  return (
    <Button variant="primary" disabled={busy} onClick={() => props.onRetry(true)}>
      Retry
    </Button>
  );
}

function ViewButton({ live }: { live: LiveRun }): ReactElement {
  const path = usePagePath();
  return (
    <Button variant="primary" onClick={() => viewLive(live.run?.pageUrl ?? path)}>
      View
    </Button>
  );
}
