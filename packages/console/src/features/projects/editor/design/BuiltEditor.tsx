import { type ReactElement, useEffect, useRef, useState } from "react";

import { Button } from "../../../../ui/Button.tsx";
import { ConfirmDialog } from "../../../../ui/ConfirmDialog.tsx";
import { FieldNotes } from "../../../../ui/FieldNotes.tsx";
import { formatCount } from "../../../../ui/format.ts";
import { Notice } from "../../../../ui/Notice.tsx";
import { SegmentedControl } from "../../../../ui/SegmentedControl.tsx";
import { ErrorState } from "../../../errors/ErrorState.tsx";
import type { EditorState } from "../editor-types.ts";
import { GallerySection } from "../gallery/GallerySection.tsx";
import type { Gallery } from "../gallery/useGallery.ts";
import { BasicsSection } from "../parts/BasicsSection.tsx";
import { ErrorSummary } from "../parts/ErrorSummary.tsx";
import { FactsSection } from "../parts/FactsSection.tsx";
import { MetricsSection } from "../parts/MetricsSection.tsx";
import type { SectionProps } from "../parts/section-props.ts";
import { SkillsSection } from "../parts/SkillsSection.tsx";
import { BodySection, BriefSection, ReelSection } from "../parts/TextSections.tsx";
import type { Create } from "../useCreate.ts";
import type { Dispatch } from "../useEditorState.ts";
import { useFirstError } from "../useFirstError.ts";
import type { Built } from "./built.ts";
import { BuiltPage } from "./BuiltPage.tsx";
import { openFlags } from "./flags.ts";
import { FlagList, flagNotes } from "./Flags.tsx";

type Status = "draft" | "published";

export interface BuiltEditorProps {
  state: EditorState;
  latest(): EditorState;
  dispatch: Dispatch;
  gallery: Gallery;
  built: Built;
  create: Create;
  /** Why it can't be created now. */
  waiting: boolean;
  onBuilt(built: Built): void;
  onCreate(status: Status): void;
  onBack(): void;
}

type Pane = "page" | "fields";
const panes = [
  { value: "page", label: "Page" },
  { value: "fields", label: "Fields" },
] as const;

/** Shows the field with a name, in whichever pane it is. */
function useGo(setPane: (pane: Pane) => void) {
  const fields = useRef<HTMLDivElement>(null);
  return {
    fields,
    go(path: string, take: boolean): void {
      if (take) setPane("fields");
      requestAnimationFrame(() => {
        const control = fields.current?.querySelector<HTMLElement>(`[name="${CSS.escape(path)}"]`);
        const field = control?.closest<HTMLElement>(".field");
        field?.scrollIntoView({ block: "center" });
        if (take) control?.focus();
        for (const other of fields.current?.querySelectorAll("[data-meant]") ?? [])
          other.removeAttribute("data-meant");
        // The focused field scrolls into view by itself.
        if (!take) field?.setAttribute("data-meant", "");
      });
    },
  };
}

function BuildNotes({ built }: { built: Built }): ReactElement | null {
  const notes = built.notes.filter((note) => !built.outline || !note.startsWith("No model"));
  if (!built.outline && notes.length === 0) return null;
  return (
    <Notice
      kind="info"
      quiet
      title={
        built.outline ? "No model is set up. This outline uses your words." : "Notes on this page"
      }
    >
      {notes.map((note) => (
        <p key={note}>{note}</p>
      ))}
    </Notice>
  );
}

/** Asks for confirmation before creating a project with content that isn't in the brief. */
function useAsking(left: number, onCreate: (status: Status) => void) {
  const [statusToCreate, setStatusToCreate] = useState<Status | null>(null);
  return {
    ask: (status: Status) => (left > 0 ? setStatusToCreate(status) : onCreate(status)),
    dialog: statusToCreate && (
      <ConfirmDialog
        question={`Create the project with ${formatCount(left, "thing")} that ${left === 1 ? "isn’t" : "aren’t"} in your brief?`}
        yes={statusToCreate === "published" ? "Create and publish" : "Create the draft"}
        no="Keep reviewing"
        busy={false}
        onNo={() => setStatusToCreate(null)}
        onYes={() => {
          setStatusToCreate(null);
          onCreate(statusToCreate);
        }}
      >
        <p>You can change them later.</p>
      </ConfirmDialog>
    ),
  };
}

function Bar(props: BuiltEditorProps & { ask(status: Status): void }): ReactElement {
  const { create, waiting } = props;
  const busy = create.busy || waiting;
  return (
    <section className="built-bar" aria-label="Create">
      {create.error && (
        <ErrorState
          what="Couldn’t create the project."
          error={create.error}
          note="Nothing on this page is lost."
        />
      )}
      <div className="actions">
        <Button variant="primary" busy={busy} onClick={() => props.ask("draft")}>
          Create draft
        </Button>
        <Button busy={busy} onClick={() => props.ask("published")}>
          Create and publish
        </Button>
      </div>
    </section>
  );
}

function Fields(props: SectionProps & { gallery: Gallery }): ReactElement {
  return (
    <>
      <BasicsSection {...props} />
      <GallerySection {...props} />
      <BodySection {...props} />
      <FactsSection {...props} />
      <MetricsSection {...props} />
      <SkillsSection {...props} />
      <ReelSection {...props} />
      <BriefSection {...props} />
    </>
  );
}

/** The Web Designer's result: the page next to its fields. */
export function BuiltEditor(props: BuiltEditorProps): ReactElement {
  const { state, dispatch, gallery, built, create } = props;
  const [pane, setPane] = useState<Pane>("page");
  const title = useRef<HTMLHeadingElement>(null);
  const { fields, go } = useGo(setPane);
  const form = useFirstError(create.refusals);
  const flags = openFlags(state.form, built.flags);
  const { ask, dialog } = useAsking(flags.length, props.onCreate);
  const keep = (gone: readonly object[]): void =>
    props.onBuilt({ ...built, flags: built.flags.filter((flag) => !gone.includes(flag)) });
  useEffect(() => title.current?.focus(), []);
  // Errors from before the page was built no longer apply.
  const [earlierRefusals] = useState(create.refusals);
  useEffect(() => {
    if (create.refusals > earlierRefusals) setPane("fields");
  }, [create.refusals, earlierRefusals]);
  const parts = { state, dispatch };
  const note = flagNotes(flags, (flag) => keep([flag]));
  return (
    <div className="built" data-pane={pane}>
      <div className="built-head">
        <div className="built-title">
          <h2 ref={title} tabIndex={-1}>
            Your page
          </h2>
          <Button variant="bare" onClick={props.onBack}>
            Back to your brief
          </Button>
        </div>
        <BuildNotes built={built} />
        <FlagList
          form={state.form}
          flags={flags}
          onGo={(path) => go(path, true)}
          onKeepAll={() => keep(flags)}
        />
        <div className="built-panes">
          <SegmentedControl
            legend="View"
            value={pane}
            options={panes}
            onChange={(next: Pane) => setPane(next)}
          />
        </div>
      </div>
      <div className="built-fields" ref={fields}>
        <form ref={form} noValidate onSubmit={(event) => event.preventDefault()}>
          <ErrorSummary errors={state.errors} other={create.other} attempt={create.attempt} />
          <FieldNotes note={note}>
            <Fields {...parts} gallery={gallery} />
          </FieldNotes>
        </form>
      </div>
      <BuiltPage {...parts} latest={props.latest} onGo={go} />
      <Bar {...props} ask={ask} />
      {dialog}
    </div>
  );
}
