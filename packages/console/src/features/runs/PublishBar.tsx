import { type ReactElement, useRef, useState } from "react";

import { ApiError } from "../../api/client.ts";
import { type Action, useAction } from "../../api/useAction.ts";
import { ConfirmDiscard } from "./ConfirmDiscard.tsx";
import { ConfirmPrivate, privateTextOf } from "./ConfirmPrivate.tsx";
import { ConflictNotice, isConflict } from "./ConflictNotice.tsx";
import { FailureLog } from "./FailureLog.tsx";
import type { Diffs } from "./LogItem.tsx";
import { RecordConflicts } from "./RecordConflicts.tsx";
import { RunActions } from "./RunActions.tsx";
import { RunDetails } from "./RunDetails.tsx";
import { useRunsApi } from "./runs-api.ts";
import type { LiveRun } from "./useRun.ts";

export interface PublishBarProps {
  runId: string;
  live: LiveRun;
  diffs: Diffs;
  onRun(runId: string): void;
  onPreview(): void;
  /** Leads away from a run that is over; null where there is nowhere to go. */
  onDone: (() => void) | null;
}

/** What the bar can ask the server to do with the run. */
function useBar({ runId, live, onRun }: PublishBarProps, action: Action) {
  const api = useRunsApi();
  const change = (name: "discard" | "cancel"): void =>
    action.perform(name, async () => live.update(await api[name](runId)));
  return {
    stop: () => change("cancel"),
    publish: (confirmPrivate?: string) =>
      action.perform("publish", async () => live.update(await api.publish(runId, confirmPrivate))),
    discard: () => change("discard"),
    retry: (fresh: boolean) =>
      action.perform("retry", async () => onRun(await api.retry(runId, fresh))),
    reload: () => action.perform("reload", async () => live.update(await api.getRun(runId))),
    reapply: () => action.perform("reapply", async () => onRun(await api.reapply(runId))),
  };
}

/** Why the run is not live though it could be: what was just answered, or what its events tell. */
function refusalOf({ view }: LiveRun, action: Action): ApiError | null {
  const known =
    view.status === "preview_ready" && action.pending === null && view.conflict.length > 0;
  return (
    action.error ?? (known ? new ApiError("conflict", "", 409, { details: view.conflict }) : null)
  );
}

/** The private text that a publish was refused for, until the owner decides to keep it private. */
function usePrivateText({ view }: LiveRun, action: Action, bar: ReturnType<typeof useBar>) {
  const [kept, setKept] = useState(false);
  const privateText = kept ? null : privateTextOf(action.error, view);
  return {
    privateText,
    of: (busy: boolean): ReactElement | null =>
      privateText && (
        <ConfirmPrivate
          refusal={privateText}
          busy={busy}
          onPublish={() => bar.publish(privateText.fingerprint)}
          onKeep={() => setKept(true)}
        />
      ),
    /** Publishes; what it is refused for is asked about, again where it was kept private before. */
    publish() {
      setKept(false);
      bar.publish();
    },
  };
}

/** The fields of records that somebody else has changed since the run read them. */
function RunConflicts(
  props: Pick<PublishBarProps, "runId" | "live"> & { onResolved(): void },
): ReactElement {
  const { runId, live, onResolved } = props;
  const { status, files, items } = live.view;
  return (
    <RecordConflicts
      runId={runId}
      isReady={status === "preview_ready"}
      files={files}
      // A refused publish adds an entry to the log.
      stamp={items.length}
      onResolved={onResolved}
    />
  );
}

/** What the run waits for: its state in words, and what the owner can do about it. */
export function PublishBar(props: PublishBarProps): ReactElement | null {
  const { live } = props;
  const action = useAction();
  const bar = useBar(props, action);
  const [asking, setAsking] = useState(false);
  const [logOpen, setLogOpen] = useState(false);
  const questions = usePrivateText(live, action, bar);
  const discardButton = useRef<HTMLButtonElement>(null);
  const { view } = live;
  if (view.status === null) return null;
  const refusal = questions.privateText === null ? refusalOf(live, action) : null;

  function discard(): void {
    setAsking(false);
    bar.discard();
  }
  function keep(): void {
    setAsking(false);
    requestAnimationFrame(() => discardButton.current?.focus());
  }
  const busy = action.pending !== null;
  const question = asking ? (
    <ConfirmDiscard files={view.files} busy={busy} onDiscard={discard} onKeep={keep} />
  ) : (
    questions.of(busy)
  );
  const failed = view.status === "failed" || view.status === "interrupted";
  return (
    <div className="bar" role="group" aria-label="What comes of it" tabIndex={-1}>
      {refusal && <ConflictNotice error={refusal} ready={view.status === "preview_ready"} />}
      <RunConflicts runId={props.runId} live={live} onResolved={bar.reload} />
      {question ?? (
        <>
          <RunDetails
            live={live}
            pending={action.pending}
            refused={refusal !== null}
            diffs={props.diffs}
          />
          <RunActions
            live={live}
            pending={action.pending}
            conflict={isConflict(action.error) || view.conflict.length > 0}
            discardButton={discardButton}
            logOpen={logOpen}
            onLog={() => setLogOpen(!logOpen)}
            onStop={bar.stop}
            onPublish={questions.publish}
            onReapply={bar.reapply}
            onDiscard={() => (view.files.length > 0 ? setAsking(true) : discard())}
            onRetry={bar.retry}
            onPreview={props.onPreview}
            onDone={props.onDone}
          />
        </>
      )}
      {failed && logOpen && <FailureLog view={view} />}
    </div>
  );
}
