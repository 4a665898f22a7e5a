import type { ReactElement, ReactNode } from "react";

import type { DeletionPlan } from "../../../../server/src/features/pages/schema.ts";
import { useGet } from "../../api/useGet.ts";
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx";
import { QueryBody } from "../queries/QueryBody.tsx";

/** A file as the owner knows it: without the folder that all of them are in. */
const shortName = (file: string): string => file.replace(/^app\/src\//, "");

function Files({ title, files }: { title: ReactNode; files: readonly string[] }) {
  if (files.length === 0) return null;
  return (
    <>
      <p>{title}</p>
      <ul className="pages-files">
        {files.map((file) => (
          <li key={file}>{shortName(file)}</li>
        ))}
      </ul>
    </>
  );
}

function Plan({ plan }: { plan: DeletionPlan }): ReactElement {
  const { path, removed, emptied, unlinked, remaining } = plan;
  return (
    <>
      <p>
        Visitors to {path} will see the “Page not found” page. Nothing is deleted from the live site
        until you publish the preview.
      </p>
      <Files title="These files will be deleted:" files={removed} />
      {emptied && (
        <Files
          title={`Other files use ${shortName(emptied.file)}, so only its text is deleted:`}
          files={emptied.readBy}
        />
      )}
      <Files title="Links to the page, and its share image, are removed from:" files={unlinked} />
      <Files title="These mention its address, too. Check them in the preview:" files={remaining} />
    </>
  );
}

/** Says what goes with a page, and asks whether it is to go. */
export function DeletePage(props: {
  file: string;
  title: string;
  onDelete(plan: DeletionPlan): void;
  onClose(): void;
}): ReactElement {
  const { file, title, onDelete, onClose } = props;
  const plan = useGet<DeletionPlan>(["page", "deletion", file], "/api/adminpages/deletion", {
    file,
  });
  const { data } = plan;
  return (
    <ConfirmDialog
      danger
      question={`Delete the page “${title}”?`}
      yes="Delete page"
      busy={data === undefined}
      onNo={onClose}
      onYes={() => data && onDelete(data)}
    >
      <QueryBody
        query={plan}
        what="what would be deleted"
        skeleton={{ count: 3, shape: "row", label: "Loading what would be deleted…" }}
      >
        {(found) => <Plan plan={found} />}
      </QueryBody>
    </ConfirmDialog>
  );
}
