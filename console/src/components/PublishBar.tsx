import { type ReactElement, useRef, useState } from "react";

import { useConsole } from "../context.ts";
import { useAction } from "../hooks/useAction.ts";
import type { LiveRun } from "../hooks/useRun.ts";
import { BarActions } from "./BarActions.tsx";
import { ConfirmDiscard } from "./ConfirmDiscard.tsx";
import { FailureLog } from "./FailureLog.tsx";
import { Notice } from "./Notice.tsx";
import { outcomeOf } from "./outcome.ts";

export interface PublishBarProps {
  runId: string;
  live: LiveRun;
  onRun(runId: string): void;
  onPreview(): void;
  /** Leads away from a run that is over; null where there is nowhere to go. */
  onDone: (() => void) | null;
}

/** What the run waits for: its state in words, and what the owner can do about it. */
export function PublishBar(props: PublishBarProps): ReactElement | null {
  const { api } = useConsole();
  const { live, runId } = props;
  const action = useAction();
  const [asking, setAsking] = useState(false);
  const [logOpen, setLogOpen] = useState(false);
  const discardButton = useRef<HTMLButtonElement>(null);
  const { view } = live;
  if (view.status === null) return null;

  const act = (name: "publish" | "discard" | "cancel"): void =>
    void action.perform(name, async () => live.update(await api[name](runId)));
  function discard(): void {
    setAsking(false);
    act("discard");
  }
  function keep(): void {
    setAsking(false);
    requestAnimationFrame(() => discardButton.current?.focus());
  }
  const outcome = outcomeOf(view, live.run, action.pending);
  const kept = view.status === "preview_ready" ? "The preview is kept." : "";
  const failed = view.status === "failed" || view.status === "interrupted";
  return (
    <div className="bar">
      {action.error && <Notice error={action.error} kept={kept} />}
      {asking ? (
        <ConfirmDiscard
          files={view.files}
          busy={action.pending !== null}
          onDiscard={discard}
          onKeep={keep}
        />
      ) : (
        <div className="row">
          <div className="outcome" role="status">
            <b className={`word ${view.status}`}>{outcome.word}</b>
            <span className="quiet">{outcome.detail}</span>
          </div>
          <BarActions
            live={live}
            pending={action.pending}
            discardButton={discardButton}
            logOpen={logOpen}
            onLog={() => setLogOpen(!logOpen)}
            onStop={() => act("cancel")}
            onPublish={() => act("publish")}
            onDiscard={() => (view.files.length > 0 ? setAsking(true) : discard())}
            onRetry={() =>
              void action.perform("retry", async () => props.onRun(await api.retry(runId)))
            }
            onPreview={props.onPreview}
            onDone={props.onDone}
          />
        </div>
      )}
      {failed && logOpen && <FailureLog view={view} />}
    </div>
  );
}
