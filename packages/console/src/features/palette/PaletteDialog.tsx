import {
  type KeyboardEvent,
  type ReactElement,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react";

import { asApiError } from "../../api/client.ts";
import { hasModifierKey } from "../../ui/key-names.ts";
import { type Command, type CommandGroup, findCommands, markMatches } from "./commands.ts";
import { type PaletteShell, useCommonCommands } from "./common-commands.ts";
import type { PaletteProps } from "./Palette.tsx";
import { usePaletteResults } from "./usePaletteResults.ts";

/** How many commands of a group are shown before typing. */
const visibleCommands = 6;
const purpose = "Find a command, page or record";
const optionId = (list: string, command: Command): string => `${list}-${command.id}`;

export interface PaletteDialogProps extends PaletteProps {
  shell: PaletteShell;
  /** The styles, if no style sheet of the page contains them. */
  css?: string;
}

interface Found {
  groups: CommandGroup[];
  isSearching: boolean;
}

/** The results by group; before typing, only the first runs and pages. */
function useFound(shell: PaletteShell, typed: string): Found {
  const { commands, pages, settings } = useCommonCommands(shell);
  const results = usePaletteResults(typed, shell);
  const isEmpty = typed.trim() === "";
  const groups = [
    { title: "Commands", commands: findCommands(commands, typed) },
    ...results.groups.map(({ title, commands: found }) => ({
      title,
      commands: isEmpty ? found.slice(0, visibleCommands) : found,
    })),
    { title: "Admin pages", commands: findCommands(pages, typed) },
    { title: "Settings", commands: isEmpty ? [] : findCommands(settings, typed) },
  ];
  return {
    groups: groups.filter(({ commands: found }) => found.length > 0),
    isSearching: results.isSearching,
  };
}

/** The index that a key selects in a list of this length, from `at`; null for other keys. */
function moved(key: string, at: number, count: number): number | null {
  const last = Math.max(0, count - 1);
  if (key === "ArrowDown") return at >= last ? 0 : at + 1;
  if (key === "ArrowUp") return at <= 0 ? last : at - 1;
  if (key === "PageDown") return Math.min(last, at + 8);
  return key === "PageUp" ? Math.max(0, at - 8) : null;
}

/** Executes commands; one that `waits` keeps the palette open until it is done. */
function useRunner(close: () => void) {
  const [message, setMessage] = useState("");
  async function wait(command: Command): Promise<void> {
    setMessage("Working…");
    try {
      await command.run();
      close();
    } catch (error) {
      setMessage(asApiError(error).message);
    }
  }
  function run(command: Command): void {
    if (command.waits) return void wait(command);
    // Closing restores the focus; the command may move it elsewhere.
    close();
    void command.run();
  }
  return { message, clear: () => setMessage(""), run };
}

function statusText(found: number, isSearching: boolean, typed: string): string {
  if (found > 0) return "";
  return isSearching ? "Searching…" : `Nothing matches “${typed.trim()}”.`;
}

/** All commands of the console in a list that typing filters. */
export function PaletteDialog(props: PaletteDialogProps): ReactElement {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [typed, setTyped] = useState(() => props.typed.current);
  const [at, setAt] = useState(0);
  const { groups, isSearching } = useFound(props.shell, typed);
  const all = groups.flatMap(({ commands }) => commands);
  const chosen = all[Math.min(at, all.length - 1)];
  const close = (): void => dialog.current?.close();
  const runner = useRunner(close);
  // Before another key can be pressed.
  useLayoutEffect(() => dialog.current?.showModal(), []);

  function type(text: string): void {
    setTyped(text);
    setAt(0);
    runner.clear();
  }
  function onKey(event: KeyboardEvent): void {
    const next = moved(event.key, at, all.length);
    const again = event.key.toLowerCase() === "k" && hasModifierKey(event);
    const enters = event.key === "Enter" && !event.nativeEvent.isComposing;
    if (next !== null || again || enters) event.preventDefault();
    if (next !== null) setAt(next);
    if (again) close();
    if (enters && chosen) runner.run(chosen);
    // Keys typed here aren't shortcuts of the console.
    event.stopPropagation();
  }
  return (
    <dialog
      ref={dialog}
      className="palette"
      aria-label={purpose}
      onClose={props.onClose}
      onKeyDown={onKey}
      onClick={(event) => event.target === dialog.current && close()}
    >
      {props.css !== undefined && <style>{props.css}</style>}
      <FindField list={id} typed={typed} chosen={chosen} open={all.length > 0} onType={type} />
      <Options
        id={id}
        groups={groups}
        typed={typed}
        chosen={chosen}
        onPoint={(command) => setAt(all.indexOf(command))}
        onRun={runner.run}
      />
      <p className="nothing" role="status">
        {runner.message || statusText(all.length, isSearching, typed)}
      </p>
    </dialog>
  );
}

function FindField(props: {
  list: string;
  typed: string;
  chosen: Command | undefined;
  open: boolean;
  onType(text: string): void;
}): ReactElement {
  const { list, chosen } = props;
  return (
    <input
      className="find"
      role="combobox"
      aria-label={purpose}
      aria-expanded={props.open}
      aria-controls={list}
      aria-autocomplete="list"
      aria-activedescendant={chosen ? optionId(list, chosen) : undefined}
      placeholder={purpose}
      autoComplete="off"
      spellCheck={false}
      value={props.typed}
      onChange={(event) => props.onType(event.target.value)}
    />
  );
}

function Options(props: {
  id: string;
  groups: readonly CommandGroup[];
  typed: string;
  chosen: Command | undefined;
  onPoint(command: Command): void;
  onRun(command: Command): void;
}): ReactElement {
  const { id } = props;
  return (
    <div id={id} className="found" role="listbox" aria-label="Results">
      {props.groups.map(({ title, commands }) => (
        <div key={title} role="group" aria-labelledby={`${id}-${title}`}>
          <p id={`${id}-${title}`} className="quiet" role="presentation">
            {title}
          </p>
          {commands.map((command) => (
            <Option
              key={command.id}
              id={optionId(id, command)}
              command={command}
              typed={props.typed}
              chosen={command === props.chosen}
              onPoint={() => props.onPoint(command)}
              onRun={() => props.onRun(command)}
            />
          ))}
        </div>
      ))}
    </div>
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
