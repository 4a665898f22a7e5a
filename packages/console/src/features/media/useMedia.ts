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

/** Queries the number of images without alt text. */
const missingQuery = { alt: "missing", perPage: 1 };

/** The number of images without alt text; undefined while unknown. */
export function useMissingAlt(): number | undefined {
  return useListPage<MediaList>(mediaListKey, `${api}/list`, missingQuery).data?.total;
}

/** Changes a file's texts; the list shows it immediately. */
function useUpdate<Sent>(item: ListedMedia, bodyOf: (sent: Sent) => object) {
  return useChange<Sent, MediaItem>({
    // One after the other, so that an older text never overwrites a newer one.
    scope: { id: `media-${item.id}` },
    send: (client, sent) => client.post(`${api}/update`, { id: item.id, ...bodyOf(sent) }),
    updateCache(queries, { id, alt, isDecorative }) {
      // An item stays in a filtered list until the list is loaded again.
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

/** Saves an image's alt text. */
export function useSaveAlt(item: ListedMedia) {
  return useUpdate<string>(item, (alt) => ({ alt: alt.trim() }));
}

/** Saves whether an image is decorative. */
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
