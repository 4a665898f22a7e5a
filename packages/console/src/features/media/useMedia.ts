import type { ListedMedia, MediaItem, MediaKind, MediaList } from "../../api/types.ts";
import { useChange } from "../../api/useChange.ts";
import { useListPage } from "../../api/useGet.ts";
import { type Address, readChoice, pageIn } from "../../ui/search-params.ts";
import { expectRebuild, rebuildKey } from "../rebuild/RebuildBanner.tsx";

const api = "/api/media";
export const mediaListKey = ["media", "list"] as const;

/** How many files are on a page. */
export const perPage = 24;

/** What the address asks the list for. */
export function viewOf({ params }: Address) {
  const kind = readChoice<MediaKind>(params, "kind", ["image", "video"]);
  const q = params.get("q") ?? "";
  const alt = readChoice<"missing">(params, "alt", ["missing"]);
  const filtered = q !== "" || kind !== null || alt !== null;
  return { q, kind, alt, page: pageIn(params), filtered };
}

export type MediaView = ReturnType<typeof viewOf>;

export function useMediaList({ q, kind, alt, page }: MediaView) {
  return useListPage<MediaList>(mediaListKey, `${api}/list`, { q, kind, alt, page, perPage });
}

/** Asks for the count of images that nothing describes. */
const missingQuery = { alt: "missing", perPage: 1 };

/** How many images nothing describes; undefined until that is known. */
export function useMissingAlt(): number | undefined {
  return useListPage<MediaList>(mediaListKey, `${api}/list`, missingQuery).data?.total;
}

/** Changes what is said of a file; it is seen in the list at once. */
function useUpdate<Sent>(item: ListedMedia, bodyOf: (sent: Sent) => object) {
  return useChange<Sent, MediaItem>({
    // One after the other, so that an older text never overtakes a newer one.
    scope: { id: `media-${item.id}` },
    send: (client, sent) => client.post(`${api}/update`, { id: item.id, ...bodyOf(sent) }),
    updateCache(queries, { id, alt, isDecorative }) {
      // What is being filtered by stays in the list until it is asked for again.
      queries.setQueriesData<MediaList>({ queryKey: mediaListKey }, (list) => {
        if (!list) return list;
        const items = list.items.map((known) =>
          known.id === id ? { ...known, alt, isDecorative } : known,
        );
        return { ...list, items };
      });
      void queries.invalidateQueries({ queryKey: [...mediaListKey, missingQuery] });
      expectRebuild(queries);
    },
  });
}

/** Saves what a picture shows. */
export function useSaveAlt(item: ListedMedia) {
  return useUpdate<string>(item, (alt) => ({ alt: alt.trim() }));
}

/** Saves whether a picture needs no words. */
export function useSaveDecorative(item: ListedMedia) {
  return useUpdate<boolean>(item, (isDecorative) => ({ isDecorative }));
}

export function useDeleteMedia() {
  return useChange<ListedMedia>({
    send: (client, { id }) => client.post(`${api}/delete`, { id }),
    announcement: (_, { originalName }) => `${originalName} deleted.`,
    stale: [mediaListKey, rebuildKey],
  });
}
