import { useEffect, useRef, useState } from "react";

import { browserStorage } from "../../../ui/storage.ts";
import { changesOf, pick, isUnchanged } from "./changes.ts";
import { type StoredDraft, makeDrafts } from "./drafts.ts";
import type { EditorState } from "./editor-types.ts";
import type { FieldName } from "./form.ts";
import { newKey } from "./keyed-list.ts";

/** Pause in typing before the draft is stored, in ms. */
const calm = 400;

export interface StoredDrafts {
  /** Drafts of earlier page loads, newest first. */
  offered: readonly StoredDraft[];
  /** Deletes an offered draft. */
  settle(id: string): void;
  /** Deletes this page load's draft, because it is saved now. */
  forget(): void;
}

function draftOf(id: string, { base, form, known }: EditorState): StoredDraft | null {
  const changes = changesOf(base, form);
  const fields = Object.keys(changes) as FieldName[];
  if (fields.length === 0) return null;
  const media = (changes.gallery ?? []).flatMap(({ src }) => known[src] ?? []);
  return {
    id,
    at: Date.now(),
    version: base.version,
    changes,
    base: pick(base, fields),
    ...(media.length > 0 && { media }),
  };
}

/** Stores unsaved changes in this browser and offers those of earlier page loads. */
export function useStoredDraft(state: EditorState, latest: () => EditorState): StoredDrafts {
  const [drafts] = useState(() => makeDrafts(browserStorage, state.base.id));
  const [id] = useState(() => `${Date.now().toString(36)}-${newKey()}`);
  const [offered, setOffered] = useState(() =>
    drafts.list().filter((draft) => !isUnchanged(state.base, draft.changes)),
  );
  const over = useRef(false);
  const { base, form } = state;

  useEffect(() => {
    function keep(): void {
      if (over.current) return;
      const draft = draftOf(id, latest());
      if (draft) drafts.keep(draft);
      else drafts.forget(id);
    }
    const timer = setTimeout(keep, calm);
    addEventListener("pagehide", keep);
    return () => {
      clearTimeout(timer);
      removeEventListener("pagehide", keep);
    };
  }, [drafts, id, latest, base, form]);

  return {
    offered,
    forget() {
      over.current = true;
      drafts.forget(id);
    },
    settle(which) {
      drafts.forget(which);
      setOffered((known) => known.filter((draft) => draft.id !== which));
    },
  };
}
