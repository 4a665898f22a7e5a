import type { ReactElement } from "react";

import type { FileCount } from "../../api/types.ts";
import { formatCount } from "../../ui/format.ts";
import { InlineConfirm } from "../../ui/InlineConfirm.tsx";
import { plainText } from "../../ui/plain-text.ts";

/** Asks once before changes are thrown away, and names the files. */
export function ConfirmDiscard(props: {
  files: FileCount[];
  busy: boolean;
  onDiscard(): void;
  onKeep(): void;
}): ReactElement {
  return (
    <InlineConfirm
      question={`Discard the changes to ${formatCount(props.files.length, "file")}?`}
      yes="Discard"
      no="Keep"
      danger
      busy={props.busy}
      onYes={props.onDiscard}
      onNo={props.onKeep}
    >
      <FileNames files={props.files} />
    </InlineConfirm>
  );
}

/** The files that something is about to be done with. */
export function FileNames({ files }: { files: readonly FileCount[] }): ReactElement {
  return (
    <ul className="names">
      {files.map((file) => (
        <li key={file.path}>{plainText(file.path)}</li>
      ))}
    </ul>
  );
}
