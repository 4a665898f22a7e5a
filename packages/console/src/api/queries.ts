import { QueryClient } from "@tanstack/react-query";

import { ApiError } from "./client.ts";

/** The query cache of a shell, with its refetching rules. */
export function makeQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // The client handles signing in; what remains are errors and lost connections.
        retry: (failures, error) =>
          failures < 2 && error instanceof ApiError && error.status >= 502,
        staleTime: 5000,
        networkMode: "always",
      },
      mutations: { networkMode: "always" },
    },
  });
}
