import { type ReactElement, useEffect, useEffectEvent, useState } from "react";

import { asApiError } from "../../api/client.ts";
import { fieldSentence } from "../../api/field-errors.ts";
import type { ListedMedia } from "../../api/types.ts";
import { SaveState, type SaveStatus } from "../../ui/SaveState.tsx";
import { TextArea } from "../../ui/TextArea.tsx";
import { useUnloadGuard } from "../../ui/useUnloadGuard.ts";
import { useSaveAlt } from "./useMedia.ts";

/** Pause in typing after which the text is saved, in ms. */
const restMs = 1000;

function refusal(cause: unknown): string {
  const error = asApiError(cause);
  return fieldSentence(error.fields.alt) ?? error.message;
}

/** An image's alt text, edited in place; saved after a pause and when the field loses focus. */
export function AltText({ item }: { item: ListedMedia }): ReactElement {
  const save = useSaveAlt(item);
  const [text, setText] = useState(item.alt);
  // The last text sent, so that a refused one isn't sent repeatedly.
  const [sent, setSent] = useState(item.alt);
  const changed = text.trim() !== sent.trim();
  const failed = save.isError && !changed;
  // It can be saved elsewhere on the page, too; a text being edited here stays.
  const [known, setKnown] = useState(item.alt);
  if (item.alt !== known) {
    setKnown(item.alt);
    if (!changed && item.alt !== sent.trim()) {
      setText(item.alt);
      setSent(item.alt);
    }
  }

  const store = useEffectEvent(() => {
    if (!changed) return;
    setSent(text);
    save.mutate(text);
  });
  useEffect(() => {
    if (!changed) return;
    const timer = setTimeout(store, restMs);
    return () => clearTimeout(timer);
  }, [text, changed]);
  useUnloadGuard(changed || save.isPending || failed);

  let status: SaveStatus = save.isSuccess ? "saved" : "clean";
  if (failed) status = "failed";
  if (save.isPending) status = "saving";
  if (changed) status = "changed";
  return (
    <TextArea
      label="Alt text"
      aside={<SaveState status={status} />}
      rows={2}
      maxLength={300}
      placeholder="What it shows"
      value={text}
      error={failed ? refusal(save.error) : null}
      onChange={setText}
      onBlur={() => {
        if (!changed && !failed) return;
        setSent(text);
        save.mutate(text);
      }}
    />
  );
}
