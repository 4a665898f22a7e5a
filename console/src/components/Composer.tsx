import { type ReactElement, useId, useState } from "react";

import { useConsole } from "../context.ts";
import { useAction } from "../hooks/useAction.ts";
import type { Draft } from "../hooks/useDraft.ts";
import { tabMemory } from "../storage.ts";
import type { Mode } from "../types.ts";
import { ModeSwitch } from "./ModeSwitch.tsx";
import { Notice } from "./Notice.tsx";

const modifier = /Mac|iP/.test(navigator.platform) ? "⌘" : "Ctrl";
/** The longest instruction, in characters. */
const longest = 8000;

export interface ComposerProps {
  draft: Draft;
  /** Whether a run is being worked on: a second one waits. */
  occupied: boolean;
  onRun(runId: string): void;
}

/** Where the owner says what should change. */
export function Composer({ draft, occupied, onRun }: ComposerProps): ReactElement {
  const { api, path } = useConsole();
  const action = useAction();
  const id = useId();
  const [mode, setMode] = useState<Mode>(() => (tabMemory.get("mode") === "ask" ? "ask" : "build"));
  const { length } = draft.text;
  const sendable = draft.text.trim() !== "" && length <= longest && !occupied;

  function send(): void {
    if (!sendable) return;
    void action.perform("send", async () => {
      const runId = await api.start({ instruction: draft.text.trim(), pageUrl: path, mode });
      draft.write("");
      onRun(runId);
    });
  }
  function choose(next: Mode): void {
    setMode(next);
    tabMemory.set("mode", next);
  }
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {action.error && <Notice error={action.error} kept="Your text is kept." />}
      <div className="row">
        <label htmlFor={id}>
          {mode === "ask" ? "Ask about this page" : "Describe a change to this page"}
        </label>
        <ModeSwitch mode={mode} onMode={choose} />
      </div>
      <Field id={id} draft={draft} onSend={send} />
      <div className="row">
        <span className="quiet hint">
          {occupied ? "Send when this run is done, or stop it" : `${modifier} Enter sends`}
        </span>
        <Counter id={`${id}-count`} length={length} />
        <button
          type="submit"
          className="button primary"
          aria-disabled={!sendable || action.pending !== null}
        >
          {action.pending === null ? "Send" : "Sending…"}
        </button>
      </div>
    </form>
  );
}

function Field(props: { id: string; draft: Draft; onSend(): void }): ReactElement {
  const { id, draft } = props;
  return (
    <textarea
      ref={draft.input}
      id={id}
      rows={3}
      value={draft.text}
      aria-describedby={`${id}-count`}
      aria-invalid={draft.text.length > longest}
      onChange={(event) => draft.write(event.target.value)}
      onKeyDown={(event) => {
        if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        props.onSend();
      }}
    />
  );
}

function Counter({ id, length }: { id: string; length: number }): ReactElement {
  return (
    <span id={id} className={length > longest ? "count over" : "count"}>
      {length.toLocaleString("en")}
      <span aria-hidden="true"> / </span>
      <span className="unseen"> of </span>
      {longest.toLocaleString("en")}
    </span>
  );
}
