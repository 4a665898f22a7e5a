import type { ReactElement } from "react";

import type { PrivateRefusal } from "../../api/types.ts";
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx";
import { formatCount } from "../../ui/format.ts";
import { plainText } from "../../ui/plain-text.ts";

/** Which pages would publish private text from which records, one per line. */
export function privateTexts({ findings, total }: PrivateRefusal): string[] {
  const more = total - findings.length;
  return [
    ...findings.map(({ page, record, field }) => `${page}: ${record} (${field})`),
    ...(more > 0 ? [`and ${formatCount(more, "more finding")}`] : []),
  ];
}

/** Shows the private text that would be published and asks for confirmation. */
export function ConfirmPrivate(props: {
  /** The result of `privateTexts`; empty if it couldn't be compared. */
  texts: readonly string[];
  onPublish(): void;
  onKeep(): void;
}): ReactElement {
  const { texts } = props;
  return (
    <ConfirmDialog
      danger
      question={
        texts.length === 0
          ? "Couldn’t compare the preview with private records. Publish anyway?"
          : "This would publish private text. Publish it anyway?"
      }
      yes="Publish private text"
      no="Keep private"
      onYes={props.onPublish}
      onNo={props.onKeep}
    >
      {texts.length > 0 && (
        <ul className="names">
          {texts.map((text) => (
            <li key={text}>{plainText(text)}</li>
          ))}
        </ul>
      )}
    </ConfirmDialog>
  );
}
