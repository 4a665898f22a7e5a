import { createContext, useContext } from "react";

import type { Api } from "./api.ts";

export interface ConsoleContextValue {
  api: Api;
  /** The page that the console stands on: a root-relative path. */
  path: string;
  /** Grows when the session was renewed: what failed for want of one starts again. */
  epoch: number;
  /** Says that the server no longer knows the session. */
  expire(): void;
}

export const ConsoleContext = createContext<ConsoleContextValue | null>(null);

export function useConsole(): ConsoleContextValue {
  const value = useContext(ConsoleContext);
  if (value === null) throw new Error("A part of the console stands outside it.");
  return value;
}
