import { type KeyboardEvent, type ReactElement, useEffect, useId, useRef, useState } from "react";

import { type Command, findCommands, markMatches } from "../commands.ts";
import { usePaletteFinds } from "../hooks/usePalette.ts";
import type { PaletteProps } from "./Palette.tsx";

/** How many of a group are shown while nothing was typed. */
const shown = 6;

/** All that the console can do, in a list that is narrowed by typing. */
export function PaletteDialog(props: Omit<PaletteProps, "open">): ReactElement {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const finds = usePaletteFinds(props.onRun);
  useEffect(() => dialog.current?.showModal(), []);

  const groups = [{ title: "Commands", commands: props.commands }, ...finds]
    .map(({ title, commands }) => ({ title, commands: findCommands(commands, typed) }))
    .map((group, index) =>
      typed.trim() === "" && index > 0
        ? { ...group, commands: group.commands.slice(0, shown) }
        : group,
    )
    .filter(({ commands }) => commands.length > 0);
  const all = groups.flatMap(({ commands }) => commands);
  const chosen = all[Math.min(at, all.length - 1)];
  const optionId = (command: Command): string => `${id}-${command.id}`;

  function run(command: Command): void {
    // Closing gives the focus back; the command may take it elsewhere.
    dialog.current?.close();
    command.run();
  }
  function onKey(event: KeyboardEvent): void {
    const last = all.length - 1;
    const next = {
      ArrowDown: at >= last ? 0 : at + 1,
      ArrowUp: at <= 0 ? last : at - 1,
      PageDown: Math.min(last, at + 8),
      PageUp: Math.max(0, at - 8),
    }[event.key];
    if (next !== undefined) {
      event.preventDefault();
      setAt(Math.max(0, next));
    } else if (event.key === "Enter" && !event.nativeEvent.isComposing) {
      event.preventDefault();
      if (chosen) run(chosen);
    } else if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      dialog.current?.close();
    }
    // What is typed here is no shortcut of the console.
    event.stopPropagation();
  }
  return (
    <dialog
      ref={dialog}
      className="palette"
      aria-label="Find a command, a change or a page"
      onClose={props.onClose}
      onKeyDown={onKey}
      onClick={(event) => event.target === dialog.current && dialog.current?.close()}
    >
      <input
        className="find"
        role="combobox"
        aria-label="Find a command, a change or a page"
        aria-expanded={all.length > 0}
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={chosen ? optionId(chosen) : undefined}
        placeholder="Find a command, a change or a page"
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setAt(0);
        }}
      />
      <div id={id} className="found" role="listbox" aria-label="Found">
        {groups.map(({ title, commands }) => (
          <div key={title} role="group" aria-labelledby={`${id}-${title}`}>
            <p id={`${id}-${title}`} className="quiet" role="presentation">
              {title}
            </p>
            {commands.map((command) => (
              <Option
                key={command.id}
                id={optionId(command)}
                command={command}
                typed={typed}
                chosen={command === chosen}
                onPoint={() => setAt(all.indexOf(command))}
                onRun={() => run(command)}
              />
            ))}
          </div>
        ))}
      </div>
      <p className="nothing" role="status">
        {all.length === 0 && `Nothing is called “${typed.trim()}”.`}
      </p>
    </dialog>
  );
}

function Option(props: {
  id: string;
  command: Command;
  typed: string;
  chosen: boolean;
  onPoint(): void;
  onRun(): void;
}): ReactElement {
  const { command, chosen } = props;
  const option = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (chosen) option.current?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  return (
    <div
      ref={option}
      id={props.id}
      className="option"
      role="option"
      aria-selected={chosen}
      onPointerMove={chosen ? undefined : props.onPoint}
      onClick={props.onRun}
    >
      <span className="title">
        {markMatches(command.title, props.typed).map(({ text, match }, index) =>
          // oxlint-disable-next-line react/no-array-index-key -- pieces have no other identity
          match ? <mark key={index}>{text}</mark> : <span key={index}>{text}</span>,
        )}
      </span>
      {command.keys !== undefined && <kbd>{command.keys}</kbd>}
    </div>
  );
}
