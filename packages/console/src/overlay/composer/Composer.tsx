import { useQueryClient } from "@tanstack/react-query";
import { type ReactElement, useEffect, useEffectEvent, useId, useState } from "react";

import { usePagePath } from "../../api/context.tsx";
import type { Mode } from "../../api/types.ts";
import { type Action, useAction } from "../../api/useAction.ts";
import { useRunsApi } from "../../features/runs/runs-api.ts";
import { RefusalNotice } from "../../features/errors/RefusalNotice.tsx";
import { taskLabel } from "../../features/tasks/counts.ts";
import { tasksKey, useTaskApi } from "../../features/tasks/task-api.ts";
import { Button } from "../../ui/Button.tsx";
import { FileButton } from "../../ui/FileButton.tsx";
import { lazyComponent } from "../../ui/lazy-component.tsx";
import { useFileDrop } from "../../ui/useFileDrop.ts";
import type { CurrentRun } from "../RunPanel.tsx";
import { useConsoleState } from "../useConsoleState.ts";
import type { Picker } from "../usePicking.ts";
import { Attach } from "./Attach.tsx";
import { ComposerField, Counter } from "./ComposerField.tsx";
import { attachmentsOf, isUploaded } from "./draft-images.ts";
import { formatEstimate } from "./estimate-labels.ts";
import { Estimate } from "./Estimate.tsx";
import { FollowUpSwitch, ModeSwitch } from "./ModeSwitch.tsx";
import { PickButton } from "./PickButton.tsx";
import { type Purpose, hintOf, purposeOf } from "./purpose.ts";
import { type Draft, maxLength } from "./useDraft.ts";
import { useEstimate } from "./useEstimate.ts";
import { WithoutModel } from "./WithoutModel.tsx";

const Elements = lazyComponent(async () => (await import("./Elements.tsx")).Elements);

export interface ComposerProps {
  draft: Draft;
  /** The shown run, once its state is known. */
  run: CurrentRun | null;
  picker: Picker;
  onRun(runId: string): void;
}

const labels: Readonly<Record<Purpose, string>> = {
  start: "Describe a change to this page",
  further: "Describe a change to this page",
  say: "Send a message to the run",
  wait: "Describe a change to this page",
};

/** Selected elements are added to the instruction unless something else has requested them. */
function usePicked(picker: Picker, draft: Draft): void {
  const { listen } = picker;
  const take = useEffectEvent((element: Parameters<Draft["addElement"]>[0]) => {
    draft.addElement(element);
    draft.focus();
  });
  useEffect(() => listen((element) => take(element)), [listen]);
}

/** Sends the composed message according to the purpose. */
function useSend(props: ComposerProps, mode: Mode, purpose: Purpose) {
  const { draft, run, onRun } = props;
  const api = useRunsApi();
  const path = usePagePath();
  const action = useAction();
  function send(): void {
    action.perform("send", async () => {
      const text = draft.text.trim();
      const context = {
        elements: draft.elements,
        attachments: attachmentsOf(draft.images),
      };
      if (purpose === "say" && run !== null) {
        await api.sendMessage(run.runId, text, context);
        draft.clear();
        return;
      }
      const continues = purpose === "further" && run !== null ? { continues: run.runId } : {};
      const runId = await api.start({
        instruction: text,
        pageUrl: path,
        mode,
        ...context,
        ...continues,
      });
      draft.clear();
      onRun(runId);
    });
  }
  return { action, send };
}

/**
 * Queues the composed instruction instead of running it. What a task can't contain, elements and
 * reference images, stays.
 */
function useQueuing(draft: Draft, action: Action) {
  const path = usePagePath();
  const api = useTaskApi();
  const queries = useQueryClient();
  const [queued, setQueued] = useState<Queued | null>(null);
  function queue(): void {
    action.perform("queue", async () => {
      const kept = new Set(draft.images.filter(({ use }) => use !== "page"));
      const attachments = draft.images.flatMap((image) =>
        kept.has(image) || image.mediaId === null ? [] : [image.mediaId],
      );
      const instruction = draft.text.trim();
      const task = await api.create({ instruction, pageUrl: path, attachments, priority: 0 });
      draft.clearText();
      draft.setImages((known) => known.filter((image) => kept.has(image)));
      setQueued({ id: task.id, stays: kept.size + draft.elements.length > 0 });
      void queries.invalidateQueries({ queryKey: tasksKey });
    });
  }
  return { queue, queued: draft.text === "" ? queued : null };
}

/** A task created from the composer, and whether something was left. */
interface Queued {
  id: number;
  stays: boolean;
}

/** What the composer does now, and whether it can. */
function useIntent({ draft, run }: ComposerProps) {
  const { mode } = draft;
  const [anew, setAnew] = useState(false);
  const purpose = purposeOf(run, mode, anew);
  const estimate = useEstimate(mode, run?.status ?? "");
  const line = estimate === null || purpose === "say" ? null : formatEstimate(estimate);
  const missing = draft.images.filter((image) => !isUploaded(image)).length;
  const written = draft.text.trim() !== "" && draft.text.length <= maxLength;
  const sendable = written && missing === 0 && purpose !== "wait" && line?.blocked !== true;
  const queueable = written && missing === 0;
  const isLiteral = estimate?.model === "literal" && purpose !== "say";
  return { anew, setAnew, purpose, line, isLiteral, missing, sendable, queueable };
}

type Intent = ReturnType<typeof useIntent>;

const kept = "Your text and attachments are kept.";

/** Where the owner describes a change. */
export function Composer(props: ComposerProps): ReactElement {
  const { draft, run, picker } = props;
  const id = useId();
  const intent = useIntent(props);
  const { purpose, sendable } = intent;
  const [given, setGiven] = useState<readonly File[]>([]);
  const give = (files: File[]): void => setGiven((known) => [...known, ...files]);
  const drop = useFileDrop(give);
  const { action, send } = useSend(props, draft.mode, purpose);
  const { queue, queued } = useQueuing(draft, action);
  const onSend = (): void => {
    if (sendable) send();
  };
  usePicked(picker, draft);
  return (
    <form
      ref={drop.zone}
      className="composer"
      data-over={drop.over}
      onPaste={drop.onPaste}
      onKeyDown={(event) => {
        if (event.key !== "Enter") return;
        const sends = event.ctrlKey || event.metaKey;
        // Enter in another field or on a switch must not send the instruction.
        if (sends || event.target instanceof HTMLInputElement) event.preventDefault();
        if (sends) onSend();
      }}
      onSubmit={(event) => {
        event.preventDefault();
        const { submitter } = event.nativeEvent as SubmitEvent;
        if (submitter?.dataset.does !== "queue") onSend();
        else if (intent.queueable) queue();
      }}
    >
      {action.error && <RefusalNotice error={action.error} note={kept} />}
      <QueuedLine queued={queued} />
      <Head id={id} draft={draft} run={run} intent={intent} />
      <Picked draft={draft} />
      <Attach draft={draft} given={given} onTaken={() => setGiven([])} />
      <ComposerField id={id} draft={draft} />
      <Below id={id} draft={draft} intent={intent} status={run?.status ?? null} />
      <Doing
        purpose={purpose}
        picker={picker}
        draft={draft}
        ready={sendable && action.pending === null}
        busy={action.pending !== null}
        onFiles={give}
      />
    </form>
  );
}

/** The estimate and the reason for waiting, and without a model, what can be sent. */
function Below(props: {
  id: string;
  draft: Draft;
  intent: Intent;
  status: CurrentRun["status"] | null;
}): ReactElement {
  const { id, draft, intent, status } = props;
  const { purpose, missing, line, isLiteral } = intent;
  const waits = missing > 0 || purpose === "wait";
  const isBlocked = line?.blocked === true;
  return (
    <>
      {isLiteral && <WithoutModel mode={draft.mode} />}
      <div className="row below">
        {!waits && (!isLiteral || isBlocked) && <Estimate line={line} />}
        {!isBlocked && (
          <span className={waits ? "quiet hint waits" : "quiet hint"}>
            {hintOf(purpose, missing, status)}
          </span>
        )}
        <Counter id={`${id}-count`} length={draft.text.length} />
      </div>
    </>
  );
}

/** The selected elements, if there are any. */
function Picked({ draft }: { draft: Draft }): ReactElement | null {
  const { elements, removeElement, focus } = draft;
  if (elements.length === 0) return null;
  return <Elements elements={elements} onRemove={removeElement} onRemoved={focus} />;
}

/** The composer's buttons. */
function Doing(props: {
  purpose: Purpose;
  picker: Picker;
  draft: Draft;
  ready: boolean;
  busy: boolean;
  onFiles(files: File[]): void;
}): ReactElement {
  const { purpose } = props;
  return (
    <div className={`row doing ${purpose}`}>
      <FileButton icon="attach" field="Images" accept="image/*,.heic,.heif" onFiles={props.onFiles}>
        Attach
      </FileButton>
      <PickButton picker={props.picker} onCancel={props.draft.focus} />
      <button type="submit" data-does="queue" hidden />
      <button type="submit" className="button primary" aria-disabled={!props.ready}>
        {props.busy ? "Sending…" : purpose === "say" ? "Send to the run" : "Send"}
      </button>
    </div>
  );
}

/** Says that the composed instruction is queued now. */
function QueuedLine({ queued }: { queued: Queued | null }): ReactElement {
  const { showTask } = useConsoleState();
  return (
    <div className="row queued" role="status">
      {queued !== null && (
        <>
          <span className="quiet">
            {taskLabel(queued.id)} queued.
            {queued.stays && " What a task can’t include is still in the composer."}
          </span>
          <Button variant="small" onClick={() => showTask(queued.id)}>
            Show
          </Button>
        </>
      )}
    </div>
  );
}

/** The composer's purpose: the field's label, and the switches. */
function Head(props: {
  id: string;
  draft: Draft;
  run: CurrentRun | null;
  intent: Intent;
}): ReactElement {
  const { draft, run, intent } = props;
  const { purpose } = intent;
  const asks = draft.mode === "ask" && purpose !== "say";
  return (
    <>
      {run?.status === "preview_ready" && draft.mode === "build" && (
        <FollowUpSwitch anew={intent.anew} onAnew={intent.setAnew} />
      )}
      <div className="row">
        <label htmlFor={props.id}>{asks ? "Ask about this page" : labels[purpose]}</label>
        {purpose !== "say" && <ModeSwitch mode={draft.mode} onMode={draft.choose} />}
      </div>
    </>
  );
}
