import { QueryClient } from "@tanstack/react-query";

import { ApiError } from "./client.ts";

/** What a shell knows of the server: its cache, and when it asks again. */
export function makeQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // The client itself signs in again; what is left are refusals, and no connection.
        retry: (failures, error) =>
          failures < 2 && error instanceof ApiError && error.status >= 502,
        staleTime: 5000,
        networkMode: "always",
      },
      mutations: { networkMode: "always" },
    },
  });
}
