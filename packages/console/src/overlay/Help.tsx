import { lazyComponent } from "../ui/lazy-component.tsx";

/** The keys of the console; loaded when they are first asked for. */
export const Help = lazyComponent(async () => (await import("./HelpDialog.tsx")).HelpDialog);
