import { type ReactElement, useRef, useState } from "react";

import { useAnnounce } from "../../../../api/context.tsx";
import { Button } from "../../../../ui/Button.tsx";
import { SegmentedControl } from "../../../../ui/SegmentedControl.tsx";
import { type Device, deviceOptions } from "../../../preview/preview-url.ts";
import { ErrorState } from "../../../errors/ErrorState.tsx";
import type { EditorState } from "../editor-types.ts";
import { builtProject } from "../new-project.ts";
import type { Dispatch } from "../useEditorState.ts";
import { check } from "../validate.ts";
import { PageFrame } from "./PageFrame.tsx";
import { locateText, type TextLocation, writeAt } from "./text-location.ts";
import { type LivePreview, useLivePreview } from "./useLivePreview.ts";

function statusText(preview: LivePreview, wrong: boolean): string {
  if (wrong) return "The page updates once the errors are fixed.";
  if (preview.updating) return preview.address === null ? "Building the page…" : "Updating…";
  return preview.error ? "" : "Up to date";
}

/** Applies edits on the page to its fields. */
function useTexts(
  latest: () => EditorState,
  dispatch: Dispatch,
  onGo: (path: string, take: boolean) => void,
) {
  const announce = useAnnounce();
  const places = useRef(new Map<string, TextLocation>());
  return {
    onText(key: string, text: string): void {
      const place = locateText(latest().form, text);
      if (place === null) {
        places.current.delete(key);
        announce("This text isn’t part of the project.");
        return;
      }
      places.current.set(key, place);
      onGo(place.path, !place.writable);
    },
    onEdited(key: string, text: string): void {
      const place = places.current.get(key);
      const write = place && writeAt(latest().form, place, text);
      if (!place || !write) {
        announce("This can’t be edited on the page. Use its field instead.");
        return;
      }
      dispatch(write as Parameters<Dispatch>[0]);
      places.current.set(key, { ...place, written: text });
    },
  };
}

/** The page as it would be, next to its fields; its texts lead to them and can be edited. */
export function BuiltPage(props: {
  state: EditorState;
  latest(): EditorState;
  dispatch: Dispatch;
  /** Shows the field with this name; with `take`, it gets the focus. */
  onGo(path: string, take: boolean): void;
}): ReactElement {
  const { state, latest, dispatch } = props;
  const [device, setDevice] = useState<Device>("full");
  const stage = useRef<HTMLElement>(null);
  const { slug: _slug, ...errors } = check(state.form);
  const wrong = Object.keys(errors).length > 0;
  const preview = useLivePreview(
    wrong ? null : builtProject(state.form),
    () => document.activeElement instanceof HTMLIFrameElement && document.hasFocus(),
  );
  const texts = useTexts(latest, dispatch, props.onGo);
  return (
    <section className="built-page" aria-label="The page" ref={stage}>
      <div className="built-tools">
        <span className="save-state" role="status">
          {statusText(preview, wrong)}
        </span>
        <SegmentedControl
          legend="Size of the page"
          value={device}
          options={deviceOptions}
          onChange={(next: Device) => setDevice(next)}
        />
      </div>
      {preview.error && (
        <ErrorState
          what="Couldn’t show the page."
          error={preview.error}
          note="Your changes are kept."
          onRetry={preview.retry}
        />
      )}
      {preview.address === null ? (
        <div className="page-stage" aria-busy={preview.updating}>
          {preview.updating && <Button busy>Building the page…</Button>}
        </div>
      ) : (
        <PageFrame address={preview.address} device={device} busy={preview.updating} {...texts} />
      )}
      <p className="hint">
        Click any text on the page to edit it, or use its field. Only you can see this page.
      </p>
    </section>
  );
}
