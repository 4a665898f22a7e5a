import { type ReactElement, useCallback } from "react";

import { useRequest } from "../../api/useRequest.ts";
import { Skeleton } from "../../ui/Skeleton.tsx";
import { RefusalNotice } from "../shared/RefusalNotice.tsx";
import { FileCard } from "./FileCard.tsx";
import type { Diffs } from "./LogItem.tsx";
import { useRunsApi } from "./runs-api.ts";

/** All that a run changed, file by file, against the site it began with. */
export function ChangedFiles(props: { runId: string; diffs: Diffs }): ReactElement {
  const api = useRunsApi();
  const { runId } = props;
  const ask = useCallback(() => api.diff(runId), [api, runId]);
  const { data: files, error } = useRequest(ask);
  if (error !== null) return <RefusalNotice error={error} kept="The changes are kept." />;
  if (files === null) return <Skeleton count={2} shape="line" />;
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
