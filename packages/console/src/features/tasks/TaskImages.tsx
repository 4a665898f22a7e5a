import { useQueries } from "@tanstack/react-query";
import type { ReactElement } from "react";

import { useClient } from "../../api/context.tsx";
import type { ListedMedia } from "../../api/types.ts";
import { Thumbnail } from "../media/Thumbnail.tsx";

/** The images of a task; one that was deleted from the library says so. */
export function TaskImages({ ids }: { ids: readonly number[] }): ReactElement | null {
  const client = useClient();
  const images = useQueries({
    queries: ids.map((id) => ({
      queryKey: ["media", "one", id],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        client.get<ListedMedia>("/api/media/get", { id }, signal),
      staleTime: 60_000,
    })),
  });
  if (ids.length === 0) return null;
  return (
    <ul className="task-images" aria-label="Images">
      {images.map(({ data, isError }, index) => (
        <li key={ids[index]}>
          <Thumbnail media={data ?? null} width={96} />
          <span className="task-image-name">
            {data?.originalName ?? (isError ? "No longer in the library" : "…")}
          </span>
        </li>
      ))}
    </ul>
  );
}
