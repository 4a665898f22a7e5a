import type { QueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { ApiError, asApiError } from "../../api/client.ts";
import type {
  DescribedMedia,
  ListedMedia,
  MediaItem,
  MediaKind,
  MediaList,
} from "../../api/types.ts";
import { useChange } from "../../api/useChange.ts";
import { useListPage } from "../../api/useGet.ts";
import { formatCount } from "../../ui/format.ts";
import { type Address, readChoice, pageIn } from "../../ui/search-params.ts";
import { expectRebuild, rebuildKey } from "../rebuild/RebuildBanner.tsx";
import type { CropArea } from "./crop-area.ts";
import { sendPersistently } from "./persistent-send.ts";
import { isVideo } from "./upload-rules.ts";

const api = "/api/media";
export const mediaListKey = ["media", "list"] as const;

/** How many files are on a page. */
export const perPage = 24;

/** The orders of the list besides the usual one, newest first. */
const sorts = ["oldest", "name", "size"] as const;

/** What the address asks the list for. */
export function viewOf({ params }: Address) {
  const kind = readChoice<MediaKind>(params, "kind", ["image", "video"]);
  const q = params.get("q") ?? "";
  const alt = readChoice<"missing">(params, "alt", ["missing"]);
  const sort = readChoice(params, "sort", sorts);
  const filtered = q !== "" || kind !== null || alt !== null;
  return { q, kind, alt, sort, page: pageIn(params), filtered };
}

export type MediaView = ReturnType<typeof viewOf>;

export function useMediaList({ q, kind, alt, sort, page }: MediaView) {
  const query = { q, kind, alt, sort, page, perPage };
  return useListPage<MediaList>(mediaListKey, `${api}/list`, query);
}

/** Queries the number of images without alt text. */
const missingQuery = { alt: "missing", perPage: 1 };

/** The number of images without alt text; undefined while unknown. */
export function useMissingAlt(): number | undefined {
  return useListPage<MediaList>(mediaListKey, `${api}/list`, missingQuery).data?.total;
}

/** Shows changed texts in the list immediately. */
function showChanges(queries: QueryClient, changed: readonly MediaItem[]): void {
  const byId = new Map(changed.map((item) => [item.id, item]));
  // An item stays in a filtered list until the list is loaded again.
  queries.setQueriesData<MediaList>({ queryKey: mediaListKey }, (list) => {
    if (!list) return list;
    const items = list.items.map((known) => {
      const { alt, isDecorative, originalName, focalPoint } = byId.get(known.id) ?? known;
      return { ...known, alt, isDecorative, originalName, focalPoint };
    });
    return { ...list, items };
  });
  void queries.invalidateQueries({ queryKey: [...mediaListKey, missingQuery] });
  expectRebuild(queries);
}

/** Changes a file's texts. */
function useUpdate<Sent>(item: ListedMedia, bodyOf: (sent: Sent) => object) {
  return useChange<Sent, MediaItem>({
    // One after the other, so that an older text never overwrites a newer one.
    scope: { id: `media-${item.id}` },
    send: (client, sent) => client.post(`${api}/update`, { id: item.id, ...bodyOf(sent) }),
    updateCache: (queries, changed) => showChanges(queries, [changed]),
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

/** Changes the name that the owner sees. */
export function useRename(item: ListedMedia) {
  return useUpdate<string>(item, (originalName) => ({ originalName: originalName.trim() }));
}

/** Saves what stays visible where an image is cut. */
export function useSaveFocalPoint(item: ListedMedia) {
  return useUpdate<MediaItem["focalPoint"]>(item, (focalPoint) => ({ focalPoint }));
}

/** Keeps a part of an image; null shows all of it again. */
export function useCrop(item: ListedMedia) {
  return useChange<CropArea | null, MediaItem>({
    scope: { id: `media-${item.id}` },
    send: (client, crop) => client.post(`${api}/crop`, { id: item.id, crop }),
    updateCache: (queries) => expectRebuild(queries),
    announcement: (_, crop) => `${item.originalName} ${crop ? "cropped" : "restored"}.`,
    awaited: [mediaListKey],
  });
}

/** Refuses a file that can't replace the item's, before it is sent. */
function assertSameKind(item: ListedMedia, file: File): void {
  if (isVideo(file) === (item.kind === "video")) return;
  const message = item.kind === "video" ? "Choose a video." : "Choose an image.";
  throw new ApiError("validation_failed", message);
}

/** Uploads a file and lets it replace the item's; `progress` is from 0 to 1, null if unknown. */
export function useReplace(item: ListedMedia) {
  const [progress, setProgress] = useState<number | null>(null);
  const replace = useChange<File, MediaItem>({
    scope: { id: `media-${item.id}` },
    async send(client, file) {
      assertSameKind(item, file);
      const { signal } = new AbortController();
      const onProgress = (_status: string, fraction: number | null): void => setProgress(fraction);
      const resume = { address: null, job: null };
      const { media, created } = await sendPersistently(
        { file, alt: "", client, signal, onProgress },
        resume,
      );
      if (media.id === item.id) return media;
      if (!created) {
        // It would be gone afterwards, with its alt text.
        const message = `This file is already in the library as “${media.originalName}”. Use that one, or delete it first.`;
        throw new ApiError("conflict", message);
      }
      try {
        return await client.post<MediaItem>(`${api}/replace`, { id: item.id, withId: media.id });
      } catch (error) {
        // Nobody has asked for a second file.
        await client.post(`${api}/delete`, { id: media.id }).catch(() => {});
        throw error;
      }
    },
    updateCache: (queries) => expectRebuild(queries),
    announcement: () => `${item.originalName} replaced.`,
    awaited: [mediaListKey],
  });
  return { replace, progress };
}

/** A file's alt text, and whether it is decorative. */
export type Description = Pick<MediaItem, "id" | "alt" | "isDecorative">;

/** Saves the descriptions of several files; all of them, or none. */
export function useDescribe() {
  return useChange<readonly Description[], DescribedMedia>({
    send: (client, descriptions) => {
      const items = descriptions.map((each) => ({ ...each, alt: each.alt.trim() }));
      return client.post(`${api}/describe`, { items });
    },
    updateCache: (queries, { items }) => showChanges(queries, items),
    announcement: ({ items }) => `Alt text of ${formatCount(items.length, "file")} saved.`,
  });
}

/** A file that wasn't deleted, and the server's reason. */
export interface KeptFile {
  item: ListedMedia;
  reason: string;
}

/** Deletes files one after the other; returns those that the server keeps. */
export function useDeleteSeveral() {
  return useChange<readonly ListedMedia[], readonly KeptFile[]>({
    async send(client, items) {
      const kept: KeptFile[] = [];
      for (const item of items) {
        try {
          await client.post(`${api}/delete`, { id: item.id });
        } catch (cause) {
          const { code, message } = asApiError(cause);
          // A file that is already gone needs no deletion.
          if (code !== "not_found") kept.push({ item, reason: message });
        }
      }
      return kept;
    },
    announcement: (kept, items) => `${formatCount(items.length - kept.length, "file")} deleted.`,
    stale: [mediaListKey, rebuildKey],
  });
}

export function useDeleteMedia() {
  return useChange<ListedMedia>({
    send: (client, { id }) => client.post(`${api}/delete`, { id }),
    announcement: (_, { originalName }) => `${originalName} deleted.`,
    stale: [mediaListKey, rebuildKey],
  });
}
