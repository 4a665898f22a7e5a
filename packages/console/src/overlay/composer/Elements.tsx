import { type ReactElement, useEffect, useState } from "react";

import type { PickedElement } from "../../api/types.ts";
import { splitPath } from "../../features/runs/labels.ts";
import { Icon } from "../../ui/Icon.tsx";
import { plainText } from "../../ui/plain-text.ts";
import { useMediaQuery } from "../../ui/useMediaQuery.ts";
import { useConsoleState } from "../useConsoleState.ts";
import css from "./elements.css?inline";

/** Maximum characters of an element's text that are shown. */
const maxVisible = 28;

/** "h1 “We design…”" and "index.astro:12". */
function elementLabel({ tag, text, file, line }: PickedElement): [what: string, at: string] {
  const words = plainText(text).replace(/\s+/g, " ").trim();
  const short = words.length > maxVisible ? `${words.slice(0, maxVisible - 1).trimEnd()}…` : words;
  return [short === "" ? tag : `${tag} “${short}”`, `${splitPath(file).name}:${line}`];
}

/** Outlines elements with a known source while one is hovered or focused. */
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

/** The elements that the instruction is about. */
export function Elements(props: {
  elements: readonly PickedElement[];
  onRemove(element: PickedElement): void;
  /** Called after removing one, because the pressed button is gone. */
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
          const [what, at] = elementLabel(element);
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
