import { type ReactElement, useRef, useState } from "react";

import { useConsole } from "../context.ts";
import { useAction } from "../hooks/useAction.ts";
import type { LiveRun } from "../hooks/useRun.ts";
import { plainText } from "../plain-text.ts";
import type { RunStatus } from "../types.ts";
import { count } from "../words.ts";
import { Confirm } from "./Confirm.tsx";
import { FailureLog } from "./FailureLog.tsx";
import { Icon } from "./Icon.tsx";
import { Notice } from "./Notice.tsx";
import { isStoppable, outcomeOf } from "./outcome.ts";

export interface PublishBarProps {
  runId: string;
  live: LiveRun;
  onRun(runId: string): void;
  onPreview(): void;
  /** Leads away from a run that is over. */
  onDone: (() => void) | null;
}

const retryable: readonly RunStatus[] = ["failed", "cancelled", "interrupted"];

/** What the run waits for: its state in words, and what the owner can do about it. */
export function PublishBar(props: PublishBarProps): ReactElement | null {
  const { api, path } = useConsole();
  const { live, runId } = props;
  const action = useAction();
  const [asking, setAsking] = useState(false);
  const [logOpen, setLogOpen] = useState(false);
  const discardButton = useRef<HTMLButtonElement>(null);
  const { view, run } = live;
  const { status } = view;
  if (status === null) return null;

  const busy = action.pending !== null;
  const act = (name: "publish" | "discard" | "cancel"): void =>
    void action.perform(name, async () => live.update(await api[name](runId)));
  const discard = (): void => {
    setAsking(false);
    act("discard");
  };
  function keep(): void {
    setAsking(false);
    requestAnimationFrame(() => discardButton.current?.focus());
  }
  function viewLive(): void {
    const page = run?.pageUrl ?? path;
    if (new URL(page, location.href).pathname === location.pathname) location.reload();
    else location.assign(page);
  }

  const outcome = outcomeOf(view, run, action.pending);
  const failed = status === "failed" || status === "interrupted";
  return (
    <div className="bar">
      {action.error && (
        <Notice
          error={action.error}
          kept={status === "preview_ready" ? "The preview is kept." : ""}
        />
      )}
      {asking ? (
        <Confirm
          question={`Discard the changes to ${count(view.files.length, "file")}?`}
          yes="Discard"
          no="Keep"
          danger
          busy={busy}
          onYes={discard}
          onNo={keep}
        >
          <ul className="names">
            {view.files.map((file) => (
              <li key={file.path}>{plainText(file.path)}</li>
            ))}
          </ul>
        </Confirm>
      ) : (
        <div className="row">
          <div className="outcome" role="status">
            <b className={`word ${status}`}>{outcome.word}</b>
            <span className="quiet">{outcome.detail}</span>
          </div>
          <div className="actions">
            {isStoppable(status) && (
              <button
                type="button"
                className="button"
                disabled={busy}
                onClick={() => act("cancel")}
              >
                {action.pending === "cancel" ? "Stopping…" : "Stop"}
              </button>
            )}
            {status === "preview_ready" && view.previewUrl !== null && (
              <button type="button" className="button" onClick={props.onPreview}>
                <Icon name="eye" /> Preview
              </button>
            )}
            {failed && (
              <button
                type="button"
                className="button"
                aria-expanded={logOpen}
                onClick={() => setLogOpen(!logOpen)}
              >
                Log
              </button>
            )}
            {(status === "preview_ready" || failed) && (
              <button
                ref={discardButton}
                type="button"
                className="button"
                disabled={busy}
                onClick={() => (view.files.length > 0 ? setAsking(true) : discard())}
              >
                Discard
              </button>
            )}
            {retryable.includes(status) && (
              <button
                type="button"
                className="button primary"
                disabled={busy}
                onClick={() =>
                  void action.perform("retry", async () => props.onRun(await api.retry(runId)))
                }
              >
                Retry
              </button>
            )}
            {status === "preview_ready" && (
              <button
                type="button"
                className="button primary"
                disabled={busy}
                onClick={() => act("publish")}
              >
                Publish
              </button>
            )}
            {status === "published" && (
              <button type="button" className="button primary" onClick={viewLive}>
                View
              </button>
            )}
            {props.onDone && ["published", "discarded", "cancelled"].includes(status) && (
              <button type="button" className="button bare" onClick={props.onDone}>
                <Icon name="cross" />
                <span className="unseen">Close this change</span>
              </button>
            )}
          </div>
        </div>
      )}
      {failed && logOpen && <FailureLog view={view} />}
    </div>
  );
}
