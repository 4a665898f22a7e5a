import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ComponentType, type ReactElement, useEffect, useMemo, useRef, useState } from "react";

import { ClientError, makeClient } from "./client.ts";
import { ManageProvider, type SiteFacts } from "./context.tsx";
import { RebuildBanner } from "./rebuild/RebuildBanner.tsx";
import { SignInDialog } from "./SignInDialog.tsx";

interface Renewal {
  resolve(): void;
  reject(error: Error): void;
}

function useSignIn() {
  const [renewal, setRenewal] = useState<Renewal | null>(null);
  const client = useMemo(
    () =>
      makeClient({
        fetch: (...call) => fetch(...call),
        signIn: () => new Promise((resolve, reject) => setRenewal({ resolve, reject })),
      }),
    [],
  );
  const dialog = renewal && (
    <SignInDialog
      onDone={() => {
        setRenewal(null);
        renewal.resolve();
      }}
      onCancel={() => {
        setRenewal(null);
        renewal.reject(
          new ClientError(
            "unauthenticated",
            "You are signed out. What you have here is kept.",
            401,
          ),
        );
      }}
    />
  );
  return { client, dialog };
}

/** A region for words about results; the same words twice are said twice. */
function useAnnouncements() {
  const region = useRef<HTMLParagraphElement>(null);
  const announce = useMemo(
    () => (message: string) => {
      if (!region.current) return;
      const line = document.createElement("span");
      line.textContent = message;
      region.current.replaceChildren(line);
    },
    [],
  );
  return {
    announce,
    element: <p ref={region} className="unseen" role="status" data-announcements />,
  };
}

function makeQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // The client itself signs in again; what is left are refusals, and no connection.
        retry: (failures, error) =>
          failures < 2 && error instanceof ClientError && error.status >= 502,
        staleTime: 5000,
        networkMode: "always",
      },
      mutations: { networkMode: "always" },
    },
  });
}

/** A file that is dropped beside a place that takes it must not replace the page. */
function useHarmlessDrops(): void {
  useEffect(() => {
    const stop = (event: DragEvent): void => {
      if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
    };
    addEventListener("dragover", stop);
    addEventListener("drop", stop);
    return () => {
      removeEventListener("dragover", stop);
      removeEventListener("drop", stop);
    };
  }, []);
}

/** One of the admin pages with what they share: the API, the sign-in, the state of the live site. */
export function ManageApp(props: { site: SiteFacts; page: ComponentType }): ReactElement {
  const [queries] = useState(makeQueries);
  const { client, dialog } = useSignIn();
  const { announce, element } = useAnnouncements();
  useHarmlessDrops();
  const value = useMemo(
    () => ({ client, site: props.site, announce }),
    [client, props.site, announce],
  );
  const Page = props.page;
  return (
    <QueryClientProvider client={queries}>
      <ManageProvider value={value}>
        <RebuildBanner />
        <Page />
        {element}
        {dialog}
      </ManageProvider>
    </QueryClientProvider>
  );
}
