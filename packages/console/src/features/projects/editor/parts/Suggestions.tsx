import type { ReactElement } from "react";

import { Button } from "../../../../ui/Button.tsx";
import { Notice } from "../../../../ui/Notice.tsx";
import { Time } from "../../../time/Time.tsx";
import { draftFields, type StoredDraft } from "../drafts.ts";
import { type FieldName, fieldLabels } from "../form.ts";
import type { SectionProps } from "./section-props.ts";

const named = (fields: readonly FieldName[]): string =>
  fields.map((field) => fieldLabels[field]).join(", ");

/** Offers unsaved changes of an earlier visit stored in this browser. */
export function DraftSuggestion(props: {
  draft: StoredDraft;
  version: number;
  onTake(): void;
  onDiscard(): void;
}): ReactElement {
  const { draft } = props;
  return (
    <Notice
      kind="info"
      title="Unsaved changes from this browser"
      actions={
        <>
          <Button variant="primary" onClick={props.onTake}>
            Restore changes
          </Button>
          <Button onClick={props.onDiscard}>Discard changes</Button>
        </>
      }
    >
      <p>
        From <Time iso={new Date(draft.at).toISOString()} />: {named(draftFields(draft))}.
        {draft.version !== props.version && " The project has been saved since then."}
      </p>
    </Notice>
  );
}

/** After a conflict that dropped some of the owner's values: restores them. */
export function AsideSuggestion({ state, dispatch }: SectionProps): ReactElement | null {
  if (state.aside === null) return null;
  return (
    <Notice
      kind="info"
      title="Your version is still here"
      actions={
        <>
          <Button onClick={() => dispatch({ type: "bringBackMine" })}>Restore my version</Button>
          <Button onClick={() => dispatch({ type: "forgetMine" })}>Discard it</Button>
        </>
      }
    >
      <p>Now using theirs for {named(state.aside.fields)}.</p>
    </Notice>
  );
}
