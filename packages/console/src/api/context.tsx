import { createContext, use } from "react";

import type { Client } from "./client.ts";

/** The site and its limits, as the server reports them. */
export interface SiteInfo {
  ownerName: string;
  timeZone: string;
  /** Upload size limits in MiB, which the server enforces. */
  imageMiB: number;
  videoMiB: number;
}

/** What both shells provide to the features. */
export interface ConsoleContextValue {
  client: Client;
  /** The page that the console is on: a root-relative path. */
  path: string;
  /** The server's data about the site; null on a page of the site itself. */
  site: SiteInfo | null;
  /** Announces a message to screen readers. */
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
/** The page that the console is on. */
export const usePagePath = (): string => useConsole().path;
/** Announces a result in the shell's live region. */
export const useAnnounce = (): ((message: string) => void) => useConsole().announce;

/** The site's time zone; on the site itself, the browser's. */
export function useTimeZone(): string {
  const { site } = useConsole();
  return site?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Upload size limits; if unknown, only the server checks them. */
export function useUploadLimits(): Pick<SiteInfo, "imageMiB" | "videoMiB"> {
  const { site } = useConsole();
  return site ?? unlimited;
}

/** The server's data about the site; only in the admin shell. */
export function useSite(): SiteInfo {
  const { site } = useConsole();
  if (site === null) throw new Error("This part belongs in the admin pages.");
  return site;
}
