import { mod } from "../../ui/key-names.ts";
import type { ConsoleState } from "../useConsoleState.ts";
import type { Command } from "../../features/palette/commands.ts";

/** The composer's current commands for the palette. */
export function composerCommands({ draft, showTab, showTask }: ConsoleState): Command[] {
  const form = draft.input.current?.form;
  const asks = draft.mode === "ask";
  return [
    { id: "send", title: "Send", keys: `${mod} Enter`, run: () => form?.requestSubmit() },
    {
      id: "queue",
      title: "Queue task",
      run() {
        if (draft.text.trim() === "") return showTask("new");
        showTab("edit");
        form?.requestSubmit(form.querySelector<HTMLButtonElement>("button[data-does=queue]"));
      },
    },
    {
      id: "attach",
      title: "Attach images",
      run: () => form?.querySelector<HTMLInputElement>("input[type=file]")?.click(),
    },
    {
      id: "mode",
      title: asks ? "Build: change the site" : "Ask: only read and answer",
      run() {
        draft.choose(asks ? "build" : "ask");
        draft.focus();
      },
    },
  ];
}
