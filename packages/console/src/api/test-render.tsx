import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { createRoot } from "react-dom/client";

import type { Client } from "./client.ts";
import { ConsoleContext } from "./context.tsx";

/** A part of the admin pages rendered with a fake server. */
interface Rendered {
  place: HTMLElement;
  queries: QueryClient;
  /** The button with this text. */
  button(text: string): HTMLButtonElement;
  close(): void;
}

/** Renders a part as the admin pages do; without retries. */
export function render(part: ReactElement, client: Partial<Client>): Rendered {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const place = document.createElement("div");
  document.body.append(place);
  const root = createRoot(place);
  const site = { ownerName: "Ada", timeZone: "UTC", imageMiB: 1, videoMiB: 1 };
  const value = { client: client as Client, path: "/", site, announce: () => {} };
  root.render(
    <QueryClientProvider client={queries}>
      <ConsoleContext value={value}>{part}</ConsoleContext>
    </QueryClientProvider>,
  );
  return {
    place,
    queries,
    button(text) {
      const found = [...place.querySelectorAll("button")].find(
        (button) => button.textContent === text,
      );
      if (!found) throw new Error(`There is no button “${text}”.`);
      return found;
    },
    close() {
      root.unmount();
      place.remove();
      queries.clear();
    },
  };
}
