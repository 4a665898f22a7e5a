import type { ReactElement } from "react";

import type { ApiError } from "../../api/client.ts";
import type { PrivateRefusal } from "../../api/types.ts";
import { formatCount } from "../../ui/format.ts";
import { InlineConfirm } from "../../ui/InlineConfirm.tsx";
import { plainText } from "../../ui/plain-text.ts";
import type { RunView } from "./run-view.ts";

/** The private text that a publish was refused for: just now, or as the run's events tell. */
export function privateTextOf(error: ApiError | null, view: RunView): PrivateRefusal | null {
  if (error !== null) {
    return error.code === "private_text" ? (error.details as PrivateRefusal) : null;
  }
  return view.status === "preview_ready" ? view.privateText : null;
}

/** Shows which pages would publish private text of which records, and asks whether they may. */
export function ConfirmPrivate(props: {
  refusal: PrivateRefusal;
  busy: boolean;
  onPublish(): void;
  onKeep(): void;
}): ReactElement {
  const { findings, total } = props.refusal;
  const more = total - findings.length;
  return (
    <InlineConfirm
      question={
        total === 0
          ? "The preview couldn’t be compared with your private records. Publish it anyway?"
          : "This would publish private text. Publish it anyway?"
      }
      yes="Publish private text"
      no="Keep private"
      danger
      busy={props.busy}
      onYes={props.onPublish}
      onNo={props.onKeep}
    >
      <ul className="names">
        {findings.map(({ page, record, field }) => (
          <li key={`${page} ${record} ${field}`}>{plainText(`${page}: ${record} (${field})`)}</li>
        ))}
        {more > 0 && <li>and {formatCount(more, "more finding")}</li>}
      </ul>
    </InlineConfirm>
  );
}
