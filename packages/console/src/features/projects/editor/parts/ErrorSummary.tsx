import type { ReactElement } from "react";

import { Notice } from "../../../../ui/Notice.tsx";
import { type Attempt, type Errors, problemsTitle } from "../errors.ts";
import { type FieldName, fieldLabels, fieldNames } from "../form.ts";

/** The number of problems with links to them, while there are any. */
export function ErrorSummary(props: {
  errors: Errors;
  other: readonly string[];
  /** What was requested; defaults to saving. */
  attempt?: Attempt;
}): ReactElement | null {
  const paths = Object.keys(props.errors);
  const total = paths.length + props.other.length;
  if (total === 0) return null;
  const wrong = new Set(paths.map((path) => path.split(".")[0]));
  const fields = fieldNames.filter((field: FieldName) => wrong.has(field));
  return (
    <Notice kind="error" quiet title={problemsTitle(props.attempt ?? "save", total)}>
      {fields.length > 0 && <p>{fields.map((field) => fieldLabels[field]).join(", ")}</p>}
      {props.other.map((message) => (
        <p key={message}>{message}</p>
      ))}
    </Notice>
  );
}
