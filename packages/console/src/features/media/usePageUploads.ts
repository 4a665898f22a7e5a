import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";

import { useAnnounce, useClient, useUploadLimits } from "../../api/context.tsx";
import { useUnloadGuard } from "../../ui/useUnloadGuard.ts";
import { rebuildKey } from "../rebuild/RebuildBanner.tsx";
import { makePageUploads, type PageUploads, type UploadForm } from "./page-uploads.ts";
import { isActive, type UploadItem } from "./upload-queue.ts";
import { mediaListKey } from "./useMedia.ts";

/** One per document, so that all its parts show the same uploads. */
let shared: PageUploads | null = null;

/** The uploads of this document; earlier ones are continued. */
function useSharedUploads(): PageUploads {
  const client = useClient();
  const announce = useAnnounce();
  const limits = useUploadLimits();
  const [uploads] = useState(() => {
    if (shared === null) {
      shared = makePageUploads({ client, limits, announce });
      void shared.restore();
    }
    return shared;
  });
  return uploads;
}

/** The uploads of the admin pages; their results are added to the list when they are done. */
export function usePageUploads() {
  const queries = useQueryClient();
  const uploads = useSharedUploads();
  const state = useSyncExternalStore(uploads.subscribe, uploads.state);
  const stored = state.items.filter(({ status }) => status === "done").length;
  useEffect(() => {
    if (stored === 0) return;
    void queries.invalidateQueries({ queryKey: mediaListKey });
    void queries.invalidateQueries({ queryKey: rebuildKey });
  }, [stored, queries]);
  useUnloadGuard(state.busy);
  const { retry, cancel, dismiss, supply, forget } = uploads;
  const add = (files: readonly File[]): void => void uploads.add(files);
  return { ...state, add, retry, cancel, dismiss, supply, forget };
}

/** The uploads of one form, which continue when the page or the form is left. */
export interface Uploads {
  items: readonly UploadItem[];
  /** Whether files of this form aren't stored yet. */
  busy: boolean;
  /** Adds files; returns their keys in order. */
  add(files: readonly File[]): string[];
  retry(key: string): void;
  cancel(key: string): void;
  /** Removes finished uploads from the list. */
  dismiss(keys: readonly string[]): void;
}

/**
 * The uploads of a form, such as `project:7`. What the form has uploaded before, on this page or an
 * earlier one, comes to it as soon as it is opened.
 */
export function useFormUploads(
  form: string,
  listener: Pick<UploadForm, "onDone"> & Partial<UploadForm>,
): Uploads {
  const uploads = useSharedUploads();
  const { items: all, busy: isUnkept } = useSyncExternalStore(uploads.subscribe, uploads.state);
  const latest = useRef(listener);
  useEffect(() => {
    latest.current = listener;
  });
  useEffect(
    () =>
      uploads.openForm(form, {
        onEarlier: (key) => latest.current.onEarlier?.(key),
        onDone: (media, key) => latest.current.onDone(media, key),
      }),
    [uploads, form],
  );
  useUnloadGuard(isUnkept);
  const items = useMemo(
    () => all.filter(({ key }) => uploads.formOf(key) === form),
    [all, uploads, form],
  );
  const { retry, cancel, dismiss } = uploads;
  return {
    items,
    busy: items.some((item) => isActive(item) || item.status === "queued"),
    add: (files) => uploads.add(files, form),
    retry,
    cancel,
    dismiss,
  };
}
