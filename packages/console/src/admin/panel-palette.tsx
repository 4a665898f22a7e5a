/** The palette and the uploads of the overview, the only parts of it that use React. */
import { QueryClientProvider } from "@tanstack/react-query";
import { type ReactElement, useMemo, useState } from "react";
import { createPortal } from "react-dom";
import { createRoot } from "react-dom/client";

import { ConsoleContext } from "../api/context.tsx";
import { makeQueries } from "../api/queries.ts";
import { useSignIn } from "../api/useSignIn.ts";
import { UploadBanner } from "../features/media/UploadBanner.tsx";
import { useAnnouncements } from "../ui/useAnnouncements.tsx";
import { AdminPalette } from "./AdminPalette.tsx";
import { SignInDialog } from "./SignInDialog.tsx";

function PanelPalette({ banner }: { banner: Element }): ReactElement {
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
        {createPortal(<UploadBanner />, banner)}
        <AdminPalette />
        {element}
        {ended && <SignInDialog ended={ended} />}
      </ConsoleContext>
    </QueryClientProvider>
  );
}

/** Mounts the palette on the overview, and the uploads that other admin pages have started. */
export function mountPalette(): void {
  const place = document.createElement("div");
  const banner = document.createElement("div");
  document.body.append(place);
  document.querySelector("#main")?.prepend(banner);
  createRoot(place).render(<PanelPalette banner={banner} />);
}
