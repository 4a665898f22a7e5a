import { createContext } from "react";

/** Adds a text to the current instruction; null without a composer. */
export const AppendInstruction = createContext<((text: string) => void) | null>(null);
