import { lazy, type ReactElement, Suspense } from "react";

import { lazyModule } from "../../ui/lazy-component.tsx";

const Markdown = lazy(lazyModule(async () => (await import("./Markdown.tsx")).Markdown));

/**
 * Longer texts, in characters, are shown unformatted, because parsing them would block the page.
 */
const maxLength = 20_000;

/** A model's Markdown, shown unformatted until the parser is loaded. */
export function MarkdownText(props: { text: string; className: string }): ReactElement {
  const { text, className } = props;
  const plain = <p>{text}</p>;
  return (
    // Tokens aren't announced: the steps are, and the complete answer can be read.
    <div className={className} aria-live="off" dir="auto">
      {text.length > maxLength ? (
        plain
      ) : (
        <Suspense fallback={plain}>
          <Markdown text={text} />
        </Suspense>
      )}
    </div>
  );
}
