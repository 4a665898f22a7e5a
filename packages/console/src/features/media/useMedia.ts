import type { ListedMedia, MediaItem, MediaKind, MediaList } from "../../api/types.ts";
import { useChange } from "../../api/useChange.ts";
import { useListPage } from "../../api/useGet.ts";
import { type Address, readChoice, pageIn } from "../../ui/search-params.ts";
import { rebuildKey } from "../rebuild/RebuildBanner.tsx";

const api = "/api/media";
export const mediaListKey = ["media", "list"] as const;

/** How many files are on a page. */
export const perPage = 24;

/** What the address asks the list for. */
export function viewOf({ params }: Address) {
  const kind = readChoice<MediaKind>(params, "kind", ["image", "video"]);
  const q = params.get("q") ?? "";
  return { q, kind, page: pageIn(params), filtered: q !== "" || kind !== null };
}

export type MediaView = ReturnType<typeof viewOf>;

export function useMediaList({ q, kind, page }: MediaView) {
  return useListPage<MediaList>(mediaListKey, `${api}/list`, { q, kind, page, perPage });
}

/** Saves what a picture shows; it is seen in the list at once. */
export function useSaveAlt(item: ListedMedia) {
  return useChange<string, MediaItem>({
    // One after the other, so that an older text never overtakes a newer one.
    scope: { id: `media-${item.id}` },
    send: (client, alt) => client.post(`${api}/update`, { id: item.id, alt: alt.trim() }),
    updateCache(queries, saved) {
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
  return useChange<ListedMedia>({
    send: (client, { id }) => client.post(`${api}/delete`, { id }),
    announcement: (_, { originalName }) => `${originalName} deleted.`,
    stale: [mediaListKey, rebuildKey],
  });
}
