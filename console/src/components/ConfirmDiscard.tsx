import type { ReactElement } from "react";

import { plainText } from "../plain-text.ts";
import type { FileCount } from "../types.ts";
import { count } from "../words.ts";
import { Confirm } from "./Confirm.tsx";

/** Asks once before changes are thrown away, and names the files. */
export function ConfirmDiscard(props: {
  files: FileCount[];
  busy: boolean;
  onDiscard(): void;
  onKeep(): void;
}): ReactElement {
  return (
    <Confirm
      question={`Discard the changes to ${count(props.files.length, "file")}?`}
      yes="Discard"
      no="Keep"
      danger
      busy={props.busy}
      onYes={props.onDiscard}
      onNo={props.onKeep}
    >
      <FileNames files={props.files} />
    </Confirm>
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
