import { type ReactElement, useEffect, useEffectEvent, useId, useState } from "react";

import { useConsole } from "../context.ts";
import { useAction } from "../hooks/useAction.ts";
import { type Draft, longest } from "../hooks/useDraft.ts";
import { useEstimate } from "../hooks/useEstimate.ts";
import { useFileDrop } from "../hooks/useFileDrop.ts";
import type { Picker } from "../hooks/usePicking.ts";
import { attachmentsOf, hasArrived } from "../pictures.ts";
import type { Mode } from "../types.ts";
import { Attach } from "./Attach.tsx";
import { AttachButton } from "./AttachButton.tsx";
import { ComposerField, Counter } from "./ComposerField.tsx";
import { Elements } from "./Elements.tsx";
import { Estimate } from "./Estimate.tsx";
import { FurtherSwitch, ModeSwitch } from "./ModeSwitch.tsx";
import { Notice } from "./Notice.tsx";
import { PointButton } from "./PointButton.tsx";
import type { CurrentRun } from "./RunPanel.tsx";
import { estimateLine } from "./estimate-words.ts";
import { type Purpose, hintOf, purposeOf } from "./purpose.ts";

export interface ComposerProps {
  draft: Draft;
  /** The run that is shown, once its state is known. */
  run: CurrentRun | null;
  picker: Picker;
  onRun(runId: string): void;
}

const labels: Readonly<Record<Purpose, string>> = {
  start: "Describe a change to this page",
  further: "Describe a change to this page",
  say: "Say something to the run",
  wait: "Describe a change to this page",
};

/** What is picked while nothing else asks for it goes along with the instruction. */
function usePicked(picker: Picker, draft: Draft): void {
  const { listen } = picker;
  const take = useEffectEvent((element: Parameters<Draft["point"]>[0]) => {
    draft.point(element);
    draft.focus();
  });
  useEffect(() => listen((element) => take(element)), [listen]);
}

/** Sends what was composed to where the purpose says. */
function useSend(props: ComposerProps, mode: Mode, purpose: Purpose) {
  const { draft, run, onRun } = props;
  const { api, path } = useConsole();
  const action = useAction();
  function send(): void {
    void action.perform("send", async () => {
      const text = draft.text.trim();
      const along = {
        elements: draft.elements,
        attachments: attachmentsOf(draft.pictures),
      };
      if (purpose === "say" && run !== null) {
        await api.say(run.runId, text, along);
        draft.clear();
        return;
      }
      const continues = purpose === "further" && run !== null ? { continues: run.runId } : {};
      const runId = await api.start({
        instruction: text,
        pageUrl: path,
        mode,
        ...along,
        ...continues,
      });
      draft.clear();
      onRun(runId);
    });
  }
  return { action, send };
}

/** What the composer is to do now, and whether it can. */
function useIntent({ draft, run }: ComposerProps) {
  const { mode } = draft;
  const [anew, setAnew] = useState(false);
  const purpose = purposeOf(run, mode, anew);
  const estimate = useEstimate(mode, run?.status ?? "");
  const line = estimate === null || purpose === "say" ? null : estimateLine(estimate);
  const missing = draft.pictures.filter((picture) => !hasArrived(picture)).length;
  const written = draft.text.trim() !== "" && draft.text.length <= longest;
  const sendable = written && missing === 0 && purpose !== "wait" && line?.blocked !== true;
  return { anew, setAnew, purpose, line, missing, sendable };
}

/** Where the owner says what should change. */
export function Composer(props: ComposerProps): ReactElement {
  const { draft, run, picker } = props;
  const id = useId();
  const intent = useIntent(props);
  const { purpose, sendable } = intent;
  const waits = intent.missing > 0 || purpose === "wait";
  const [given, setGiven] = useState<readonly File[]>([]);
  const give = (files: File[]): void => setGiven((known) => [...known, ...files]);
  const drop = useFileDrop(give);
  const { action, send } = useSend(props, draft.mode, purpose);
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
        // A field or switch that is left with Enter must not send what is written elsewhere.
        if (sends || event.target instanceof HTMLInputElement) event.preventDefault();
        if (sends) onSend();
      }}
      onSubmit={(event) => {
        event.preventDefault();
        onSend();
      }}
    >
      {action.error && <Notice error={action.error} kept="What you wrote and attached is kept." />}
      <Head id={id} draft={draft} run={run} intent={intent} />
      <Elements elements={draft.elements} onRemove={draft.unpoint} onRemoved={draft.focus} />
      <Attach draft={draft} given={given} onTaken={() => setGiven([])} />
      <ComposerField id={id} draft={draft} />
      <div className="row below">
        {!waits && <Estimate line={intent.line} />}
        <span className={waits ? "quiet hint waits" : "quiet hint"}>
          {hintOf(purpose, intent.missing)}
        </span>
        <Counter id={`${id}-count`} length={draft.text.length} />
      </div>
      <div className={`row doing ${purpose}`}>
        <AttachButton onFiles={give} />
        <PointButton picker={picker} onCancel={draft.focus} />
        <button
          type="submit"
          className="button primary"
          aria-disabled={!sendable || action.pending !== null}
        >
          {action.pending !== null ? "Sending…" : purpose === "say" ? "Send to the run" : "Send"}
        </button>
      </div>
    </form>
  );
}

/** What is asked for, and how: the words for the field, and the switches. */
function Head(props: {
  id: string;
  draft: Draft;
  run: CurrentRun | null;
  intent: ReturnType<typeof useIntent>;
}): ReactElement {
  const { draft, run, intent } = props;
  const { purpose } = intent;
  const asks = draft.mode === "ask" && purpose !== "say";
  return (
    <>
      {run?.status === "preview_ready" && draft.mode === "build" && (
        <FurtherSwitch anew={intent.anew} onAnew={intent.setAnew} />
      )}
      <div className="row">
        <label htmlFor={props.id}>{asks ? "Ask about this page" : labels[purpose]}</label>
        {purpose !== "say" && <ModeSwitch mode={draft.mode} onMode={draft.choose} />}
      </div>
    </>
  );
}
