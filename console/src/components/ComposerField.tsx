import type { ReactElement } from "react";

import { type Draft, longest } from "../hooks/useDraft.ts";

/** From here on, in characters, the length is told. */
const nearlyTooLong = longest - 1000;

/** The text of the instruction; Ctrl or ⌘ with Enter sends it. */
export function ComposerField(props: { id: string; draft: Draft; onSend(): void }): ReactElement {
  const { id, draft } = props;
  return (
    <textarea
      ref={draft.input}
      id={id}
      rows={3}
      value={draft.text}
      aria-describedby={`${id}-count`}
      aria-invalid={draft.text.length > longest}
      onChange={(event) => draft.write(event.target.value)}
      onKeyDown={(event) => {
        if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        props.onSend();
      }}
    />
  );
}

/** How long the text is, once that matters. */
export function Counter({ id, length }: { id: string; length: number }): ReactElement {
  return (
    <span id={id} className={length > longest ? "count over" : "count"}>
      {length > nearlyTooLong && (
        <>
          {length.toLocaleString("en")}
          <span aria-hidden="true"> / </span>
          <span className="unseen"> of </span>
          {longest.toLocaleString("en")}
        </>
      )}
    </span>
  );
}
