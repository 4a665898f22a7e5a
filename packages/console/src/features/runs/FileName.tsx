import type { ReactElement } from "react";

import type { FileCount, FileDiff } from "../../api/types.ts";
import { plainText } from "../../ui/plain-text.ts";
import { splitPath } from "./labels.ts";

const statusLabels: Readonly<Partial<Record<FileDiff["status"], string>>> = {
  added: "new",
  deleted: "deleted",
  renamed: "moved",
};

/** A file as "app/src/pages/ about.astro +12 −3": dim folder, bold name, counts. */
export function FileName({ file }: { file: FileCount & Partial<FileDiff> }): ReactElement {
  const { folder, name } = splitPath(plainText(file.path));
  const word = file.status && statusLabels[file.status];
  return (
    <span className="file-name">
      <span className="path">
        <span className="folder">{folder}</span>
        <wbr />
        <b>{name}</b>
      </span>{" "}
      {word !== undefined && <span className="quiet">{word} </span>}
      {file.binary === true ? (
        <span className="quiet">not text</span>
      ) : (
        <span className="counts">
          <span className="plus">+{file.added}</span> <span className="minus">−{file.removed}</span>
        </span>
      )}
    </span>
  );
}
