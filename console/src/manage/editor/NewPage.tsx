import { type ReactElement, useEffect, useEffectEvent, useState } from "react";

import { Button } from "../components/Button.tsx";
import { ErrorState } from "../components/ErrorState.tsx";
import { Notice } from "../components/Notice.tsx";
import { counted } from "../words.ts";
import { changesOf } from "./changes.ts";
import { GallerySection } from "./gallery/GallerySection.tsx";
import { type Gallery, useGallery } from "./gallery/useGallery.ts";
import { checkNew, emptyProject, newProject } from "./new-project.ts";
import { ErrorSummary } from "./parts/ErrorSummary.tsx";
import { LeaveDialog } from "./parts/LeaveDialog.tsx";
import { NewFields } from "./parts/NewFields.tsx";
import { useFocusKept } from "./useFocusKept.ts";
import { type Create, editorAddress, useCreate } from "./useCreate.ts";
import { type Dispatch, useEditorState } from "./useEditorState.ts";
import { useFirstMistake } from "./useFirstMistake.ts";
import { type KeptDrafts, useKeptDraft } from "./useKeptDraft.ts";
import { type LeaveGuard, useLeaveGuard } from "./useLeaveGuard.ts";

/** What was written here before a reload comes back by itself; gives whether it did. */
function useRestored(drafts: KeptDrafts, dispatch: Dispatch): [boolean, () => void] {
  const [restored, setRestored] = useState(false);
  const restore = useEffectEvent(() => {
    const [draft] = drafts.offered;
    if (!draft) return;
    dispatch({ type: "takeDraft", draft });
    drafts.settle(draft.id);
    setRestored(true);
  });
  useEffect(() => restore(), []);
  return [
    restored,
    () => {
      dispatch({ type: "open", project: emptyProject });
      setRestored(false);
    },
  ];
}

/** Waits for the uploads, then makes the project; says what stands in the way. */
function useWaiting(gallery: Gallery, work: () => void) {
  const [waiting, setWaiting] = useState(false);
  const act = useEffectEvent(work);
  const { busy } = gallery.uploads;
  useEffect(() => {
    if (!waiting || busy) return;
    setWaiting(false);
    act();
  }, [waiting, busy]);
  return { waiting, start: () => setWaiting(true), stop: () => setWaiting(false) };
}

function Actions(props: {
  create: Create;
  waiting: boolean;
  uploading: number;
  onSave(): void;
  onStop(): void;
}): ReactElement {
  const { create, waiting } = props;
  return (
    <section className="new-actions" aria-label="Save">
      {create.error && (
        <ErrorState
          what="The project was not saved."
          error={create.error}
          kept="Everything is kept here."
          onRetry={props.onSave}
        />
      )}
      <p role="status">
        {waiting && `Waiting for ${counted(props.uploading, "upload")}, then it is saved.`}
      </p>
      <div className="actions">
        <Button look="primary" busy={create.busy || waiting} onClick={props.onSave}>
          Save as draft
        </Button>
        {waiting && <Button onClick={props.onStop}>Don’t save yet</Button>}
        <Button disabled describedBy="designer-later">
          Build with Web Designer
        </Button>
      </div>
      <p id="designer-later" className="hint">
        Building with the Web Designer comes with the next version: save the draft, everything here
        is kept.
      </p>
    </section>
  );
}

function Restored({ onEmpty }: { onEmpty(): void }): ReactElement {
  return (
    <Notice
      kind="info"
      title="What you had written here is back"
      actions={<Button onClick={onEmpty}>Start empty</Button>}
    />
  );
}

function useNewProject() {
  const { state, latest, dispatch } = useEditorState(emptyProject);
  const gallery = useGallery(latest, dispatch);
  const drafts = useKeptDraft(state, latest);
  const unsaved = Object.keys(changesOf(state.base, state.form)).length > 0;
  const guard: LeaveGuard = useLeaveGuard(unsaved || gallery.uploads.busy || gallery.failed > 0);
  const create = useCreate(latest, dispatch);

  async function save(): Promise<boolean> {
    const { form } = latest();
    const failed = form.gallery.filter((slot) => slot.upload !== null).length;
    const other =
      failed > 0 ? [`${counted(failed, "upload")} failed: retry it, or give it up.`] : [];
    const errors = checkNew(form);
    if (Object.keys(errors).length > 0 || other.length > 0) {
      create.refuse(errors, other);
      return false;
    }
    const made = await create.create(newProject(form));
    if (made === null) return false;
    drafts.forget();
    guard.go(editorAddress(made.id));
    return true;
  }
  return { state, dispatch, gallery, drafts, guard, create, save };
}

/** The page /admin/projects/new: the little that a project begins with. */
export function NewPage(): ReactElement {
  const { state, dispatch, gallery, drafts, guard, create, save } = useNewProject();
  const [restored, startEmpty] = useRestored(drafts, dispatch);
  const waiting = useWaiting(gallery, () => void save());
  const form = useFirstMistake(create.refusals);
  useFocusKept(form);
  const parts = { state, dispatch };
  return (
    <div className="new-page">
      <p className="eyebrow">
        <a href="/admin/projects">Projects</a>
      </p>
      <h1>New project</h1>
      <form ref={form} noValidate onSubmit={(event) => event.preventDefault()}>
        {restored && <Restored onEmpty={startEmpty} />}
        <ErrorSummary errors={state.errors} other={create.other} />
        <NewFields {...parts} />
        <GallerySection {...parts} gallery={gallery} title="Pictures" />
        <Actions
          create={create}
          waiting={waiting.waiting}
          uploading={state.form.gallery.filter((slot) => slot.upload !== null).length}
          onSave={waiting.start}
          onStop={waiting.stop}
        />
      </form>
      <LeaveDialog guard={guard} gallery={gallery} />
    </div>
  );
}
