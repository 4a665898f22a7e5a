import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactElement, useRef, useState } from "react";

import { browserMemory } from "../../storage.ts";
import { Button } from "../components/Button.tsx";
import { FormDialog } from "../components/FormDialog.tsx";
import { Segments } from "../components/Segments.tsx";
import { TextArea } from "../components/TextArea.tsx";
import { TextInput } from "../components/TextInput.tsx";
import { useAnnounce, useClient } from "../context.tsx";
import type { MediaItem, Task } from "../types.ts";
import { type EditedForm, useForm } from "../useForm.ts";
import { type Uploads, useUploads } from "../uploads.ts";
import { Count } from "../editor/parts/Count.tsx";
import {
  bodyOf,
  bounds,
  countedFrom,
  emptyForm,
  fieldNames,
  makeDraft,
  mistakes,
  type NewTaskForm,
  withPictures,
} from "./new-task-form.ts";
import { PicturesField } from "./PicturesField.tsx";
import { ProjectPicker } from "./ProjectPicker.tsx";
import { api, boardKey } from "./useBoard.ts";
import { priorities } from "./words.ts";

const kinds = [
  { value: "edit", label: "A change to the site" },
  { value: "project", label: "A project’s page" },
] as const;

interface FieldsProps {
  edited: EditedForm<NewTaskForm>;
}

function Instruction({ edited }: FieldsProps): ReactElement {
  const { form, error, set } = edited;
  const long = form.instruction.trim().length >= countedFrom;
  return (
    <TextArea
      label="What is to be done"
      name="instruction"
      rows={5}
      hint="In your words, as you would tell a person."
      aside={long && <Count text={form.instruction} most={bounds.instruction} />}
      value={form.instruction}
      error={error("instruction")}
      onChange={(instruction) => set({ instruction })}
    />
  );
}

function About({ edited }: FieldsProps): ReactElement {
  const { form, error, set } = edited;
  return (
    <>
      <div className="task-choice">
        <p aria-hidden="true">Kind</p>
        <Segments
          legend="Kind"
          value={form.kind}
          options={kinds}
          onChange={(kind) => set({ kind })}
        />
      </div>
      {form.kind === "project" && (
        <ProjectPicker
          chosen={form.project}
          error={error("projectId")}
          onChosen={(project) => set({ project })}
        />
      )}
      <TextInput
        label="Page"
        name="pageUrl"
        inputMode="url"
        hint="Optional. Where on the site it is, such as /about/."
        maxLength={bounds.page}
        value={form.pageUrl}
        error={error("pageUrl")}
        onChange={(pageUrl) => set({ pageUrl })}
      />
      <TextInput
        label="Title"
        name="title"
        hint="Optional. Else the instruction’s first words."
        maxLength={bounds.title}
        value={form.title}
        error={error("title")}
        onChange={(title) => set({ title })}
      />
      <div className="task-choice">
        <p aria-hidden="true">Priority</p>
        <Segments
          legend="Priority"
          value={form.priority}
          options={priorities}
          onChange={(priority) => set({ priority })}
        />
      </div>
    </>
  );
}

/** The pictures of the form; what is uploaded goes along as soon as it is stored. */
function Pictures({ edited, uploads }: FieldsProps & { uploads: Uploads }): ReactElement {
  const { form, error, set } = edited;
  const [refused, setRefused] = useState<string | null>(null);
  const latest = useRef(edited);
  latest.current = edited;
  function give(media: readonly MediaItem[]): void {
    const { pictures, refused: why } = withPictures(latest.current.form.attachments, media);
    setRefused(why);
    latest.current.set({ attachments: pictures });
  }
  return (
    <PicturesField
      pictures={form.attachments}
      uploads={uploads}
      error={error("attachments")}
      refused={refused}
      onGiven={give}
      onFiles={(files) =>
        uploads.add(files, {
          onDone: (media, key) => {
            give([media]);
            uploads.dismiss([key]);
          },
        })
      }
      onRemove={({ id }) => set({ attachments: form.attachments.filter((one) => one.id !== id) })}
    />
  );
}

/** The form of a new task, kept until the server has taken it. */
function useNewTask(uploads: Uploads, onCreated: (id: number) => void): EditedForm<NewTaskForm> {
  const client = useClient();
  const queries = useQueryClient();
  const announce = useAnnounce();
  const [draft] = useState(() => makeDraft(browserMemory));
  const create = useMutation({
    mutationFn: (form: NewTaskForm) => client.post<Task>(`${api}/create`, bodyOf(form)),
    onSuccess: (task) => {
      draft.write(null);
      announce(`Task #${task.id} is queued.`);
      void queries.invalidateQueries({ queryKey: boardKey });
      onCreated(task.id);
    },
  });
  return useForm({
    before: emptyForm,
    saving: create,
    names: fieldNames,
    draft,
    check: (form) => ({
      ...mistakes(form),
      ...(uploads.busy && { attachments: "wait until the pictures are uploaded" }),
    }),
    save: (form) => create.mutate(form),
  });
}

/** A new task: what is to be done and what about it is known. */
export function NewTask(props: { onClose(): void; onCreated(id: number): void }): ReactElement {
  const uploads = useUploads();
  const edited = useNewTask(uploads, props.onCreated);
  return (
    <FormDialog
      title="New task"
      edited={edited}
      yes="Queue task"
      refused="It was not queued. What you wrote is kept."
      onClose={props.onClose}
    >
      <Instruction edited={edited} />
      <About edited={edited} />
      <Pictures edited={edited} uploads={uploads} />
      {edited.changed && (
        <p className="task-draft hint">
          Kept in this browser until it is queued.{" "}
          <Button look="bare" onClick={() => edited.change(emptyForm)}>
            Start over
          </Button>
        </p>
      )}
      <p className="hint">
        <kbd>Ctrl</kbd> or <kbd>⌘</kbd> <kbd>Enter</kbd> queues it.
      </p>
    </FormDialog>
  );
}
