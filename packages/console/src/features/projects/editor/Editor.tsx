import { type ReactElement, useRef, useState } from "react";

import type { ProjectDetail } from "../../../../../server/src/features/projects/schema.ts";
import { FieldNotes } from "../../../ui/FieldNotes.tsx";
import { PageHeader } from "../../../ui/PageHeader.tsx";
import { changesOf } from "./changes.ts";
import { DraftTexts } from "./design/DraftTexts.tsx";
import { openFlags } from "./design/flags.ts";
import { flagNotes } from "./design/Flags.tsx";
import { useDraftTexts } from "./design/useDraftTexts.ts";
import { type Form, toValues, type Values } from "./form.ts";
import { GallerySection } from "./gallery/GallerySection.tsx";
import { useGallery } from "./gallery/useGallery.ts";
import { BasicsSection } from "./parts/BasicsSection.tsx";
import { ConflictBanner } from "./parts/ConflictBanner.tsx";
import { ErrorSummary } from "./parts/ErrorSummary.tsx";
import { FactsSection } from "./parts/FactsSection.tsx";
import { LeaveDialog } from "./parts/LeaveDialog.tsx";
import { MetricsSection } from "./parts/MetricsSection.tsx";
import type { SectionProps } from "./parts/section-props.ts";
import { SkillsSection } from "./parts/SkillsSection.tsx";
import { AsideSuggestion, DraftSuggestion } from "./parts/Suggestions.tsx";
import { BodySection, BriefSection, ReelSection } from "./parts/TextSections.tsx";
import { PreviewDialog } from "./rail/PreviewDialog.tsx";
import { Rail } from "./rail/Rail.tsx";
import { usePreview } from "./rail/usePreview.ts";
import { editorAddress, useCreate } from "./useCreate.ts";
import { useEditorState } from "./useEditorState.ts";
import { useFirstError } from "./useFirstError.ts";
import { useLeaveGuard } from "./useLeaveGuard.ts";
import { useLinkedField } from "./useLinkedField.ts";
import { useSaveKey } from "./useSaveKey.ts";
import { type Saving, useSaving } from "./useSaving.ts";
import { useStableFocus } from "./useStableFocus.ts";
import { type StoredDrafts, useStoredDraft } from "./useStoredDraft.ts";

function Above(
  props: SectionProps & { saving: Saving; drafts: StoredDrafts; onSaveChoices(): void },
): ReactElement {
  const { state, dispatch, drafts } = props;
  const [offered] = drafts.offered;
  return (
    <div className="editor-above">
      <ConflictBanner state={state} dispatch={dispatch} onSave={props.onSaveChoices} />
      {offered && state.conflict === null && (
        <DraftSuggestion
          draft={offered}
          version={state.base.version}
          onTake={() => {
            dispatch({ type: "takeDraft", draft: offered });
            drafts.settle(offered.id);
          }}
          onDiscard={() => drafts.settle(offered.id)}
        />
      )}
      <AsideSuggestion state={state} dispatch={dispatch} />
      <ErrorSummary errors={state.errors} other={props.saving.other} />
    </div>
  );
}

/** The whole form without its slug, so that the server makes a free one. */
function unnamed(form: Form): Partial<Values> {
  const { slug: _slug, ...values } = toValues(form);
  return values;
}

/** The form of a project, with the rail for saving and publishing. */
export function Editor({ project }: { project: ProjectDetail }): ReactElement {
  const { state, latest, dispatch } = useEditorState(project);
  const saving = useSaving(latest, dispatch);
  const gallery = useGallery(latest, dispatch, project.id);
  const drafts = useStoredDraft(state, latest);
  const [framed, setFramed] = useState(false);
  const unsaved = Object.keys(changesOf(state.base, state.form)).length > 0;
  const guard = useLeaveGuard(unsaved || gallery.failed > 0);
  const preview = usePreview({ projectId: state.base.id, unsaved, save: () => saving.save() });
  const { create } = useCreate(latest, dispatch);
  const form = useFirstError(saving.refusals);
  useLinkedField(form);
  const all = useRef<HTMLDivElement>(null);
  useStableFocus(all);
  useSaveKey(() => {
    if (latest().conflict === null) void saving.save();
    else all.current?.querySelector<HTMLElement>(".conflict h2")?.focus();
  });
  const texts = useDraftTexts(latest, dispatch);
  const parts = { state, dispatch };
  return (
    <div className="editor" ref={all}>
      <PageHeader below="projects" title={state.base.name} />
      <form ref={form} noValidate onSubmit={(event) => event.preventDefault()}>
        <Above
          {...parts}
          saving={saving}
          drafts={drafts}
          onSaveChoices={() => {
            dispatch({ type: "resolve" });
            void saving.save();
          }}
        />
        <FieldNotes note={flagNotes(openFlags(state.form, texts.flags), texts.keep)}>
          <BasicsSection {...parts} />
          <DraftTexts texts={texts} />
          <GallerySection {...parts} gallery={gallery} />
          <BodySection {...parts} />
        </FieldNotes>
        <FactsSection {...parts} />
        <MetricsSection {...parts} />
        <SkillsSection {...parts} />
        <ReelSection {...parts} />
        <BriefSection {...parts} />
      </form>
      <Rail
        {...{ state, saving, unsaved, preview }}
        gallery={gallery}
        onShowPreview={() => setFramed(true)}
        onSaveAsNew={() =>
          void create(unnamed(state.form)).then((made) => made && guard.go(editorAddress(made.id)))
        }
      />
      {framed && preview.address !== null && (
        <PreviewDialog address={preview.address} onClose={() => setFramed(false)} />
      )}
      <LeaveDialog guard={guard} gallery={gallery} onSave={() => saving.save()} />
    </div>
  );
}
