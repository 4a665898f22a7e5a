import { type ReactElement, useEffect, useId, useRef, useState } from "react";

import { Button } from "../components/Button.tsx";
import { Notice } from "../components/Notice.tsx";
import { useAction } from "../hooks/useAction.ts";
import { tabMemory } from "../storage.ts";
import type { Task } from "../types.ts";
import { makeInstructions } from "./drafts.ts";
import { IgnoreForm } from "./IgnoreForm.tsx";
import type { QaRowProps } from "./row-props.ts";
import { useQa } from "./useQa.ts";
import { fixNews } from "./words.ts";

const instructions = makeInstructions(tabMemory);

/** What is said of a finding, and the task that is made of it. */
function useFixing({ row, onSay, onChange }: QaRowProps) {
  const { findings } = row;
  const { api } = useQa();
  const action = useAction();
  const [text, setText] = useState(() => instructions.read(findings[0]?.id ?? 0));
  function write(next: string): void {
    setText(next);
    for (const one of findings) instructions.write(one.id, next);
  }
  function fix(): void {
    void action.perform("fix", async () => {
      const tasks: Task[] = [];
      for (const one of findings) {
        // oxlint-disable-next-line no-await-in-loop -- a refusal ends it, and the rest is as it was
        tasks.push(await api.fix(one.id, text.trim()));
        instructions.write(one.id, "");
      }
      onSay(fixNews(tasks));
      onChange();
    });
  }
  return { action, text, write, fix };
}

/** How a finding is to be fixed, and the ways to go on with it. */
export function QaActions(props: QaRowProps): ReactElement {
  const { findings } = props.row;
  const { action, text, write, fix } = useFixing(props);
  const id = useId();
  const [ignoring, setIgnoring] = useState(false);
  const ignoreButton = useFocusBack(ignoring);
  if (ignoring) {
    return <IgnoreForm {...props} onBack={() => setIgnoring(false)} />;
  }
  const several = findings.length > 1 ? ` all ${findings.length}` : "";
  return (
    <form
      className="qa-fix"
      onSubmit={(event) => {
        event.preventDefault();
        fix();
      }}
      onKeyDown={(event) => {
        if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        fix();
      }}
    >
      {action.error && <Notice error={action.error} kept="What you wrote is kept." />}
      <label className="unseen" htmlFor={id}>
        Instruction
      </label>
      <textarea
        id={id}
        rows={1}
        maxLength={2000}
        placeholder="How to fix it (optional)"
        value={text}
        onChange={(event) => write(event.target.value)}
      />
      <div className="actions">
        <button type="submit" className="button" disabled={action.pending !== null}>
          {action.pending === null ? `Fix${several}` : "Queuing…"}
        </button>
        <Button look="bare" ref={ignoreButton} onClick={() => setIgnoring(true)}>
          Ignore{several}
        </Button>
      </div>
    </form>
  );
}

/** When the form has closed, the button that opened it has the focus again. */
function useFocusBack(open: boolean) {
  const button = useRef<HTMLButtonElement>(null);
  const before = useRef(open);
  useEffect(() => {
    if (before.current && !open) button.current?.focus();
    before.current = open;
  }, [open]);
  return button;
}
