import { createContext } from "react";

/** Adds a text to the instruction that is being written; null where there is no composer. */
export const AppendInstruction = createContext<((text: string) => void) | null>(null);
