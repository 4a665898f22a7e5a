import { useState } from "react";

import type {
  PageForm,
  PageList,
  PagesBody,
} from "../../../../server/src/features/pages/schema.ts";
import { useChange } from "../../api/useChange.ts";
import { useGet } from "../../api/useGet.ts";
import { tabStorage } from "../../ui/storage.ts";
import {
  type Draft,
  type FileDraft,
  noDraft,
  readDraft,
  type SentDraft,
  withField,
  withFile,
  withPreview,
} from "./draft.ts";

export type { PageForm, PageList };
export type ListedPage = PageList["pages"][number];

export const siteFile = "app/src/content/site.json";
const listKey = ["pages"] as const;
const draftKey = "pages";

export function usePageList() {
  return useGet<PageList>(listKey, "/api/adminpages/list");
}

export function usePageForm(file: string) {
  return useGet<PageForm>(["page", file], "/api/adminpages/get", { file });
}

/** Starts the run that changes the pages. */
export function useSavePages() {
  return useChange<PagesBody, { runId: string }>({
    send: (client, input) => client.post("/devconsole/pages", input),
    announcement: () => "Building a preview…",
    awaited: [listKey],
    stale: [["page"]],
  });
}

function storedDraft(): SentDraft {
  try {
    return readDraft(JSON.parse(tabStorage.get(draftKey) ?? "{}"));
  } catch {
    return noDraft;
  }
}

/**
 * What was changed and has no preview yet; it stays in this tab until a run has built one, or until it is
 * dropped.
 */
export function useDraft() {
  const [{ files, sent }, setDraft] = useState(storedDraft);
  const keep = (change: (former: SentDraft) => SentDraft): void =>
    setDraft((former) => {
      const next = change(former);
      if (Object.keys(next.files).length === 0) tabStorage.remove(draftKey);
      else tabStorage.set(draftKey, JSON.stringify(next));
      return next;
    });
  return {
    draft: files,
    /** The run that builds a preview of it, or couldn't. */
    runId: sent?.runId ?? null,
    clear: () => keep(() => noDraft),
    change(form: PageForm, key: string, value: unknown) {
      keep((former) => ({ ...former, files: withField(former.files, form, [key, value]) }));
    },
    /** Puts another draft in the place of a file's; null drops it. */
    put(file: string, next: FileDraft | null) {
      keep((former) => ({ ...former, files: withFile(former.files, file, next) }));
    },
    sent(runId: string, sentFiles: Draft) {
      keep((former) => ({ ...former, sent: { runId, files: sentFiles } }));
    },
    previewed: () => keep(withPreview),
  };
}
