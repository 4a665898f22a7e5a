import { type ReactElement, useEffect, useRef } from "react";

import { Icon } from "../ui/Icon.tsx";
import { mod, shift } from "../ui/key-names.ts";
import css from "../ui/styles/dialog.css?inline";

const keys: readonly (readonly [string, string])[] = [
  [`${mod} .`, "Open or close the console"],
  [`${mod} Enter`, "Send"],
  [`${mod} K`, "Find a command, page or record"],
  [`${mod} ${shift} C`, "Point at a part of the page"],
  ["F2", "While pointing: edit the text on the page. A double click does the same."],
  ["Esc", "Stop pointing, close the preview, then close the console. Runs continue."],
  ["P", "Open or close the preview"],
  ["D", "Open or close all diffs"],
  ["1, 2, 3", "Preview on a phone, on a tablet, or in full width"],
  ["← →", "On the edge: resize the console. On the closed console: move it."],
  ["?", "Show this list"],
];

/** The console's keys. Letters work while the console has the focus outside of text fields. */
export function HelpDialog({ onClose }: { onClose(): void }): ReactElement {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby="keys" onClose={onClose}>
      <style>{css}</style>
      <form method="dialog" className="row">
        <h2 id="keys">Keyboard shortcuts</h2>
        <button className="button">
          <Icon name="cross" />
          <span className="unseen">Close</span>
        </button>
      </form>
      <p className="quiet">
        Letter keys work while the console or preview has focus and you aren’t typing.
      </p>
      <dl>
        {keys.map(([key, meaning]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </dialog>
  );
}
