import { type ReactElement, useRef, useState } from "react";

import type { MediaItem, Task } from "../../api/types.ts";
import { useChange } from "../../api/useChange.ts";
import { Button } from "../../ui/Button.tsx";
import { SegmentedControl } from "../../ui/SegmentedControl.tsx";
import { browserStorage } from "../../ui/storage.ts";
import { TextArea } from "../../ui/TextArea.tsx";
import { TextInput } from "../../ui/TextInput.tsx";
import { type Uploads, useUploads } from "../media/useUploads.ts";
import { CharacterCount } from "../projects/editor/parts/CharacterCount.tsx";
import { FormDialog } from "../shared/FormDialog.tsx";
import { type EditedForm, useForm } from "../shared/useForm.ts";
import { ImagesField } from "./ImagesField.tsx";
import { priorities } from "./labels.ts";
import {
  bodyOf,
  limits,
  countedFrom,
  emptyForm,
  fieldNames,
  makeDraft,
  validate,
  type NewTaskForm,
  withImages,
} from "./new-task-form.ts";
import { ProjectPicker } from "./ProjectPicker.tsx";
import { tasksKey, useTaskApi } from "./task-api.ts";

const kinds = [
  { value: "edit", label: "A change to the site" },
  { value: "project", label: "A project’s page" },
] as const;

interface FieldsProps {
  edited: EditedForm<NewTaskForm>;
}

function Instruction({ edited }: FieldsProps): ReactElement {
  const { form, field } = edited;
  const long = form.instruction.trim().length >= countedFrom;
  return (
    <TextArea
      label="What is to be done"
      {...field("instruction")}
      rows={5}
      hint="In your words, as you would tell a person."
      aside={long && <CharacterCount text={form.instruction} max={limits.instruction} />}
    />
  );
}

function About({ edited }: FieldsProps): ReactElement {
  const { form, field, error, set } = edited;
  return (
    <>
      <div className="task-choice">
        <p aria-hidden="true">Kind</p>
        <SegmentedControl
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
        {...field("pageUrl")}
        inputMode="url"
        hint="Optional. Where on the site it is, such as /about/."
        maxLength={limits.page}
      />
      <TextInput
        label="Title"
        {...field("title")}
        hint="Optional. Else the instruction’s first words."
        maxLength={limits.title}
      />
      <div className="task-choice">
        <p aria-hidden="true">Priority</p>
        <SegmentedControl
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
function TaskImageFields({ edited, uploads }: FieldsProps & { uploads: Uploads }): ReactElement {
  const { form, error, set } = edited;
  const [refused, setRefused] = useState<string | null>(null);
  const latest = useRef(edited);
  latest.current = edited;
  function give(media: readonly MediaItem[]): void {
    const { images, refused: why } = withImages(latest.current.form.attachments, media);
    setRefused(why);
    latest.current.set({ attachments: images });
  }
  return (
    <ImagesField
      images={form.attachments}
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
function useNewTask(
  before: NewTaskForm,
  uploads: Uploads,
  onCreated: (id: number) => void,
): EditedForm<NewTaskForm> {
  const api = useTaskApi();
  const [draft] = useState(() => makeDraft(browserStorage));
  const create = useChange<NewTaskForm, Task>({
    send: (_, form) => api.create(bodyOf(form)),
    keep(_, { id }) {
      draft.write(null);
      onCreated(id);
    },
    said: ({ id }) => `Task #${id} is queued.`,
    stale: [tasksKey],
  });
  return useForm({
    before,
    saving: create,
    names: fieldNames,
    draft,
    check: (form) => ({
      ...validate(form),
      ...(uploads.busy && { attachments: "wait until the pictures are uploaded" }),
    }),
    save: (form) => create.mutate(form),
  });
}

/** A new task: what is to be done and what about it is known. */
export function NewTask(props: {
  /** The page that it is about unless another is named; '' for none. */
  page?: string;
  onClose(): void;
  onCreated(id: number): void;
}): ReactElement {
  const uploads = useUploads();
  const before = { ...emptyForm, pageUrl: props.page ?? "" };
  const edited = useNewTask(before, uploads, props.onCreated);
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
      <TaskImageFields edited={edited} uploads={uploads} />
      {edited.changed && (
        <p className="task-draft hint">
          Kept in this browser until it is queued.{" "}
          <Button variant="bare" onClick={() => edited.change(before)}>
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
