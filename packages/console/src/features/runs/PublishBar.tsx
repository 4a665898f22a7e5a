import {
  type ReactElement,
  type RefObject,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from "react";

import type { Folds } from "../../ui/Disclosure.tsx";
import { ApiError } from "../../api/client.ts";
import type { PrivateRefusal } from "../../api/types.ts";
import { type Action, useAction } from "../../api/useAction.ts";
import { Button } from "../../ui/Button.tsx";
import { ConfirmPrivate, privateTexts } from "../publish/ConfirmPrivate.tsx";
import { ConfirmDiscard } from "./ConfirmDiscard.tsx";
import { ConfirmRestore } from "./ConfirmRestore.tsx";
import { ConflictNotice, isConflict } from "./ConflictNotice.tsx";
import { FailureLog } from "./FailureLog.tsx";
import { MentionChoice } from "./MentionChoice.tsx";
import { RecordConflicts } from "./RecordConflicts.tsx";
import { RunActions } from "./RunActions.tsx";
import { RunDetails } from "./RunDetails.tsx";
import { useRunsApi } from "./runs-api.ts";
import type { LiveRun } from "./useRun.ts";

export interface PublishBarProps {
  runId: string;
  live: LiveRun;
  diffs: Folds;
  /** Called once when the bar is first shown: whether it should get the focus. */
  takesFocus?(): boolean;
  /** Whether the preview has been viewed. */
  isLookedAt: boolean;
  onRun(runId: string): void;
  onPreview(): void;
  /** Leaves a run that has ended; null if there is nowhere to go. */
  onDone: (() => void) | null;
}

/** The requests that the bar can make. */
function useBar({ runId, live, onRun }: PublishBarProps, action: Action) {
  const api = useRunsApi();
  // Null until the owner chooses: as in the preview.
  const [mention, setMention] = useState<boolean | null>(null);
  const change = (name: "discard" | "cancel"): void =>
    action.perform(name, async () => live.update(await api[name](runId)));
  return {
    stop: () => change("cancel"),
    mention: { chosen: mention, choose: setMention },
    publish: (confirmPrivate?: string) =>
      action.perform("publish", async () => {
        const options = {
          ...(confirmPrivate !== undefined && { confirmPrivate }),
          ...(mention !== null && { mentionInChangelog: mention }),
        };
        live.update(await api.publish(runId, options));
      }),
    discard: () => change("discard"),
    retry: (fresh: boolean) =>
      action.perform("retry", async () => onRun(await api.retry(runId, fresh))),
    reload: () => action.perform("reload", async () => live.update(await api.getRun(runId))),
    reapply: () => action.perform("reapply", async () => onRun(await api.reapply(runId))),
    undo: () => action.perform("undo", async () => onRun(await api.restore(runId, "undo"))),
  };
}

/** Why the run isn't live although it could be: the last response, or its events. */
function refusalOf({ view }: LiveRun, action: Action): ApiError | null {
  const known =
    view.status === "preview_ready" && action.pending === null && view.conflict.length > 0;
  return (
    action.error ?? (known ? new ApiError("conflict", "", 409, { details: view.conflict }) : null)
  );
}

/** The private text that blocked a publish: just now, or according to the run's events. */
function privateTextOf({ view }: LiveRun, { error }: Action): PrivateRefusal | null {
  if (error !== null) {
    return error.code === "private_text" ? (error.details as PrivateRefusal) : null;
  }
  return view.status === "preview_ready" ? view.privateText : null;
}

type Confirmable = "discard" | "publish" | "undo";

/** Confirmations before something is discarded or undone, or private text is published. */
function useQuestions(
  live: LiveRun,
  action: Action,
  bar: ReturnType<typeof useBar>,
  place: RefObject<HTMLElement | null>,
) {
  const [actionToConfirm, setActionToConfirm] = useState<Confirmable | null>(null);
  const refused = action.error?.code === "private_text" ? action.error : null;
  useEffect(() => {
    // If the owner has closed the console in the meantime, they decide when they are back.
    if (refused !== null && place.current?.checkVisibility()) setActionToConfirm("publish");
  }, [refused, place]);
  const { files } = live.view;
  const privateText = privateTextOf(live, action);
  const close = (): void => setActionToConfirm(null);
  const answer = (act: () => void) => (): void => {
    close();
    act();
  };
  return {
    isPrivate: privateText !== null,
    publish: () => (privateText ? setActionToConfirm("publish") : bar.publish()),
    discard: () => (files.length > 0 ? setActionToConfirm("discard") : bar.discard()),
    undo: () => setActionToConfirm("undo"),
    asked: (
      <>
        {actionToConfirm === "discard" && (
          <ConfirmDiscard files={files} onKeep={close} onDiscard={answer(bar.discard)} />
        )}
        {actionToConfirm === "undo" && (
          <ConfirmRestore mode="undo" since={0} onNo={close} onYes={answer(bar.undo)} />
        )}
        {actionToConfirm === "publish" && privateText && (
          <ConfirmPrivate
            texts={privateTexts(privateText)}
            onKeep={close}
            onPublish={answer(() => bar.publish(privateText.fingerprint))}
          />
        )}
      </>
    ),
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
      // A refused publish adds a log entry.
      stamp={items.length}
      onResolved={onResolved}
    />
  );
}

/** What the run waits for: its state, and the owner's options. */
export function PublishBar(props: PublishBarProps): ReactElement | null {
  const { live } = props;
  const action = useAction();
  const bar = useBar(props, action);
  const [logOpen, setLogOpen] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const questions = useQuestions(live, action, bar, place);
  const { view } = live;
  const isShown = view.status !== null;
  const takesFocus = useEffectEvent(() => props.takesFocus?.() === true);
  useEffect(() => {
    if (isShown && takesFocus()) place.current?.focus();
  }, [isShown]);
  if (view.status === null) return null;
  const refusal = refusalOf(live, action);
  const failed = view.status === "failed" || view.status === "interrupted";
  return (
    <div ref={place} className="bar" role="group" aria-label="Result" tabIndex={-1}>
      {refusal && (
        <ConflictNotice error={refusal} ready={view.status === "preview_ready"}>
          {questions.isPrivate && <Button onClick={questions.publish}>Review private text</Button>}
        </ConflictNotice>
      )}
      <RunConflicts runId={props.runId} live={live} onResolved={bar.reload} />
      <RunDetails
        live={live}
        pending={action.pending}
        refused={refusal !== null}
        diffs={props.diffs}
      />
      <MentionChoice live={live} {...bar.mention} />
      <RunActions
        live={live}
        pending={action.pending}
        conflict={isConflict(action.error) || view.conflict.length > 0}
        logOpen={logOpen}
        onLog={() => setLogOpen(!logOpen)}
        onStop={bar.stop}
        onPublish={questions.publish}
        onReapply={bar.reapply}
        onDiscard={questions.discard}
        onRetry={bar.retry}
        onUndo={questions.undo}
        isLookedAt={props.isLookedAt}
        onPreview={props.onPreview}
        onDone={props.onDone}
      />
      {failed && logOpen && <FailureLog view={view} />}
      {questions.asked}
    </div>
  );
}
