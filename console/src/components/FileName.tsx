import type { ReactElement } from "react";

import { plainText } from "../plain-text.ts";
import type { FileCount } from "../types.ts";
import { splitPath } from "../words.ts";

/** A file as "app/src/pages/ about.astro +12 −3": dim folder, bold name, counts. */
export function FileName({ file }: { file: FileCount }): ReactElement {
  const { folder, name } = splitPath(plainText(file.path));
  return (
    <span className="file-name">
      <span className="path">
        <span className="folder">{folder}</span>
        <wbr />
        <b>{name}</b>
      </span>{" "}
      <span className="counts">
        <span className="plus">+{file.added}</span> <span className="minus">−{file.removed}</span>
      </span>
    </span>
  );
}
