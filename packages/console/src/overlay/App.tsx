import { QueryClientProvider } from "@tanstack/react-query";
import { type ReactElement, useMemo, useState } from "react";

import { ConsoleContext } from "../api/context.tsx";
import { makeQueries } from "../api/queries.ts";
import { useSignIn } from "../api/useSignIn.ts";
import { useAnnouncements } from "../ui/useAnnouncements.tsx";
import { ErrorBoundary } from "./ErrorBoundary.tsx";
import type { MountPoint } from "./mount-point.ts";
import { OverlayShell } from "./OverlayShell.tsx";
import type { VisibilityState } from "./visibility-state.ts";

/** The console of a page: what all its parts share, and the overlay. */
export function App(props: { place: MountPoint; opener: VisibilityState }): ReactElement {
  const [queries] = useState(makeQueries);
  const { client, ended } = useSignIn(false);
  const { announce, element } = useAnnouncements();
  const path = location.pathname;
  const value = useMemo(() => ({ client, path, site: null, announce }), [client, path, announce]);
  return (
    <QueryClientProvider client={queries}>
      <ConsoleContext value={value}>
        <ErrorBoundary>
          <OverlayShell place={props.place} opener={props.opener} ended={ended} />
          {element}
        </ErrorBoundary>
      </ConsoleContext>
    </QueryClientProvider>
  );
}
