import type { ReactElement } from "react";

/** What the owner said, as a bubble. */
export function UserMessage({ text }: { text: string }): ReactElement {
  return (
    <p className="owner">
      <span className="unseen">You: </span>
      {text}
    </p>
  );
}
