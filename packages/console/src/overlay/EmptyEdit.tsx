import type { ReactElement } from "react";

import { Button } from "../ui/Button.tsx";

/** An example for this page that works with and without a model. */
function exampleFor(heading: string | null | undefined): string {
  const text = heading?.replace(/\s+/g, " ").trim() ?? "";
  return `Replace "${text === "" || text.length > 120 ? "the old words" : text}" with ""`;
}

/** Shown before the first run: one sentence, one action. */
export function EmptyEdit({ onExample }: { onExample(text: string): void }): ReactElement {
  return (
    <div className="empty">
      <p>Describe a change. You see a private preview; nothing goes live until you publish.</p>
      <Button onClick={() => onExample(exampleFor(document.querySelector("h1")?.textContent))}>
        Start from an example
      </Button>
    </div>
  );
}
