import { useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";

import type { Folds } from "../../ui/Disclosure.tsx";
import { Skeleton } from "../../ui/Skeleton.tsx";
import { RefusalNotice } from "../errors/RefusalNotice.tsx";
import { FileCard } from "./FileCard.tsx";
import { useRunsApi } from "./runs-api.ts";

/** All changes of a run, file by file, compared with the site it started from. */
export function ChangedFiles(props: { runId: string; diffs: Folds }): ReactElement {
  const api = useRunsApi();
  const { runId } = props;
  const changed = useQuery({ queryKey: ["runs", "diff", runId], queryFn: () => api.diff(runId) });
  const { data: files, error } = changed;
  if (error !== null) return <RefusalNotice error={error} note="Your changes are kept." />;
  if (files === undefined) return <Skeleton count={2} shape="line" />;
  return (
    <ul>
      {files.map((file) => (
        <li key={file.path}>
          <FileCard file={file} state="done" took={null} diffs={props.diffs} />
        </li>
      ))}
    </ul>
  );
}
