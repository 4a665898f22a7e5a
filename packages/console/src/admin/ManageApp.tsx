import { QueryClientProvider } from "@tanstack/react-query";
import { type ComponentType, type ReactElement, useEffect, useMemo, useState } from "react";

import { ConsoleContext, type SiteInfo } from "../api/context.tsx";
import { makeQueries } from "../api/queries.ts";
import { useSignIn } from "../api/useSignIn.ts";
import { UploadBanner } from "../features/media/UploadBanner.tsx";
import { RebuildBanner } from "../features/rebuild/RebuildBanner.tsx";
import { carriesFiles } from "../ui/useFileDrop.ts";
import { useAnnouncements } from "../ui/useAnnouncements.tsx";
import { AdminPalette } from "./AdminPalette.tsx";
import { SignInDialog } from "./SignInDialog.tsx";

/** Keeps a file dropped outside a drop zone from replacing the page. */
function useHarmlessDrops(): void {
  useEffect(() => {
    const stop = (event: DragEvent): void => {
      if (carriesFiles(event)) event.preventDefault();
    };
    addEventListener("dragover", stop);
    addEventListener("drop", stop);
    return () => {
      removeEventListener("dragover", stop);
      removeEventListener("drop", stop);
    };
  }, []);
}

/** The page that lists the uploads itself. */
const mediaPath = "/admin/media";

/** An admin page with what they share: the API, the sign-in, and the state of the live site. */
export function ManageApp(props: { site: SiteInfo; page: ComponentType }): ReactElement {
  const [queries] = useState(makeQueries);
  const { client, ended } = useSignIn(true);
  const { announce, element } = useAnnouncements();
  useHarmlessDrops();
  const value = useMemo(
    () => ({ client, path: location.pathname, site: props.site, announce }),
    [client, props.site, announce],
  );
  const Page = props.page;
  return (
    <QueryClientProvider client={queries}>
      <ConsoleContext value={value}>
        <RebuildBanner />
        {value.path !== mediaPath && <UploadBanner />}
        <Page />
        <AdminPalette />
        {element}
        {ended && <SignInDialog ended={ended} />}
      </ConsoleContext>
    </QueryClientProvider>
  );
}
