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
      <ul className="names">
        {props.files.map((file) => (
          <li key={file.path}>{plainText(file.path)}</li>
        ))}
      </ul>
    </Confirm>
  );
}
