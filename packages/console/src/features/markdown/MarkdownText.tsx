import { lazy, type ReactElement, Suspense } from "react";

import { lazyModule } from "../../ui/lazy-component.tsx";

const Markdown = lazy(lazyModule(async () => (await import("./Markdown.tsx")).Markdown));

/** A longer text, in characters, is shown as it was written: reading it would hold the page. */
const maxLength = 20_000;

/** What a model writes, in Markdown. Until what reads that is loaded, it is shown as written. */
export function MarkdownText(props: { text: string; className: string }): ReactElement {
  const { text, className } = props;
  const plain = <p>{text}</p>;
  return (
    // Tokens are not announced: the steps are, and the answer can be read when it is whole.
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
