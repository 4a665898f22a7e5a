import type { ReactElement, ReactNode } from "react";

import type { ApiError } from "../../api/client.ts";
import { Notice } from "../../ui/Notice.tsx";
import { plainText } from "../../ui/plain-text.ts";
import { RefusalNotice } from "../errors/RefusalNotice.tsx";
import { refusedFiles } from "../errors/refused-files.ts";

/** Whether the site has changed in the same places since the preview was made. */
export function isConflict(error: ApiError | null): boolean {
  return error !== null && error.code === "conflict" && refusedFiles(error).length > 0;
}

/** Why a request failed, what was kept, and what to do. */
export function ConflictNotice(props: {
  error: ApiError;
  ready: boolean;
  /** Buttons for other kinds of errors. */
  children?: ReactNode;
}): ReactElement {
  const { error, ready } = props;
  if (isConflict(error)) {
    return (
      <Files
        files={refusedFiles(error)}
        title="The site has changed in the same places since this preview was built."
        advice="Nothing was published and the preview is kept. Apply the same instruction to the current site, then review the new preview."
      />
    );
  }
  if (error.code === "dirty_tree" && refusedFiles(error).length > 0) {
    return (
      <Files
        files={refusedFiles(error)}
        title="Site files have uncommitted changes."
        advice="Your edits are kept as they are, and so is the preview. Commit them (or revert them) in the site’s folder, then publish again."
      />
    );
  }
  return (
    <RefusalNotice error={error} {...(ready ? { note: "The preview is kept." } : {})}>
      {props.children}
    </RefusalNotice>
  );
}

function Files(props: { title: string; files: string[]; advice: string }): ReactElement {
  return (
    <Notice kind="error" title={props.title}>
      <ul>
        {props.files.map((file) => (
          <li key={file}>{plainText(file)}</li>
        ))}
      </ul>
      <p>{props.advice}</p>
    </Notice>
  );
}
