import { type ReactElement, useState } from "react";

import { plainText } from "../plain-text.ts";

const shownLines = 400;
const headers =
  /^(?:diff --git |index |--- |\+\+\+ |new file|deleted file|old mode|new mode|similarity|rename )/;

type Kind = "added" | "removed" | "hunk" | "same";

function kindOf(line: string): Kind {
  if (line.startsWith("+")) return "added";
  if (line.startsWith("-")) return "removed";
  return line.startsWith("@@") ? "hunk" : "same";
}

/** The lines of a unified diff without the headers in front of its first hunk. */
function bodyOf(patch: string): string[] {
  const lines = plainText(patch).replace(/\n$/, "").split("\n");
  const start = lines.findIndex((line) => line.startsWith("@@"));
  return start < 0 ? lines.filter((line) => !headers.test(line)) : lines.slice(start);
}

/** A file's unified diff; a long one is cut until asked for. */
export function Diff({ path, patch }: { path: string; patch: string }): ReactElement {
  const [whole, setWhole] = useState(false);
  const lines = bodyOf(patch);
  if (lines.every((line) => line === "")) return <p className="quiet">No text to compare.</p>;
  const shown = whole ? lines : lines.slice(0, shownLines);
  return (
    <>
      <pre className="diff" role="region" aria-label={`Changes in ${path}`} tabIndex={0}>
        <code>
          {shown.map((line, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- lines have no other identity
            <span key={index} className={kindOf(line)}>
              {line === "" ? " " : line}
            </span>
          ))}
        </code>
      </pre>
      {shown.length < lines.length && (
        <button type="button" className="button small" onClick={() => setWhole(true)}>
          Show all {lines.length} lines
        </button>
      )}
    </>
  );
}
