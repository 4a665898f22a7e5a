import { type ReactElement, type Ref, useId, useState } from "react";

import { useConsole } from "../context.ts";
import { useAction } from "../hooks/useAction.ts";
import { tabMemory } from "../storage.ts";
import type { Mode } from "../types.ts";
import { ModeSwitch } from "./ModeSwitch.tsx";
import { Notice } from "./Notice.tsx";

/** The longest instruction, in characters. */
const longest = 8000;

export interface ComposerProps {
  ref: Ref<HTMLTextAreaElement>;
  draft: string;
  onDraft(text: string): void;
  /** Whether a run is being worked on: a second one waits. */
  occupied: boolean;
  onRun(runId: string): void;
}

/** Where the owner says what should change; the draft outlives page loads in this tab. */
export function Composer(props: ComposerProps): ReactElement {
  const { api, path } = useConsole();
  const action = useAction();
  const id = useId();
  const [mode, setMode] = useState<Mode>(() => (tabMemory.get("mode") === "ask" ? "ask" : "build"));
  const length = [...props.draft].length;
  const sendable = props.draft.trim() !== "" && length <= longest && !props.occupied;

  function send(): void {
    if (!sendable) return;
    void action.perform("send", async () => {
      const runId = await api.start(props.draft.trim(), path, mode);
      props.onDraft("");
      props.onRun(runId);
    });
  }
  const hint = props.occupied ? "Send when this run is done, or stop it" : "Ctrl Enter sends";
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
        <ModeSwitch
          mode={mode}
          onMode={(next) => {
            setMode(next);
            tabMemory.set("mode", next);
          }}
        />
      </div>
      <textarea
        ref={props.ref}
        id={id}
        rows={3}
        value={props.draft}
        aria-describedby={`${id}-count`}
        aria-invalid={length > longest}
        onChange={(event) => props.onDraft(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          send();
        }}
      />
      <div className="row">
        <span className="quiet hint">{hint}</span>
        <span id={`${id}-count`} className={length > longest ? "count over" : "count"}>
          {length.toLocaleString("en")}
          <span aria-hidden="true"> / </span>
          <span className="unseen"> of </span>
          {longest.toLocaleString("en")}
        </span>
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
