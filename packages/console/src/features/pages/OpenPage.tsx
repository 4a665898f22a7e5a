import { type ReactElement, useState } from "react";

import { useAnnounce } from "../../api/context.tsx";
import { Button } from "../../ui/Button.tsx";
import { DeletePage } from "./DeletePage.tsx";
import { type FieldsProps, PageFields } from "./PageFields.tsx";
import { titleOf } from "./PageRows.tsx";
import { ShareImage } from "./ShareImage.tsx";
import { type ListedPage, type PageList, siteFile, type useDraft } from "./usePages.ts";

interface Props {
  page: ListedPage;
  share: PageList["share"];
  draft: ReturnType<typeof useDraft>;
  errors: FieldsProps["errors"];
}

function Fields({ page, share, draft, errors }: Props): ReactElement {
  const { file, path } = page;
  const fields = { draft: draft.draft, errors, onChange: draft.change };
  const isField = (key: string): boolean =>
    file !== siteFile || (key !== "nav" && key !== "hidden");
  return (
    <>
      <PageFields key={file} file={file} only={isField} {...fields} />
      {share && path !== null && (
        <ShareImage key={path} file={share.file} path={path} {...fields} />
      )}
    </>
  );
}

/** Where the texts of a page without a content file are edited. */
function SourceNote({ page }: Pick<Props, "page">): ReactElement {
  return (
    <p className="muted">
      This page’s text is in its source, {page.file}, so there’s no form for them.{" "}
      <a href={`${page.path ?? "/"}#console`}>Edit them on the page</a>
    </p>
  );
}

/** Marks the page for deletion once that is confirmed; where it has to stay, says why. */
function Deletion({ page, draft }: Props): ReactElement | null {
  const { file, path, undeletableReason } = page;
  const [isAsking, setAsking] = useState(false);
  const announce = useAnnounce();
  const title = titleOf(page);
  if (path === null) return null;
  if (undeletableReason !== null) {
    return <p className="muted">This page can’t be deleted. {undeletableReason}</p>;
  }
  return (
    <div className="actions">
      <Button variant="danger" icon="trash" onClick={() => setAsking(true)}>
        Delete page
      </Button>
      {isAsking && (
        <DeletePage
          file={file}
          title={title}
          onClose={() => setAsking(false)}
          onDelete={({ hash }) => {
            setAsking(false);
            draft.put(file, { hash, values: {}, before: {}, isDeleted: true });
            announce(`“${title}” will be deleted. Build a preview to see the site without it.`);
          }}
        />
      )}
    </div>
  );
}

/** One page: its texts, its share image, and its end. */
export function OpenPage(props: Props): ReactElement {
  const { page, draft } = props;
  const isDeleted = draft.draft[page.file]?.isDeleted === true;
  return (
    <section aria-labelledby="page-title">
      <h2 id="page-title">{titleOf(page)}</h2>
      {isDeleted ? (
        <>
          <p>This page will be deleted. Build a preview to see the site without it.</p>
          <div className="actions">
            <Button onClick={() => draft.put(page.file, null)}>Keep page</Button>
          </div>
        </>
      ) : (
        <div className="pages-fields">
          {page.hasContent ? <Fields {...props} /> : <SourceNote page={page} />}
          <Deletion {...props} />
        </div>
      )}
    </section>
  );
}
