import type { ReactElement } from "react";

/** The owner's message as a bubble. */
export function UserMessage({ text }: { text: string }): ReactElement {
  return (
    <p className="owner">
      <span className="unseen">You: </span>
      {text}
    </p>
  );
}
