import { useState } from "react";

import type {
  PageForm,
  PageList,
  PagesBody,
} from "../../../../server/src/features/pages/schema.ts";
import { useChange } from "../../api/useChange.ts";
import { useGet } from "../../api/useGet.ts";
import { tabStorage } from "../../ui/storage.ts";
import { type Draft, readDraft, withField } from "./draft.ts";

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

function storedDraft(): Draft {
  try {
    return readDraft(JSON.parse(tabStorage.get(draftKey) ?? "{}"));
  } catch {
    return {};
  }
}

/** What was changed and isn't saved yet; it stays in this tab until it is saved or dropped. */
export function useDraft() {
  const [draft, setDraft] = useState(storedDraft);
  const keep = (next: Draft): void => {
    setDraft(next);
    if (Object.keys(next).length === 0) tabStorage.remove(draftKey);
    else tabStorage.set(draftKey, JSON.stringify(next));
  };
  return {
    draft,
    clear: () => keep({}),
    change(form: PageForm, key: string, value: unknown) {
      keep(withField(draft, form, [key, value]));
    },
  };
}
