import { type ReactElement, useRef, useState } from "react";

import type { MediaItem, Task } from "../../api/types.ts";
import { useChange } from "../../api/useChange.ts";
import { Button } from "../../ui/Button.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { SegmentedControl } from "../../ui/SegmentedControl.tsx";
import { browserStorage } from "../../ui/storage.ts";
import { TextArea } from "../../ui/TextArea.tsx";
import { TextInput } from "../../ui/TextInput.tsx";
import { type Uploads, useFormUploads } from "../media/usePageUploads.ts";
import { CharacterCount } from "../projects/editor/parts/CharacterCount.tsx";
import { useSetting } from "../settings/useSettings.ts";
import { FormDialog } from "../forms/FormDialog.tsx";
import { type EditedForm, useForm } from "../forms/useForm.ts";
import { ImagesField } from "./ImagesField.tsx";
import { priorities } from "./labels.ts";
import {
  bodyOf,
  caseStudyRefusal,
  limits,
  countedFrom,
  emptyForm,
  fieldNames,
  makeDraft,
  movedEarlier,
  validate,
  type NewTaskForm,
  withImages,
} from "./new-task-form.ts";
import { ProjectPicker } from "./ProjectPicker.tsx";
import { tasksKey, useTaskApi } from "./task-api.ts";

const kinds = [
  { value: "edit", label: "Site change" },
  { value: "project", label: "Project page" },
  { value: "case-study", label: "New case study" },
] as const;

const projectStatuses = [
  { value: "draft", label: "Save as draft" },
  { value: "published", label: "Publish" },
] as const;

interface FieldsProps {
  edited: EditedForm<NewTaskForm>;
}

function Instruction({ edited }: FieldsProps): ReactElement {
  const { form, field } = edited;
  const long = form.instruction.trim().length >= countedFrom;
  const isBrief = form.kind === "case-study";
  return (
    <TextArea
      label={isBrief ? "Brief" : "What to do"}
      {...field("instruction")}
      rows={isBrief ? 8 : 5}
      hint={
        isBrief
          ? "The client, the problem, what you did and the result, with numbers you can back up. Nothing is made up."
          : "In your own words, as you would tell a person."
      }
      aside={long && <CharacterCount text={form.instruction} max={limits.instruction} />}
    />
  );
}

/** The status of a new case study, and why none can be created. */
function CaseStudyStatus({ edited }: FieldsProps): ReactElement {
  const { form, error, set } = edited;
  const refusal = useCaseStudyRefusal(form);
  const problem = error("projectStatus");
  return (
    <>
      {refusal !== null && (
        <Notice kind="warn" quiet>
          <p aria-invalid={problem === null ? undefined : "true"} tabIndex={-1}>
            {refusal} <a href="/admin/settings">Open settings</a>
          </p>
        </Notice>
      )}
      <div className="task-choice">
        <p aria-hidden="true">When it’s done</p>
        <SegmentedControl
          legend="When it’s done"
          value={form.projectStatus}
          options={projectStatuses}
          onChange={(projectStatus) => set({ projectStatus })}
        />
        <p className="hint">
          {form.projectStatus === "draft"
            ? "The draft waits for you under Projects. Visitors can’t see it."
            : "The page waits for your review unless your settings publish new pages automatically."}
        </p>
      </div>
    </>
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
      {form.kind === "case-study" && <CaseStudyStatus edited={edited} />}
      {form.kind === "project" && (
        <ProjectPicker
          chosen={form.project}
          error={error("projectId")}
          onChosen={(project) => set({ project })}
        />
      )}
      {form.kind !== "case-study" && (
        <TextInput
          label="Page"
          {...field("pageUrl")}
          inputMode="url"
          hint="Optional. A page of the site, such as /about/."
          maxLength={limits.page}
        />
      )}
      <TextInput
        label="Title"
        {...field("title")}
        hint={
          form.kind === "case-study"
            ? "Optional. For the task, not the project. Leave blank to use the start of the brief."
            : "Optional. Leave blank to use the start of the instruction."
        }
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

/** Uploads of the form, which are attached as soon as they are stored. */
function useTaskImages() {
  const [refused, setRefused] = useState<string | null>(null);
  const latest = useRef<EditedForm<NewTaskForm> | null>(null);
  function attach(media: readonly MediaItem[]): void {
    const edited = latest.current;
    if (edited === null) return;
    const { images, refused: why } = withImages(edited.form.attachments, media);
    setRefused(why);
    edited.set({ attachments: images });
  }
  const uploads: Uploads = useFormUploads("task:new", {
    onDone(media, key) {
      attach([media]);
      uploads.dismiss([key]);
    },
  });
  return { uploads, refused, latest, attach };
}

/** The form's images. */
function TaskImageFields(
  props: FieldsProps & Pick<ReturnType<typeof useTaskImages>, "uploads" | "refused" | "attach">,
): ReactElement {
  const { edited, uploads, refused } = props;
  const { form, error, set } = edited;
  return (
    <ImagesField
      images={form.attachments}
      uploads={uploads}
      error={error("attachments")}
      refused={refused}
      onGiven={props.attach}
      onFiles={(files) => void uploads.add(files)}
      onRemove={({ id }) => set({ attachments: form.attachments.filter((one) => one.id !== id) })}
      onMoveEarlier={
        form.kind === "case-study"
          ? (media) => set({ attachments: movedEarlier(form.attachments, media) })
          : undefined
      }
    />
  );
}

/** Why the selected model can’t create the case study; null if it can, or that is unknown. */
function useCaseStudyRefusal({ kind, attachments }: NewTaskForm): string | null {
  const { data: model } = useSetting("model");
  if (kind !== "case-study" || model === undefined) return null;
  return caseStudyRefusal(model, attachments.length > 0);
}

/** The form of a new task, kept until the server has accepted it. */
function useNewTask(
  before: NewTaskForm,
  uploads: Uploads,
  onCreated: (id: number) => void,
): EditedForm<NewTaskForm> {
  const api = useTaskApi();
  const { data: model } = useSetting("model");
  const [draft] = useState(() => makeDraft(browserStorage));
  const create = useChange<NewTaskForm, Task>({
    send: (_, form) => api.create(bodyOf(form)),
    updateCache(_, { id }) {
      draft.write(null);
      onCreated(id);
    },
    announcement: ({ id }) => `Task #${id} queued.`,
    stale: [tasksKey],
  });
  return useForm({
    before,
    saving: create,
    names: fieldNames,
    draft,
    check: (form) => ({
      ...validate(form, model),
      ...(uploads.busy && { attachments: "wait until the images are uploaded" }),
    }),
    save: (form) => create.mutate(form),
  });
}

function queueLabel({ kind }: NewTaskForm, refusal: string | null): string {
  if (kind !== "case-study") return "Queue task";
  return refusal === null ? "Queue case study" : "Needs a model";
}

/** A new task: what to do, and what is known about it. */
export function NewTask(props: {
  /** The page it is about unless another one is chosen; '' for none. */
  page?: string;
  /** Its kind, unless an earlier form is continued. */
  kind?: NewTaskForm["kind"];
  onClose(): void;
  onCreated(id: number): void;
}): ReactElement {
  const images = useTaskImages();
  const { page: pageUrl = "", kind = "edit" } = props;
  const before = { ...emptyForm, pageUrl, kind };
  const edited = useNewTask(before, images.uploads, props.onCreated);
  images.latest.current = edited;
  const refusal = useCaseStudyRefusal(edited.form);
  return (
    <FormDialog
      title="New task"
      edited={edited}
      yes={queueLabel(edited.form, refusal)}
      refused="Couldn’t queue it. Your text is kept."
      onClose={props.onClose}
    >
      <Instruction edited={edited} />
      <About edited={edited} />
      <TaskImageFields edited={edited} {...images} />
      {edited.changed && (
        <p className="task-draft hint">
          Saved in this browser until you queue it.{" "}
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
