import { lazyComponent } from "../ui/lazy-component.tsx";

/** The console's keys, loaded when they are first opened. */
export const Help = lazyComponent(async () => (await import("./HelpDialog.tsx")).HelpDialog);
