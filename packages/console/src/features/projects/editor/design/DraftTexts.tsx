import type { ReactElement } from "react";

import { Button } from "../../../../ui/Button.tsx";
import { Notice } from "../../../../ui/Notice.tsx";
import { ErrorState } from "../../../errors/ErrorState.tsx";
import { fieldLabels } from "../form.ts";
import type { DraftTexts as State } from "./useDraftTexts.ts";

const named = (texts: object): string =>
  Object.keys(texts)
    .map((field) => fieldLabels[field as keyof typeof fieldLabels])
    .join(", ");

/** What a new draft fills in, what it would replace, and how to undo it. */
function Outcome({ texts }: { texts: State }): ReactElement | null {
  const { offered, replaced, outline, flags } = texts;
  if (offered === null && replaced === null) return null;
  return (
    <Notice
      kind="info"
      title={
        outline ? "No model is set up. This outline uses your words." : "Drafted from your brief"
      }
      actions={
        <>
          {offered && (
            <>
              <Button variant="primary" onClick={texts.replace}>
                Replace mine
              </Button>
              <Button onClick={texts.dismiss}>Keep mine</Button>
            </>
          )}
          {replaced && <Button onClick={texts.undo}>Undo</Button>}
        </>
      }
    >
      {replaced && <p>Filled: {named(replaced)}.</p>}
      {offered && <p>These fields already have your text: {named(offered)}.</p>}
      {flags.length > 0 && (
        <p>Not in your brief: {flags.map(({ text }) => text).join(", ")}. Keep it or change it.</p>
      )}
    </Notice>
  );
}

/** Drafts summary, lede, and text from the brief. */
export function DraftTexts({ texts }: { texts: State }): ReactElement {
  return (
    <div className="draft-texts">
      <div className="actions">
        <Button icon="edit" busy={texts.busy} onClick={() => void texts.draft()}>
          Draft summary, lede and text
        </Button>
      </div>
      {texts.error && (
        <ErrorState
          what="Couldn’t draft the text."
          error={texts.error}
          note="Your text is unchanged."
          onRetry={() => void texts.draft()}
        />
      )}
      <Outcome texts={texts} />
    </div>
  );
}
