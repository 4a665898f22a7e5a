import "../settings/settings.css";
import "../setup/setup.css";
import "./pages.css";

import type { ReactElement } from "react";

import { refusalOf } from "../../api/useAction.ts";
import { Button } from "../../ui/Button.tsx";
import { EmptyState } from "../../ui/EmptyState.tsx";
import { PageHeader } from "../../ui/PageHeader.tsx";
import { useAddress } from "../../ui/search-params.ts";
import { ErrorState } from "../errors/ErrorState.tsx";
import { QueryBody } from "../queries/QueryBody.tsx";
import { SetupRun } from "../setup/PublishStep.tsx";
import { PageFields } from "./PageFields.tsx";
import {
  type ListedPage,
  type PageList,
  siteFile,
  useDraft,
  usePageForm,
  usePageList,
  useSavePages,
} from "./usePages.ts";

type Draft = ReturnType<typeof useDraft>;
type Errors = Readonly<Record<string, string>>;

/** A page's name in the list: the home page's own title is the site's. */
function titleOf({ file, path, title }: ListedPage): string {
  if (file === siteFile) return "Whole site";
  return path === "/" ? "Home" : title;
}

/** The home page first, then by name, and last what is on every page. */
function inOrder(pages: readonly ListedPage[]): ListedPage[] {
  const rank = ({ file, path }: ListedPage) => (path === "/" ? 0 : file === siteFile ? 2 : 1);
  return pages.toSorted((a, b) => rank(a) - rank(b));
}

const idOf = (file: string): string => file.slice(file.lastIndexOf("/") + 1, -".json".length);

function PageRow(props: {
  page: ListedPage;
  isHidden: boolean;
  isOpen: boolean;
  onOpen(): void;
  onHide?: ((isHidden: boolean) => void) | undefined;
}): ReactElement {
  const { page, isHidden, isOpen, onOpen, onHide } = props;
  const title = titleOf(page);
  return (
    <li className="pages-row">
      <div>
        {page.isReadable ? (
          <a
            href={`?page=${idOf(page.file)}`}
            aria-current={isOpen ? "true" : undefined}
            onClick={(event) => {
              event.preventDefault();
              onOpen();
            }}
          >
            {title}
          </a>
        ) : (
          <span>
            {title}: can’t be read as JSON. Fix {page.file} to edit it here.
          </span>
        )}
        <span className="muted"> {page.path ?? "On every page"}</span>
      </div>
      {onHide && (
        <label className="check">
          <input
            type="checkbox"
            checked={!isHidden}
            aria-label={`Show ${title}`}
            onChange={({ target }) => onHide(!target.checked)}
          />{" "}
          Shown
        </label>
      )}
    </li>
  );
}

function Rows(props: {
  pages: readonly ListedPage[];
  draft: Draft;
  open: string | null;
  go(id: string): void;
}): ReactElement {
  const { pages, draft, open, go } = props;
  const site = usePageForm(siteFile).data;
  const listed = draft.draft[siteFile]?.values["hidden"] ?? site?.content["hidden"];
  const hidden = Array.isArray(listed) ? (listed as string[]) : [];
  const hide = (path: string, isHidden: boolean): void => {
    const others = hidden.filter((other) => other !== path);
    if (site) draft.change(site, "hidden", isHidden ? [...others, path] : others);
  };
  return (
    <ul className="pages-rows" aria-label="Pages">
      {inOrder(pages).map((page) => {
        const { path, file } = page;
        return (
          <PageRow
            key={file}
            page={page}
            isHidden={path !== null && hidden.includes(path)}
            isOpen={open === file}
            onOpen={() => go(idOf(file))}
            onHide={path !== null && page.canHide ? (is) => hide(path, is) : undefined}
          />
        );
      })}
    </ul>
  );
}

function SaveBar(props: {
  draft: Draft;
  save: ReturnType<typeof useSavePages>;
}): ReactElement | null {
  const { draft, save } = props;
  const changes = Object.entries(draft.draft).map(([file, change]) => ({
    file,
    hash: change.hash,
    values: JSON.stringify(change.values),
  }));
  if (changes.length === 0) return null;
  return (
    <div className="pages-bar">
      <span role="status">Unsaved changes</span>
      <div className="actions">
        <Button
          onClick={() => {
            save.reset();
            draft.clear();
          }}
        >
          Discard changes
        </Button>
        <Button
          variant="primary"
          busy={save.isPending}
          onClick={() => save.mutate({ changes }, { onSuccess: () => draft.clear() })}
        >
          Build preview
        </Button>
      </div>
    </div>
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
      <Rows
        pages={list.pages}
        draft={draft}
        open={open?.file ?? null}
        go={(page) => address.change({ page })}
      />
      {open && (
        <section aria-labelledby="page-title">
          <h2 id="page-title">{titleOf(open)}</h2>
          <PageFields
            key={open.file}
            file={open.file}
            only={(key) => open.file !== siteFile || (key !== "nav" && key !== "hidden")}
            {...fields}
          />
        </section>
      )}
      <section className="pages-navigation" aria-labelledby="nav-title">
        <h2 id="nav-title">Navigation</h2>
        <PageFields file={siteFile} only={(key) => key === "nav"} {...fields} />
      </section>
      <SaveBar draft={draft} save={save} />
    </div>
  );
}

/** The texts of pages, which parts of them are shown, and the order of the navigation. */
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
