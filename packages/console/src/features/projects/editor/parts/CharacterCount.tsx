import type { ReactElement } from "react";

/** The used characters of a text, at the right of its label. */
export function CharacterCount({ text, max }: { text: string; max: number }): ReactElement {
  const { length } = text.trim();
  return (
    <span className="count" data-over={length > max}>
      {length.toLocaleString("en")}
      <span aria-hidden="true"> / </span>
      <span className="unseen"> of </span>
      {max.toLocaleString("en")}
    </span>
  );
}
