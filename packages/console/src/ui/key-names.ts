/** What a browser says of the system that it runs on; the newer way only some do. */
export interface System {
  platform?: string;
  userAgentData?: { platform: string };
}

/** Whether the keyboard is one of Apple's: "macOS", "MacIntel", "iPhone", "iPad". */
export function isApple({ platform, userAgentData }: System): boolean {
  return /^(?:mac|ip|ios)/i.test(userAgentData?.platform || platform || "");
}

const apple = isApple(globalThis.navigator ?? {});

/** The key that makes a letter a command, and Shift, as the owner's keyboard shows them. */
export const mod = apple ? "⌘" : "Ctrl";
export const shift = apple ? "⇧" : "Shift";

/**
 * Whether the key that makes a letter a command is held: ⌘ at Apple's keyboards, where Ctrl edits
 * text (Ctrl+K cuts the line), and Ctrl at others, where the Windows key is the system's.
 */
export function hasModifierKey(
  { ctrlKey, metaKey }: Pick<KeyboardEvent, "ctrlKey" | "metaKey">,
  atApple = apple,
): boolean {
  return atApple ? metaKey && !ctrlKey : ctrlKey && !metaKey;
}
