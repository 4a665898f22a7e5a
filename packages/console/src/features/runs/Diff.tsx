import { type ReactElement, useState } from "react";

import type { FileCount, FileDiff } from "../../api/types.ts";
import { Button } from "../../ui/Button.tsx";
import { plainText } from "../../ui/plain-text.ts";
import { bodyOf, kindOf } from "./diff-lines.ts";

const maxLines = 400;

/** A changed file; while a run is working, only its patch is known. */
export type DiffFile = FileCount & Pick<FileDiff, "patch"> & Partial<FileDiff>;

/** Why there are no lines to show. */
function withoutLines(file: DiffFile): string {
  if (file.binary === true) return "This isn’t a text file, so there’s no diff.";
  if (file.status === "renamed") return `Moved from ${plainText(file.oldPath)} without changes.`;
  if (file.added + file.removed > 0) return "Too long to show here.";
  return "No text to compare.";
}

/** A file's unified diff; a long one is truncated until expanded. */
export function Diff({ file }: { file: DiffFile }): ReactElement {
  const [whole, setWhole] = useState(false);
  const { lines, cut } = bodyOf(plainText(file.patch));
  if (lines.length === 0) return <p className="quiet">{withoutLines(file)}</p>;
  const shown = whole ? lines : lines.slice(0, maxLines);
  return (
    <>
      <pre
        className="diff"
        role="region"
        aria-label={`Changes in ${plainText(file.path)}`}
        tabIndex={0}
      >
        <code>
          {shown.map((line, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- lines have no other identity
            <span key={index} className={kindOf(line)}>
              {line === "" ? " " : line}
            </span>
          ))}
        </code>
      </pre>
      {shown.length < lines.length ? (
        <Button variant="small" onClick={() => setWhole(true)}>
          Show all {lines.length} lines
        </Button>
      ) : (
        cut && <p className="quiet">The rest is too long to show here.</p>
      )}
    </>
  );
}
