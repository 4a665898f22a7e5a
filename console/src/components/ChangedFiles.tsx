import { type ReactElement, useEffect, useState } from "react";

import { ApiError } from "../api.ts";
import { useConsole } from "../context.ts";
import type { FileDiff } from "../types.ts";
import { FileCard } from "./FileCard.tsx";
import type { Diffs } from "./LogItem.tsx";
import { Notice } from "./Notice.tsx";
import { Skeleton } from "./Skeleton.tsx";

/** All that a run changed, file by file, against the site it began with. */
export function ChangedFiles(props: { runId: string; diffs: Diffs }): ReactElement {
  const { api, expire } = useConsole();
  const { runId } = props;
  const [files, setFiles] = useState<FileDiff[] | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  useEffect(() => {
    let current = true;
    api.diff(runId).then(
      (found) => current && setFiles(found),
      (cause: unknown) => {
        if (!current || !(cause instanceof ApiError)) return;
        if (cause.status === 401) expire();
        else setError(cause);
      },
    );
    return () => {
      current = false;
    };
  }, [api, expire, runId]);
  if (error !== null) return <Notice error={error} kept="The changes are kept." />;
  if (files === null) return <Skeleton lines={2} />;
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
