import "../settings/settings.css";
import "../setup/setup.css";
import "./pages.css";

import { useQueryClient } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";

import type { ApiError } from "../../api/client.ts";
import type { RunStatus } from "../../api/types.ts";
import { refusalOf } from "../../api/useAction.ts";
import { EmptyState } from "../../ui/EmptyState.tsx";
import { PageHeader } from "../../ui/PageHeader.tsx";
import { useAddress } from "../../ui/search-params.ts";
import { ErrorState } from "../errors/ErrorState.tsx";
import { QueryBody } from "../queries/QueryBody.tsx";
import { isActive } from "../runs/labels.ts";
import { SetupRun } from "../setup/PublishStep.tsx";
import { type Draft, readStale, requestOf, withFile } from "./draft.ts";
import { OpenPage } from "./OpenPage.tsx";
import { type FieldsProps, PageFields } from "./PageFields.tsx";
import { canOpen, idOf, PageRows, titleOf } from "./PageRows.tsx";
import { SaveBar } from "./SaveBar.tsx";
import { ProjectShareImages } from "./ShareImage.tsx";
import { StalePage } from "./StalePage.tsx";
import {
  type ListedPage,
  type PageList,
  siteFile,
  useDraft,
  usePageList,
  useSavePages,
} from "./usePages.ts";

/** The run of the last save from its start to the live site; tells the draft how it stands. */
function usePreview(draft: ReturnType<typeof useDraft>, listed: string | null) {
  const queries = useQueryClient();
  const [ended, setEnded] = useState<string | null>(null);
  const runId = draft.runId ?? listed;
  return {
    runId,
    /** Whether a preview of the draft is being built. */
    isBuilding: draft.runId !== null && draft.runId !== ended,
    onStatus(status: RunStatus): void {
      if (status === "preview_ready" || status === "published") draft.previewed();
      else if (!isActive(status)) setEnded(runId);
      if (status !== "published") return;
      for (const queryKey of [["pages"], ["page"]]) void queries.invalidateQueries({ queryKey });
    },
  };
}

/** Why the changes weren't taken, and where a page is another one by now, the choice between both. */
function Refusal(props: {
  error: ApiError | null;
  pages: readonly ListedPage[];
  draft: ReturnType<typeof useDraft>;
  onSave(draft: Draft): void;
}): ReactElement | null {
  const { error, pages, draft, onSave } = props;
  const stale = error?.code === "stale_version" ? readStale(error.details) : null;
  const file = stale && draft.draft[stale.file];
  if (!stale || !file) {
    return <ErrorState what="Couldn’t build a preview of your changes." error={error} />;
  }
  const page = pages.find((one) => one.file === stale.file);
  return (
    <StalePage
      title={page ? titleOf(page) : "Share images"}
      draft={file}
      stale={stale}
      onResolved={(next) => {
        draft.put(stale.file, next);
        onSave(withFile(draft.draft, stale.file, next));
      }}
    />
  );
}

/** What belongs to no page: the navigation, and the share images of projects. */
function SiteParts({
  list,
  ...fields
}: { list: PageList } & Pick<FieldsProps, "draft" | "errors" | "onChange">): ReactElement {
  const address = useAddress();
  return (
    <>
      <section className="pages-navigation" aria-labelledby="nav-title">
        <h2 id="nav-title">Navigation</h2>
        <PageFields file={siteFile} only={(key) => key === "nav"} {...fields} />
      </section>
      {list.share && (
        <ProjectShareImages
          share={list.share}
          slug={address.params.get("project")}
          onSlug={(project) => address.change({ project })}
          {...fields}
        />
      )}
    </>
  );
}

function Pages({ list }: { list: PageList }): ReactElement {
  const draft = useDraft();
  const save = useSavePages();
  const address = useAddress();
  const preview = usePreview(draft, save.data?.runId ?? list.runId);
  const refusal = refusalOf(save.isError ? save.error : null);
  const id = address.params.get("page");
  const open = list.pages.find((page) => idOf(page.file) === id && canOpen(page)) ?? null;
  const send = (files: Draft): void => {
    save.reset();
    if (Object.keys(files).length === 0) return;
    save.mutate(requestOf(files), { onSuccess: ({ runId }) => draft.sent(runId, files) });
  };
  const fields = { draft: draft.draft, errors: refusal?.fields ?? {}, onChange: draft.change };
  if (list.pages.length === 0) {
    return <EmptyState>The site has no content files to edit.</EmptyState>;
  }
  return (
    <div className="pages">
      <Refusal error={refusal} pages={list.pages} draft={draft} onSave={send} />
      {preview.runId !== null && (
        <section aria-label="Preview">
          <SetupRun
            key={preview.runId}
            runId={preview.runId}
            busy={save.isPending}
            onStatus={preview.onStatus}
          />
        </section>
      )}
      <PageRows
        pages={list.pages}
        draft={draft}
        open={open?.file ?? null}
        go={(page) => address.change({ page })}
      />
      {open && (
        <OpenPage
          key={open.file}
          page={open}
          share={list.share}
          draft={draft}
          errors={fields.errors}
        />
      )}
      <SiteParts list={list} {...fields} />
      {Object.keys(draft.draft).length > 0 && (
        <SaveBar
          isBuilding={save.isPending || preview.isBuilding}
          onDiscard={() => {
            save.reset();
            draft.clear();
          }}
          onSave={() => send(draft.draft)}
        />
      )}
    </div>
  );
}

/** The words of the pages, what is shown of them, their share images, and the navigation's order. */
export function PagesPage(): ReactElement {
  const list = usePageList();
  return (
    <div className="page settings">
      <PageHeader
        title="Pages"
        lead="Edit, hide and delete your pages, and order the navigation. Nothing goes live until you publish the preview."
      />
      <QueryBody
        query={list}
        what="the pages"
        skeleton={{ count: 6, shape: "row", label: "Loading pages…" }}
      >
        {(data) => <Pages list={data} />}
      </QueryBody>
    </div>
  );
}
