import type { ReactElement, ReactNode } from "react";

import { asApiError } from "../../api/client.ts";
import { Notice } from "../../ui/Notice.tsx";
import { plainText } from "../../ui/plain-text.ts";
import { modelSettings, SettingsText } from "./SettingsText.tsx";
import { refusedFiles } from "./refused-files.ts";
import { spendingLimitLabel } from "./spending-limit-labels.ts";

/** What failed, what was kept, and what to do. */
export function RefusalNotice(props: {
  error: unknown;
  /** What is unaffected. */
  note?: string;
  children?: ReactNode;
}): ReactElement {
  const error = asApiError(props.error);
  const files = refusedFiles(error).map(plainText);
  const ceiling = spendingLimitLabel(error.details);
  const { message, fields, code } = error;
  const text = plainText([message, ...Object.values(fields)].join(" "));
  const isLinked = text.includes(modelSettings);
  return (
    <Notice kind="error" actions={props.children}>
      <p>
        <SettingsText text={text} /> {props.note}
      </p>
      {ceiling !== null && (
        <p>
          {ceiling} <a href="/admin/settings">Change spending limits</a>
        </p>
      )}
      {code === "model_not_configured" && !isLinked && (
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
    </Notice>
  );
}
