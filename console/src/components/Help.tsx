import { part } from "./part.tsx";

/** The keys of the console; loaded when they are first asked for. */
export const Help = part(async () => (await import("./HelpDialog.tsx")).HelpDialog);
