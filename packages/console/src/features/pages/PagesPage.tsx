import "../settings/settings.css";
import "../setup/setup.css";
import "./pages.css";

import type { ReactElement } from "react";

import { refusalOf } from "../../api/useAction.ts";
import { EmptyState } from "../../ui/EmptyState.tsx";
import { PageHeader } from "../../ui/PageHeader.tsx";
import { useAddress } from "../../ui/search-params.ts";
import { ErrorState } from "../errors/ErrorState.tsx";
import { QueryBody } from "../queries/QueryBody.tsx";
import { SetupRun } from "../setup/PublishStep.tsx";
import { type FieldsProps, PageFields } from "./PageFields.tsx";
import { ProjectShareImages, ShareImage } from "./ShareImage.tsx";
import { idOf, PageRows, titleOf } from "./PageRows.tsx";
import { SaveBar } from "./SaveBar.tsx";
import {
  type ListedPage,
  type PageList,
  siteFile,
  useDraft,
  usePageList,
  useSavePages,
} from "./usePages.ts";

type Errors = Readonly<Record<string, string>>;

/** The fields of one page, with its share image where it can have one. */
function OpenPage(props: {
  page: ListedPage;
  share: PageList["share"];
  fields: Pick<FieldsProps, "draft" | "errors" | "onChange">;
}): ReactElement {
  const { page, share, fields } = props;
  const { file, path } = page;
  const isField = (key: string): boolean =>
    file !== siteFile || (key !== "nav" && key !== "hidden");
  return (
    <section aria-labelledby="page-title">
      <h2 id="page-title">{titleOf(page)}</h2>
      <PageFields key={file} file={file} only={isField} {...fields} />
      {share && path !== null && (
        <ShareImage key={path} file={share.file} path={path} {...fields} />
      )}
    </section>
  );
}

function Pages({ list }: { list: PageList }): ReactElement {
  const draft = useDraft();
  const save = useSavePages();
  const address = useAddress();
  const refusal = refusalOf(save.isError ? save.error : null);
  const errors: Errors = refusal?.fields ?? {};
  const id = address.params.get("page");
  const open = list.pages.find((page) => idOf(page.file) === id && page.isReadable) ?? null;
  const runId = save.data?.runId ?? list.runId;
  const stale = refusal?.code === "stale_version";
  if (list.pages.length === 0) {
    return <EmptyState>The site has no content files to edit.</EmptyState>;
  }
  const fields = { draft: draft.draft, errors, onChange: draft.change };
  return (
    <div className="pages">
      <ErrorState what="Couldn’t build a preview of your changes." error={refusal} />
      {stale && (
        <details>
          <summary>Compare both versions</summary>
          <pre className="pages-stale">{JSON.stringify(refusal?.details, null, 2)}</pre>
        </details>
      )}
      {runId !== null && (
        <section aria-label="Preview">
          <SetupRun key={runId} runId={runId} busy={save.isPending} />
        </section>
      )}
      <PageRows
        pages={list.pages}
        draft={draft}
        open={open?.file ?? null}
        go={(page) => address.change({ page })}
      />
      {open && <OpenPage page={open} share={list.share} fields={fields} />}
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
      <SaveBar draft={draft} save={save} />
    </div>
  );
}

/** The words of the pages, what is shown of them, and the navigation's order. */
export function PagesPage(): ReactElement {
  const list = usePageList();
  return (
    <div className="page settings">
      <PageHeader
        title="Pages"
        lead="Edit and hide your pages, and order the navigation. Nothing goes live until you publish the preview."
      />
      <QueryBody
        query={list}
        what="The list of pages"
        skeleton={{ count: 6, shape: "row", label: "Loading pages…" }}
      >
        {(data) => <Pages list={data} />}
      </QueryBody>
    </div>
  );
}
