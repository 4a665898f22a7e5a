import type { ReactElement } from "react";

import { type Draft, maxLength } from "./useDraft.ts";

/** From this length on, in characters, it is shown. */
const nearlyTooLong = maxLength - 1000;

/** The text of the instruction. */
export function ComposerField({ id, draft }: { id: string; draft: Draft }): ReactElement {
  return (
    <textarea
      ref={draft.input}
      id={id}
      rows={3}
      value={draft.text}
      aria-describedby={`${id}-count`}
      aria-invalid={draft.text.length > maxLength}
      onChange={(event) => draft.write(event.target.value)}
    />
  );
}

/** The text's length, once it matters. */
export function Counter({ id, length }: { id: string; length: number }): ReactElement {
  return (
    <span id={id} className={length > maxLength ? "count over" : "count"}>
      {length > nearlyTooLong && (
        <>
          {length.toLocaleString("en")}
          <span aria-hidden="true"> / </span>
          <span className="unseen"> of </span>
          {maxLength.toLocaleString("en")}
        </>
      )}
    </span>
  );
}
