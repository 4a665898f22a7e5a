import type { Command } from "./commands.ts";
import type { Draft } from "./hooks/useDraft.ts";

/** What composing adds to the palette, as things are now. */
export function composerCommands(draft: Draft): Command[] {
  const form = draft.input.current?.form;
  const asks = draft.mode === "ask";
  return [
    { id: "send", title: "Send", keys: "Ctrl Enter", run: () => form?.requestSubmit() },
    {
      id: "attach",
      title: "Attach pictures",
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
