import type { ReactElement } from "react";

import { Button } from "../../../../ui/Button.tsx";
import { Icon } from "../../../../ui/Icon.tsx";
import { Notice } from "../../../../ui/Notice.tsx";
import { plainText } from "../../../../ui/plain-text.ts";
import type { Preview } from "./usePreview.ts";

/** The build's output lines, if the error contains them. */
function linesOf(details: unknown): string[] {
  const errors = (details as { errors?: unknown } | null)?.errors;
  return Array.isArray(errors) ? errors.map(plainText).filter((line) => line.trim() !== "") : [];
}

function Failure({ preview }: { preview: Preview }): ReactElement | null {
  if (preview.error === null) return null;
  const log = linesOf(preview.error.details).join("\n");
  return (
    <Notice kind="error" title="Couldn’t build the preview">
      <p>{plainText(preview.error.message)} Your saved changes are kept.</p>
      {log !== "" && (
        <pre className="preview-log" tabIndex={0}>
          {log}
        </pre>
      )}
    </Notice>
  );
}

const labels: Readonly<Record<Preview["phase"], string>> = {
  none: "Preview",
  saving: "Saving…",
  building: "Building…",
  ready: "Preview again",
  failed: "Preview again",
};

/** Builds and opens a private preview of the page. */
export function PreviewPanel(props: {
  preview: Preview;
  unsaved: boolean;
  onOpen(): void;
}): ReactElement {
  const { preview, unsaved } = props;
  const busy = preview.phase === "saving" || preview.phase === "building";
  const label = !busy && unsaved ? "Save and preview" : labels[preview.phase];
  return (
    <div className="rail-part">
      <div className="actions">
        <Button busy={busy} onClick={() => void preview.build()}>
          {label}
        </Button>
        {preview.address !== null && (
          <>
            <Button variant="primary" onClick={props.onOpen}>
              Show the preview
            </Button>
            <a className="button" href={preview.address} target="_blank" rel="noopener">
              <Icon name="external" />
              Open in a tab
            </a>
          </>
        )}
      </div>
      <Failure preview={preview} />
    </div>
  );
}
