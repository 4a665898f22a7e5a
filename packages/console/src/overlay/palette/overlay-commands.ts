import type { Command } from "../../features/palette/commands.ts";
import type { Preview } from "../../features/preview/preview.ts";
import { mod, shift } from "../../ui/key-names.ts";
import type { MountPoint } from "../mount-point.ts";
import type { CurrentRun } from "../RunPanel.tsx";
import type { ConsoleState } from "../useConsoleState.ts";
import type { Picker } from "../usePicking.ts";
import { composerCommands } from "./composer-commands.ts";

/** The buttons of a bar; the preview has its own commands. */
const offers = ":is(.bar, .task-bar) > .actions > button:enabled:not(.to-preview, [aria-disabled])";

/** What the overlay's keys and commands act on. */
export interface OverlayParts {
  consoleState: ConsoleState;
  picker: Picker;
  preview: Preview;
  /** The current run. */
  current: CurrentRun | null;
  place: MountPoint;
  toggleDiffs(): void;
  close(): void;
  show(what: "help" | "palette"): void;
}

/** The commands of the run's or task's bar, with the same labels, which press its buttons. */
function barCommands({ consoleState, place }: OverlayParts): Command[] {
  const tab = consoleState.tab === "tasks" ? "tasks" : "edit";
  const offered = [...place.root.querySelectorAll<HTMLButtonElement>(`#panel-${tab} ${offers}`)];
  return offered.map((button) => {
    const title = button.ariaLabel ?? button.textContent.trim();
    return {
      id: `bar:${title}`,
      title,
      run() {
        consoleState.showTab(tab);
        button.click();
      },
    };
  });
}

/** Only while a preview waits. */
function previewCommands({ preview }: OverlayParts): Command[] {
  const shown = preview.url !== null;
  const devices: Command[] = [
    { id: "phone", title: "Preview as phone", keys: "1", run: () => preview.setDevice("phone") },
    { id: "tablet", title: "Preview as tablet", keys: "2", run: () => preview.setDevice("tablet") },
    { id: "full", title: "Preview in full width", keys: "3", run: () => preview.setDevice("full") },
  ];
  return [
    {
      id: "preview",
      title: shown ? "Close the preview" : "Open the preview",
      keys: "P",
      run: preview.toggle,
    },
    {
      id: "compare",
      title: preview.comparing ? "Show the preview alone" : "Compare with the live site",
      run: preview.compare,
    },
    ...(shown ? devices : []),
  ];
}

/** Current commands for viewing and deciding, for the palette. */
export function overlayCommands(parts: OverlayParts): Command[] {
  const { consoleState, picker, current } = parts;
  return [
    ...(current?.status === "preview_ready" ? previewCommands(parts) : []),
    { id: "compose", title: "Describe a change", run: () => consoleState.compose() },
    // Not first, because pressing only Enter must be harmless.
    ...(current === null && consoleState.tab !== "tasks" ? [] : barCommands(parts)),
    ...composerCommands(consoleState),
    {
      id: "pick",
      title: "Point at a part of the page",
      keys: `${mod} ${shift} C`,
      run: () => {
        consoleState.showTab("edit");
        picker.start();
      },
    },
    { id: "blame", title: "Who changed this?", run: () => picker.start(consoleState.blame) },
    { id: "tasks", title: "Tasks", run: () => consoleState.showTask(null) },
    { id: "new-task", title: "New task", run: () => consoleState.showTask("new") },
    { id: "qa", title: "QA: issues on the site", run: () => consoleState.showTab("qa") },
    { id: "history", title: "Show the history", run: () => consoleState.showPast(null) },
    { id: "diffs", title: "Open or close all diffs", keys: "D", run: parts.toggleDiffs },
    { id: "keys", title: "Keyboard shortcuts", keys: "?", run: () => parts.show("help") },
    { id: "close", title: "Close the console", keys: "Esc", run: parts.close },
  ];
}
