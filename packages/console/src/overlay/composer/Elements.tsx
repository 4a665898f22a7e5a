import { type ReactElement, useEffect, useState } from "react";

import type { PickedElement } from "../../api/types.ts";
import { splitPath } from "../../features/runs/labels.ts";
import { Icon } from "../../ui/Icon.tsx";
import { plainText } from "../../ui/plain-text.ts";
import { useMediaQuery } from "../../ui/useMediaQuery.ts";
import { useConsoleState } from "../useConsoleState.ts";
import css from "./elements.css?inline";

/** How much of what an element says is shown. */
const shown = 28;

/** "h1 “We design…”" and "index.astro:12". */
function elementWords({ tag, text, file, line }: PickedElement): [what: string, at: string] {
  const words = plainText(text).replace(/\s+/g, " ").trim();
  const short = words.length > shown ? `${words.slice(0, shown - 1).trimEnd()}…` : words;
  return [short === "" ? tag : `${tag} “${short}”`, `${splitPath(file).name}:${line}`];
}

/** Frames the parts of the page that come from a place in the source, while one is looked at. */
function useHighlight(element: PickedElement | null): void {
  useEffect(() => {
    if (element === null) return;
    const source = CSS.escape(`${element.file}:${element.line}:${element.column}`);
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(
      `[data-source="${source}"] { outline: 2px solid #8fa6ff !important; outline-offset: 2px; }`,
    );
    document.adoptedStyleSheets.push(sheet);
    return () => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== sheet);
    };
  }, [element]);
}

/** The parts of the page that the instruction speaks of. */
export function Elements(props: {
  elements: readonly PickedElement[];
  onRemove(element: PickedElement): void;
  /** Called when one was removed: what was pressed is gone. */
  onRemoved(): void;
}): ReactElement {
  const wide = useMediaQuery("(min-width: 768px) and (hover: hover)");
  const [over, setOver] = useState<PickedElement | null>(null);
  const { elements } = props;
  const { blame } = useConsoleState();
  useHighlight(wide && over !== null && elements.includes(over) ? over : null);
  return (
    <>
      <style>{css}</style>
      <ul className="chips" aria-label="Parts of the page">
        {elements.map((element) => {
          const [what, at] = elementWords(element);
          return (
            <li
              key={`${element.file}:${element.line}:${element.column}:${element.text}`}
              className="chip"
              title={`${element.file}:${element.line} on ${element.page}`}
              onPointerEnter={() => setOver(element)}
              onPointerLeave={() => setOver(null)}
            >
              <span className="what">{what}</span>
              <span className="at"> · {at}</span>
              <button type="button" onClick={() => blame(element)}>
                <Icon name="clock" />
                <span className="unseen">
                  Who changed this? {what} · {at}
                </span>
              </button>
              <button
                type="button"
                onClick={() => {
                  props.onRemove(element);
                  props.onRemoved();
                }}
              >
                <Icon name="cross" />
                <span className="unseen">
                  Remove {what} · {at}
                </span>
              </button>
            </li>
          );
        })}
      </ul>
    </>
  );
}
