import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { useAnnounce, useClient } from "../../api/context.tsx";
import type { ListedMedia, MediaItem, MediaKind, MediaList } from "../../api/types.ts";
import { type Address, oneIn, pageIn } from "../../ui/search-params.ts";
import { rebuildKey } from "../rebuild/RebuildBanner.tsx";

const api = "/api/media";
export const mediaListKey = ["media", "list"] as const;

/** How many files are on a page. */
export const perPage = 24;

/** What the address asks the list for. */
export function viewOf({ params }: Address) {
  const kind = oneIn<MediaKind>(params, "kind", ["image", "video"]);
  const q = params.get("q") ?? "";
  return { q, kind, page: pageIn(params), filtered: q !== "" || kind !== null };
}

export type MediaView = ReturnType<typeof viewOf>;

export function useMediaList({ q, kind, page }: MediaView) {
  const client = useClient();
  const query = { q, kind, page, perPage };
  return useQuery({
    queryKey: [...mediaListKey, query],
    queryFn: ({ signal }) => client.get<MediaList>(`${api}/list`, query, signal),
    placeholderData: keepPreviousData,
  });
}

/** Saves what a picture shows; it is seen in the list at once. */
export function useSaveAlt(item: ListedMedia) {
  const client = useClient();
  const queries = useQueryClient();
  return useMutation({
    // One after the other, so that an older text never overtakes a newer one.
    scope: { id: `media-${item.id}` },
    mutationFn: (alt: string) =>
      client.post<MediaItem>(`${api}/update`, { id: item.id, alt: alt.trim() }),
    onSuccess: (saved) => {
      queries.setQueriesData<MediaList>({ queryKey: mediaListKey }, (list) => {
        if (!list) return list;
        const items = list.items.map((known) =>
          known.id === saved.id ? { ...known, alt: saved.alt } : known,
        );
        return { ...list, items };
      });
      void queries.invalidateQueries({ queryKey: rebuildKey });
    },
  });
}

export function useDeleteMedia() {
  const client = useClient();
  const queries = useQueryClient();
  const announce = useAnnounce();
  return useMutation({
    mutationFn: ({ id }: ListedMedia) => client.post(`${api}/delete`, { id }),
    onSuccess: (_, item) => announce(`${item.originalName} is deleted.`),
    onSettled: () => {
      void queries.invalidateQueries({ queryKey: mediaListKey });
      void queries.invalidateQueries({ queryKey: rebuildKey });
    },
  });
}
