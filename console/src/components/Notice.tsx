import type { ReactElement, ReactNode } from "react";

import type { ApiError } from "../api.ts";
import { plainText } from "../plain-text.ts";
import { ceilingWords } from "./ceiling-words.ts";

/** What failed, what was kept, and what can be done about it. */
export function Notice(props: {
  error: ApiError;
  /** What is still as it was. */
  kept?: string;
  children?: ReactNode;
}): ReactElement {
  const files = props.error.files.map(plainText);
  const ceiling = ceilingWords(props.error.details);
  return (
    <div className="notice" role="alert">
      <p>
        {plainText(props.error.message)} {props.kept}
      </p>
      {ceiling !== null && (
        <p>
          {ceiling} <a href="/admin/settings">Change the ceilings</a>
        </p>
      )}
      {props.error.code === "model_not_configured" && (
        <p>
          <a href="/admin/settings#model">Set up the model</a>
        </p>
      )}
      {files.length > 0 && (
        <ul>
          {files.map((file) => (
            <li key={file}>{file}</li>
          ))}
        </ul>
      )}
      {props.children && <div className="actions">{props.children}</div>}
    </div>
  );
}
