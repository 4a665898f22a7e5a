import type { ReactElement, ReactNode } from "react";

import type { FileCount } from "../../api/types.ts";
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx";
import { formatCount } from "../../ui/format.ts";
import { plainText } from "../../ui/plain-text.ts";

/** Asks for confirmation before changes are discarded, and names the files. */
export function ConfirmDiscard(props: {
  files: readonly FileCount[];
  /** The question, if more than discarding is meant. */
  question?: string;
  yes?: string;
  /** Further consequences. */
  children?: ReactNode;
  onDiscard(): void;
  onKeep(): void;
}): ReactElement {
  const { files } = props;
  return (
    <ConfirmDialog
      danger
      question={props.question ?? `Discard the changes to ${formatCount(files.length, "file")}?`}
      yes={props.yes ?? "Discard"}
      no="Keep"
      onYes={props.onDiscard}
      onNo={props.onKeep}
    >
      {props.children}
      <ul className="names">
        {files.map(({ path }) => (
          <li key={path}>{plainText(path)}</li>
        ))}
      </ul>
    </ConfirmDialog>
  );
}
