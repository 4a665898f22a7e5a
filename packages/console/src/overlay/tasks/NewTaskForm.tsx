import { type ReactElement, useEffect, useId, useRef, useState } from "react";

import { usePagePath } from "../../api/context.tsx";
import type { Task } from "../../api/types.ts";
import { useAction } from "../../api/useAction.ts";
import { pageName } from "../../features/runs/labels.ts";
import { RefusalNotice } from "../../features/shared/RefusalNotice.tsx";
import { priorities } from "../../features/tasks/labels.ts";
import { Button } from "../../ui/Button.tsx";
import { formatCount } from "../../ui/format.ts";
import { Counter } from "../composer/ComposerField.tsx";
import { hintOf } from "../composer/purpose.ts";
import { maxLength } from "../composer/useDraft.ts";
import { LibraryPicker } from "./LibraryPicker.tsx";
import { emptyDraft, saveDraft, loadDraft, type TaskDraft } from "./task-draft.ts";
import { useTasks } from "./useTasks.ts";

/** Queues what is written; it is kept until the queue has taken it. */
function useQueuing(draft: TaskDraft, onQueued: (task: Task) => void) {
  const path = usePagePath();
  const { api, refresh } = useTasks();
  const action = useAction();
  function queue(): void {
    void action.perform("queue", async () => {
      const task = await api.create({
        instruction: draft.text.trim(),
        pageUrl: draft.aboutPage ? path : null,
        attachments: draft.attachments,
        priority: draft.priority,
      });
      saveDraft(null);
      refresh();
      onQueued(task);
    });
  }
  return { action, queue };
}

/** Where the owner writes what is to be done when its turn comes. */
export function NewTaskForm(props: { onQueued(task: Task): void; onBack(): void }): ReactElement {
  const [draft, setDraft] = useState(loadDraft);
  const { action, queue } = useQueuing(draft, props.onQueued);
  const written = draft.text.trim() !== "" && draft.text.length <= maxLength;
  const ready = written && action.pending === null;

  function change(part: Partial<TaskDraft>): void {
    const next = { ...draft, ...part };
    setDraft(next);
    saveDraft(next.text === "" && next.attachments.length === 0 ? null : next);
  }
  const onSend = (): void => {
    if (ready) queue();
  };
  return (
    <>
      <div className="back row">
        <Button variant="small" onClick={props.onBack}>
          Back to tasks
        </Button>
      </div>
      <form
        className="composer task-form"
        aria-label="New task"
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          const sends = event.ctrlKey || event.metaKey;
          // A switch that is left with Enter must not send what is written elsewhere.
          if (sends || event.target instanceof HTMLInputElement) event.preventDefault();
          if (sends) onSend();
        }}
        onSubmit={(event) => {
          event.preventDefault();
          onSend();
        }}
      >
        {action.error && <RefusalNotice error={action.error} kept="What you wrote is kept." />}
        <Instruction draft={draft} onChange={change} />
        <AboutPage draft={draft} onChange={change} />
        <Priority draft={draft} onChange={change} />
        <TaskImages draft={draft} onChange={change} />
        <div className="row doing">
          {draft.text !== "" && (
            <Button variant="bare" onClick={() => change(emptyDraft)}>
              Clear
            </Button>
          )}
          <span className="quiet hint">{hintOf("start", 0)}</span>
          <button type="submit" className="button primary" aria-disabled={!ready}>
            {action.pending === null ? "Queue task" : "Queuing…"}
          </button>
        </div>
      </form>
    </>
  );
}

interface PartProps {
  draft: TaskDraft;
  onChange(part: Partial<TaskDraft>): void;
}

function Instruction({ draft, onChange }: PartProps): ReactElement {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <>
      <label htmlFor={id}>What is to be done</label>
      <textarea
        ref={field}
        id={id}
        rows={5}
        value={draft.text}
        aria-describedby={`${id}-count`}
        aria-invalid={draft.text.length > maxLength}
        onChange={(event) => onChange({ text: event.target.value })}
      />
      <Counter id={`${id}-count`} length={draft.text.length} />
    </>
  );
}

/** The page that it is about is the one below the console, unless it is about none. */
function AboutPage({ draft, onChange }: PartProps): ReactElement {
  const path = usePagePath();
  return (
    <label className="check">
      <input
        type="checkbox"
        checked={draft.aboutPage}
        onChange={(event) => onChange({ aboutPage: event.target.checked })}
      />
      <span>
        About this page <span className="quiet">{pageName(path)}</span>
      </span>
    </label>
  );
}

function Priority({ draft, onChange }: PartProps): ReactElement {
  return (
    <div className="row weight">
      <span className="quiet" aria-hidden="true">
        Priority
      </span>
      <fieldset className="segments priority">
        <legend className="unseen">Priority</legend>
        {priorities.map(({ value, label }) => (
          <label key={value}>
            <input
              type="radio"
              name="priority"
              checked={draft.priority === Number(value)}
              onChange={() => onChange({ priority: Number(value) })}
            />
            <span>{label}</span>
          </label>
        ))}
      </fieldset>
    </div>
  );
}

function TaskImages({ draft, onChange }: PartProps): ReactElement {
  const [open, setOpen] = useState(false);
  const { attachments } = draft;
  return (
    <>
      <div className="row">
        <Button expanded={open} onClick={() => setOpen(!open)}>
          Pictures from the library
        </Button>
        {attachments.length > 0 && (
          <span className="quiet">{formatCount(attachments.length, "picture")}</span>
        )}
      </div>
      {open && (
        <LibraryPicker
          chosen={attachments}
          onChoose={(chosen) => onChange({ attachments: chosen })}
        />
      )}
    </>
  );
}
