import { createContext, use } from "react";

import type { Client } from "./client.ts";

/** What the server says about the site and its limits. */
export interface SiteFacts {
  ownerName: string;
  timeZone: string;
  /** The largest files that the server takes, in MiB; it looks again itself. */
  imageMiB: number;
  videoMiB: number;
}

/** What both shells give the features. */
export interface ConsoleContextValue {
  client: Client;
  /** The page that the console stands on: a root-relative path. */
  path: string;
  /** What the server says about the site; null on a page of the site itself. */
  site: SiteFacts | null;
  /** Says something to who listens instead of looking. */
  announce(message: string): void;
}

export const ConsoleContext = createContext<ConsoleContextValue | null>(null);

const unlimited = { imageMiB: Infinity, videoMiB: Infinity };

function useConsole(): ConsoleContextValue {
  const value = use(ConsoleContext);
  if (value === null) throw new Error("This part belongs inside ConsoleContext.");
  return value;
}

export const useClient = (): Client => useConsole().client;
/** The page that the console stands on. */
export const usePagePath = (): string => useConsole().path;
/** Says a result in the shell's live region. */
export const useAnnounce = (): ((message: string) => void) => useConsole().announce;

/** The site's time zone; on a page of the site itself, the browser's. */
export function useTimeZone(): string {
  const { site } = useConsole();
  return site?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** The largest files that the server takes; where that is not known, the server decides alone. */
export function useUploadLimits(): Pick<SiteFacts, "imageMiB" | "videoMiB"> {
  const { site } = useConsole();
  return site ?? unlimited;
}

/** What the server says about the site; only the admin shell knows it. */
export function useSite(): SiteFacts {
  const { site } = useConsole();
  if (site === null) throw new Error("This part belongs in the admin pages.");
  return site;
}
