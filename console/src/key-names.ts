const mac = /Mac|iP/.test(globalThis.navigator?.platform ?? "");

/** The key that makes a letter a command, and Shift, as the owner's keyboard shows them. */
export const mod = mac ? "⌘" : "Ctrl";
export const shift = mac ? "⇧" : "Shift";
