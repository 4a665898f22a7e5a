import { createContext, type ReactElement, type ReactNode, use } from "react";

import type { Client } from "./client.ts";

/** What the server says about the site and its limits, from the shell's attributes. */
export interface SiteFacts {
  ownerName: string;
  timeZone: string;
  /** The largest files that the server takes, in MiB; it looks again itself. */
  imageMiB: number;
  videoMiB: number;
}

interface Manage {
  client: Client;
  site: SiteFacts;
  /** Says something to who listens instead of looking. */
  announce(message: string): void;
}

const Context = createContext<Manage | null>(null);

/** Gives the pages what they all need. */
export function ManageProvider(props: { value: Manage; children: ReactNode }): ReactElement {
  return <Context value={props.value}>{props.children}</Context>;
}

function useManage(): Manage {
  const value = use(Context);
  if (value === null) throw new Error("This part belongs inside ManageProvider.");
  return value;
}

export const useClient = (): Client => useManage().client;
export const useSite = (): SiteFacts => useManage().site;
/** Says a result in the page's live region. */
export const useAnnounce = (): ((message: string) => void) => useManage().announce;
