import type { ReactElement } from "react";

import type { ApiError } from "../api.ts";
import { plainText } from "../plain-text.ts";
import { Notice } from "./Notice.tsx";

/** Whether the site has changed in the same places since the preview was made. */
export function isConflict(error: ApiError | null): boolean {
  return error?.code === "conflict" && error.files.length > 0;
}

/** Why the server did not do what was asked for, what was kept, and what can be done now. */
export function ConflictNotice(props: { error: ApiError; ready: boolean }): ReactElement {
  const { error, ready } = props;
  if (isConflict(error)) {
    return (
      <Files
        files={error.files}
        title="The site has changed in the same places since this preview was made."
        advice="Nothing was published and the preview is kept. Apply the same instruction again on the site as it is now, then look at the new preview."
      />
    );
  }
  if (error.code === "dirty_tree" && error.files.length > 0) {
    return (
      <Files
        files={error.files}
        title="Files of the site were edited by hand and not committed."
        advice="Your edits are kept as they are, and so is the preview. Commit them (or take them back) in the site’s folder, then publish again."
      />
    );
  }
  return <Notice error={error} {...(ready ? { kept: "The preview is kept." } : {})} />;
}

function Files(props: { title: string; files: string[]; advice: string }): ReactElement {
  return (
    <div className="notice" role="alert">
      <p>
        <b>{props.title}</b>
      </p>
      <ul>
        {props.files.map((file) => (
          <li key={file}>{plainText(file)}</li>
        ))}
      </ul>
      <p>{props.advice}</p>
    </div>
  );
}
