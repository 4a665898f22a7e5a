/** The palette of the overview, the only part of it that uses React. */
import { QueryClientProvider } from "@tanstack/react-query";
import { type ReactElement, useMemo, useState } from "react";
import { createRoot } from "react-dom/client";

import { ConsoleContext } from "../api/context.tsx";
import { makeQueries } from "../api/queries.ts";
import { useSignIn } from "../api/useSignIn.ts";
import { useAnnouncements } from "../ui/useAnnouncements.tsx";
import { AdminPalette } from "./AdminPalette.tsx";
import { SignInDialog } from "./SignInDialog.tsx";

function PanelPalette(): ReactElement {
  const [queries] = useState(makeQueries);
  const { client, ended } = useSignIn(true);
  const { announce, element } = useAnnouncements();
  const value = useMemo(
    () => ({ client, path: location.pathname, site: null, announce }),
    [client, announce],
  );
  return (
    <QueryClientProvider client={queries}>
      <ConsoleContext value={value}>
        <AdminPalette />
        {element}
        {ended && <SignInDialog ended={ended} />}
      </ConsoleContext>
    </QueryClientProvider>
  );
}

/** Mounts the palette on the overview. */
export function mountPalette(): void {
  const place = document.createElement("div");
  document.body.append(place);
  createRoot(place).render(<PanelPalette />);
}
