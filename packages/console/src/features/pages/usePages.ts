import { useState } from "react";

import type {
  PageForm,
  PageList,
  PagesBody,
} from "../../../../server/src/features/pages/schema.ts";
import { useChange } from "../../api/useChange.ts";
import { useGet } from "../../api/useGet.ts";
import { tabStorage } from "../../ui/storage.ts";
import { type Content, isObject } from "./values.ts";

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

/** Changed fields by file, with the hash of the file's original. */
export type Draft = Readonly<Record<string, { hash: string; values: Content }>>;

function readDraft(): Draft {
  try {
    const stored: unknown = JSON.parse(tabStorage.get(draftKey) ?? "{}");
    return isObject(stored) ? (stored as Draft) : {};
  } catch {
    return {};
  }
}

/** Unsaved changes, kept in this tab until they are saved or discarded. */
export function useDraft() {
  const [draft, setDraft] = useState(readDraft);
  const keep = (next: Draft): void => {
    setDraft(next);
    if (Object.keys(next).length === 0) tabStorage.remove(draftKey);
    else tabStorage.set(draftKey, JSON.stringify(next));
  };
  return {
    draft,
    clear: () => keep({}),
    change({ file, hash }: PageForm, key: string, value: unknown) {
      const former = draft[file] ?? { hash, values: {} };
      keep({ ...draft, [file]: { ...former, values: { ...former.values, [key]: value } } });
    },
  };
}
