import { type ReactElement } from "react";

import { Button } from "../../../ui/Button.tsx";
import { FieldNotes } from "../../../ui/FieldNotes.tsx";
import { Notice } from "../../../ui/Notice.tsx";
import { PageHeader } from "../../../ui/PageHeader.tsx";
import { BuiltEditor } from "./design/BuiltEditor.tsx";
import { DraftTexts } from "./design/DraftTexts.tsx";
import { openFlags } from "./design/flags.ts";
import { flagNotes } from "./design/Flags.tsx";
import { useDraftTexts } from "./design/useDraftTexts.ts";
import { GallerySection } from "./gallery/GallerySection.tsx";
import { ErrorSummary } from "./parts/ErrorSummary.tsx";
import { LeaveDialog } from "./parts/LeaveDialog.tsx";
import { NewActions } from "./parts/NewActions.tsx";
import { NewFields } from "./parts/NewFields.tsx";
import { useFirstError } from "./useFirstError.ts";
import { useNewProject, useRestored, usePendingAction } from "./useNewProject.ts";
import { useStableFocus } from "./useStableFocus.ts";

function Restored({ onEmpty }: { onEmpty(): void }): ReactElement {
  return (
    <Notice
      kind="info"
      title="Your unsaved draft is back"
      actions={<Button onClick={onEmpty}>Start empty</Button>}
    />
  );
}

/** The page /admin/projects/new: first a brief, then the page built from it. */
export function NewPage(): ReactElement {
  const page = useNewProject();
  const { state, latest, dispatch, gallery, create, built, setBuilt } = page;
  const { build } = page.building;
  const [restored, startEmpty] = useRestored(page.drafts, latest, dispatch, setBuilt);
  const { waiting, start, stop } = usePendingAction(gallery, page.wish);
  const texts = useDraftTexts(latest, dispatch);
  const form = useFirstError(create.refusals);
  useStableFocus(form);
  const parts = { state, dispatch };
  return (
    <div className="page new-page" data-built={built !== null}>
      <PageHeader
        below="projects"
        title={built ? state.form.name || "New project" : "New project"}
      />
      {restored && <Restored onEmpty={startEmpty} />}
      {built ? (
        <BuiltEditor
          {...parts}
          latest={latest}
          gallery={gallery}
          built={built}
          create={create}
          waiting={waiting !== null}
          onBuilt={setBuilt}
          onCreate={start}
          onBack={() => {
            dispatch({ type: "fill", values: built.before });
            setBuilt(null);
          }}
        />
      ) : (
        <form ref={form} noValidate onSubmit={(event) => event.preventDefault()}>
          <ErrorSummary errors={state.errors} other={create.other} attempt={create.attempt} />
          <FieldNotes note={flagNotes(openFlags(state.form, texts.flags), texts.keep)}>
            <NewFields {...parts} />
          </FieldNotes>
          <DraftTexts texts={texts} />
          <GallerySection {...parts} gallery={gallery} title="Images" />
          <NewActions
            create={create}
            build={build}
            waiting={waiting}
            uploading={state.form.gallery.filter((slot) => slot.upload !== null).length}
            onStart={start}
            onStop={stop}
          />
        </form>
      )}
      <LeaveDialog guard={page.guard} gallery={gallery} />
    </div>
  );
}
