import type { ReactElement, Ref } from "react";

import { useConsole } from "../context.ts";
import type { LiveRun } from "../hooks/useRun.ts";
import { Button } from "./Button.tsx";
import { Icon } from "./Icon.tsx";
import { isStoppable } from "./outcome.ts";

export interface BarActionsProps {
  live: LiveRun;
  pending: string | null;
  discardButton: Ref<HTMLButtonElement>;
  logOpen: boolean;
  onLog(): void;
  onStop(): void;
  onPublish(): void;
  onDiscard(): void;
  onRetry(): void;
  onPreview(): void;
  onDone: (() => void) | null;
}

/** Shows the page of the run as it is live now. */
function viewLive(page: string): void {
  if (new URL(page, location.href).pathname === location.pathname) location.reload();
  else location.assign(page);
}

/** The buttons that make sense in the run's state, the weightiest last. */
export function BarActions(props: BarActionsProps): ReactElement | null {
  const { path } = useConsole();
  const { view, run } = props.live;
  const { status } = view;
  if (status === null) return null;
  const busy = props.pending !== null;
  const ready = status === "preview_ready";
  const failed = status === "failed" || status === "interrupted";
  return (
    <div className="actions">
      {isStoppable(status) && (
        <Button disabled={busy} onClick={props.onStop}>
          {props.pending === "cancel" ? "Stopping…" : "Stop"}
        </Button>
      )}
      {ready && view.previewUrl !== null && (
        <Button onClick={props.onPreview}>
          <Icon name="eye" /> Preview
        </Button>
      )}
      {failed && (
        <Button expanded={props.logOpen} onClick={props.onLog}>
          Log
        </Button>
      )}
      {(ready || failed) && (
        <Button ref={props.discardButton} disabled={busy} onClick={props.onDiscard}>
          Discard
        </Button>
      )}
      {(failed || status === "cancelled") && (
        <Button look="primary" disabled={busy} onClick={props.onRetry}>
          Retry
        </Button>
      )}
      {ready && (
        <Button look="primary" disabled={busy} onClick={props.onPublish}>
          Publish
        </Button>
      )}
      {status === "published" && (
        <Button look="primary" onClick={() => viewLive(run?.pageUrl ?? path)}>
          View
        </Button>
      )}
      {props.onDone && ["published", "discarded", "cancelled"].includes(status) && (
        <Button look="bare" onClick={props.onDone}>
          <Icon name="cross" />
          <span className="unseen">Close this change</span>
        </Button>
      )}
    </div>
  );
}
