/** What a browser says about its system; only some support the newer way. */
export interface System {
  platform?: string;
  userAgentData?: { platform: string };
}

/** Whether the keyboard is Apple's: "macOS", "MacIntel", "iPhone", "iPad". */
export function isApple({ platform, userAgentData }: System): boolean {
  return /^(?:mac|ip|ios)/i.test(userAgentData?.platform || platform || "");
}

const apple = isApple(globalThis.navigator ?? {});

/** The modifier key for shortcuts, and Shift, as labeled on the owner's keyboard. */
export const mod = apple ? "⌘" : "Ctrl";
export const shift = apple ? "⇧" : "Shift";

/**
 * Whether the modifier key for shortcuts is held: ⌘ on Apple's keyboards, where Ctrl edits text
 * (Ctrl+K cuts the line), and Ctrl on others, where the Windows key belongs to the system.
 */
export function hasModifierKey(
  { ctrlKey, metaKey }: Pick<KeyboardEvent, "ctrlKey" | "metaKey">,
  atApple = apple,
): boolean {
  return atApple ? metaKey && !ctrlKey : ctrlKey && !metaKey;
}
