import type { ReactElement } from "react";

import { formatCount } from "../../../../ui/format.ts";
import { Notice } from "../../../../ui/Notice.tsx";
import type { Errors } from "../errors.ts";
import { type FieldName, fieldLabels, fieldNames } from "../form.ts";

/** How many mistakes there are and where, while there are some. */
export function ErrorSummary(props: {
  errors: Errors;
  other: readonly string[];
}): ReactElement | null {
  const paths = Object.keys(props.errors);
  const total = paths.length + props.other.length;
  if (total === 0) return null;
  const wrong = new Set(paths.map((path) => path.split(".")[0]));
  const fields = fieldNames.filter((field: FieldName) => wrong.has(field));
  return (
    <Notice kind="error" quiet title={`Not saved: ${formatCount(total, "mistake")}`}>
      {fields.length > 0 && <p>{fields.map((field) => fieldLabels[field]).join(", ")}</p>}
      {props.other.map((message) => (
        <p key={message}>{message}</p>
      ))}
    </Notice>
  );
}
