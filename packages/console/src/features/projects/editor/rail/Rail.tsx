import { type ReactElement, useState } from "react";

import { useSite } from "../../../../api/context.tsx";
import { Button } from "../../../../ui/Button.tsx";
import { formatCount } from "../../../../ui/format.ts";
import { mod } from "../../../../ui/key-names.ts";
import { Notice } from "../../../../ui/Notice.tsx";
import { SaveState } from "../../../../ui/SaveState.tsx";
import type { EditorState } from "../editor-types.ts";
import type { Gallery } from "../gallery/useGallery.ts";
import type { Saving } from "../useSaving.ts";
import { PreviewPanel } from "./PreviewPanel.tsx";
import { saveLabels, shortTime } from "./save-labels.ts";
import { SiteStatus } from "./SiteStatus.tsx";
import { StatusButtons } from "./StatusButtons.tsx";
import type { Preview } from "./usePreview.ts";

export interface RailProps {
  state: EditorState;
  saving: Saving;
  unsaved: boolean;
  gallery: Pick<Gallery, "uploads" | "failed">;
  preview: Preview;
  onShowPreview(): void;
  onSaveAsNew(): void;
}

/** Errors whose message already says what is saved. */
const saysWhatIsKept: ReadonlySet<string> = new Set(["offline", "unauthenticated"]);

function SaveFailure({ saving, onSaveAsNew }: RailProps): ReactElement | null {
  if (saving.phase !== "failed") return null;
  if (saving.gone)
    return (
      <Notice
        kind="error"
        title="This project was deleted"
        actions={<Button onClick={onSaveAsNew}>Save as a new project</Button>}
      >
        <p>Your text is still on this page.</p>
      </Notice>
    );
  if (saving.error)
    return (
      <Notice
        kind="error"
        actions={
          <Button icon="reload" onClick={() => void saving.save()}>
            Retry
          </Button>
        }
      >
        <p>
          {saving.error.message}
          {saysWhatIsKept.has(saving.error.code) ? null : " Your text is kept here."}
        </p>
      </Notice>
    );
  return null;
}

/** What a save leaves out because its file is missing. */
function Unfinished({ uploads, failed }: RailProps["gallery"]): ReactElement | null {
  if (uploads.busy)
    return <p className="hint">Files are still uploading. Save when they’re done.</p>;
  if (failed === 0) return null;
  return (
    <p className="hint">
      {formatCount(failed, "upload")} failed. Gallery places without a file aren’t saved.
    </p>
  );
}

/** What is saved and what is public, with buttons for both; always visible. */
export function Rail(props: RailProps): ReactElement {
  const { state, saving, unsaved } = props;
  const [open, setOpen] = useState(false);
  const { timeZone } = useSite();
  const { base } = state;
  const mistakes = Object.keys(state.errors).length + saving.other.length;
  const savedAt = shortTime(base.updatedAt, new Date(), timeZone);
  const words = saveLabels(saving, mistakes, unsaved, savedAt);
  const busy = saving.phase === "saving";
  return (
    <aside className="rail" aria-label="Saving and publishing">
      <div className="rail-main">
        <SaveState status={words.status} text={words.text} />
        <Button
          variant="primary"
          busy={busy}
          disabled={state.conflict !== null}
          describedBy="save-hint"
          onClick={() => void saving.save()}
        >
          Save
        </Button>
        <span className="rail-toggle">
          <Button
            icon="more"
            label={open ? "Fewer actions" : "More actions"}
            expanded={open}
            onClick={() => setOpen(!open)}
          />
        </span>
        <span id="save-hint" className="hint save-hint">
          {mod}+S also saves.
        </span>
      </div>
      <SaveFailure {...props} />
      <Unfinished {...props.gallery} />
      <div className="rail-more" data-open={open}>
        <StatusButtons
          status={base.status}
          slug={base.slug}
          unsaved={unsaved}
          busy={busy}
          disabled={state.conflict !== null}
          onPublish={() => void saving.save("published")}
          onStatus={(status) => void saving.changeStatus(status)}
        />
        <PreviewPanel preview={props.preview} unsaved={unsaved} onOpen={props.onShowPreview} />
        <SiteStatus status={base.status} />
        {base.status === "published" && base.audience === "everyone" && (
          <p className="hint">
            <a href={`/admin/pages?project=${base.slug}`}>Choose a share image</a>
          </p>
        )}
      </div>
    </aside>
  );
}
