import type { ReactElement } from "react";

import { type ListedPage, siteFile, type useDraft, usePageForm } from "./usePages.ts";

type Draft = ReturnType<typeof useDraft>;

/** What a page is called in the list: the home page's own title is the site's. */
export function titleOf({ file, path, title }: ListedPage): string {
  if (file === siteFile) return "Whole site";
  return path === "/" ? "Home" : title;
}

/** The home page first, then by name as they come, and last what is on every page. */
function inOrder(pages: readonly ListedPage[]): ListedPage[] {
  const rank = ({ file, path }: ListedPage) => (path === "/" ? 0 : file === siteFile ? 2 : 1);
  return pages.toSorted((a, b) => rank(a) - rank(b));
}

/**
 * What a page is called in the address: the name of its content file, or the path of its source if it
 * has none.
 */
export const idOf = (file: string): string =>
  file.endsWith(".json")
    ? file.slice(file.lastIndexOf("/") + 1, -".json".length)
    : file.replace(/^app\/src\/pages\//, "");

/** Whether there is anything to do with a page once it is open. */
export const canOpen = ({ isReadable, hasContent }: ListedPage): boolean =>
  isReadable || !hasContent;

function PageRow(props: {
  page: ListedPage;
  isHidden: boolean;
  isOpen: boolean;
  /** Whether the next preview is to be without it. */
  isDeleted: boolean;
  onOpen(): void;
  onHide?: ((isHidden: boolean) => void) | undefined;
}): ReactElement {
  const { page, isHidden, isOpen, isDeleted, onOpen, onHide } = props;
  const title = titleOf(page);
  return (
    <li className="pages-row">
      <div>
        {canOpen(page) ? (
          <a
            href={`?page=${encodeURIComponent(idOf(page.file))}`}
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
      {isDeleted && <span className="muted">Will be deleted</span>}
      {onHide && !isDeleted && (
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

/** All pages, with what of them is shown. */
export function PageRows(props: {
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
            isDeleted={draft.draft[file]?.isDeleted === true}
            onOpen={() => go(idOf(file))}
            onHide={path !== null && page.canHide ? (is) => hide(path, is) : undefined}
          />
        );
      })}
    </ul>
  );
}
