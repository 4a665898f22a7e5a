import { useEffect, useRef, useState, useSyncExternalStore } from "react";

import type { AttachSender, Sending, Stored } from "../attach-sender.ts";
import { useConsole } from "../context.ts";
import { thumbOfFile } from "../thumb.ts";
import type { Attachment } from "../types.ts";
import { type Draft, type DraftPicture, mostPictures, type PictureUse } from "./useDraft.ts";

/** A picture of the draft with what is known of its way to the server. */
export interface AttachItem extends DraftPicture {
  sending: Sending | null;
  /** Whether it has arrived where its use puts it. */
  ready: boolean;
  error: string | null;
  canRetry: boolean;
}

export interface Attachments {
  items: readonly AttachItem[];
  /** Why files were not taken at all. */
  refused: string | null;
  /** What happened last, for who listens instead of looking. */
  said: string;
  add(files: readonly File[]): void;
  remove(key: string): void;
  retry(key: string): void;
  choose(key: string, use: PictureUse): void;
  /** Says what a picture shows; `done` once the owner has left the field. */
  describe(key: string, alt: string, done: boolean): void;
}

const noStates: ReadonlyMap<string, Sending> = new Map();
const nothing = (): (() => void) => () => {};
const queued: Sending = {
  status: "queued",
  fraction: null,
  error: null,
  canRetry: false,
  note: null,
};
const lost = "The page was left before this had arrived. Attach it again.";

/** Whether a picture has arrived where its use puts it. */
export function hasArrived(picture: DraftPicture): boolean {
  return (picture.use === "page" ? picture.mediaId : picture.referenceId) !== null;
}

/** The pictures as the server takes them; those that have not arrived are left out. */
export function attachmentsOf(pictures: readonly DraftPicture[]): Attachment[] {
  return pictures.flatMap(({ use, mediaId, referenceId }): Attachment[] => {
    if (use === "page") return mediaId === null ? [] : [{ use, mediaId }];
    return referenceId === null ? [] : [{ use, referenceId }];
  });
}

/** Asks for a new sign-in; what waits for it goes on when the session was renewed. */
function useRenewal(): () => Promise<void> {
  const { epoch, expire } = useConsole();
  const waiting = useRef<(() => void)[]>([]);
  useEffect(() => {
    for (const resolve of waiting.current.splice(0)) resolve();
  }, [epoch]);
  return () =>
    new Promise((resolve) => {
      waiting.current.push(resolve);
      expire();
    });
}

/** What sends pictures; it is fetched with the first one. */
function useSender(onStored: (key: string, stored: Stored) => void, say: (words: string) => void) {
  const [sender, setSender] = useState<AttachSender | null>(null);
  const loading = useRef<Promise<AttachSender> | null>(null);
  const signIn = useRenewal();
  const options = {
    fetch: fetch.bind(globalThis),
    signIn: useRef(signIn).current,
    announce: say,
    onStored,
  };
  const load = (): Promise<AttachSender> => {
    loading.current ??= import("../attach-sender.ts").then((module) => {
      const made = module.makeAttachSender(options);
      setSender(made);
      return made;
    });
    // A chunk that could not be fetched is asked for again the next time.
    loading.current.catch(() => (loading.current = null));
    return loading.current;
  };
  const states = useSyncExternalStore(
    sender?.subscribe ?? nothing,
    sender?.states ?? (() => noStates),
  );
  return { load, states };
}

function itemOf(picture: DraftPicture, sending: Sending | null, fault: string | null): AttachItem {
  const ready = hasArrived(picture);
  const failed = sending?.status === "failed" || sending?.status === "cancelled";
  const error = fault ?? (ready ? null : sending === null ? lost : failed ? sending.error : null);
  return { ...picture, sending, ready, error, canRetry: failed && sending?.canRetry === true };
}

/** A failure in words. */
const wordsOf = (cause: unknown): string =>
  cause instanceof Error ? cause.message : "Something went wrong here.";

let count = 0;
/** A key that no earlier page of this tab has used. */
const newKey = (): string => `${Date.now().toString(36)}-${(count += 1)}`;

/** The pictures of a draft: takes them, sends them, and says where each of them stands. */
export function useAttachments(draft: Draft): Attachments {
  const files = useRef(new Map<string, File>());
  const [preparing, setPreparing] = useState<ReadonlySet<string>>(new Set());
  const [faults, setFaults] = useState<ReadonlyMap<string, string>>(new Map());
  const [refused, setRefused] = useState<string | null>(null);
  const [said, setSaid] = useState("");
  const latest = useRef(draft);
  useEffect(() => {
    latest.current = draft;
  });

  const patch = (key: string, change: Partial<DraftPicture>): void =>
    latest.current.setPictures((known) =>
      known.map((picture) => (picture.key === key ? { ...picture, ...change } : picture)),
    );
  const fail = (key: string, words: string | null): void =>
    setFaults((known) => {
      const next = new Map(known);
      if (words === null) next.delete(key);
      else next.set(key, words);
      return next;
    });
  const pictureOf = (key: string): DraftPicture | undefined =>
    latest.current.pictures.find((picture) => picture.key === key);

  function onStored(key: string, stored: Stored): void {
    if (stored.use === "reference") return patch(key, { referenceId: stored.referenceId });
    const known = pictureOf(key);
    const { mediaId, src } = stored;
    const alt = known?.alt || stored.alt;
    patch(key, { mediaId, src, alt, thumb: known?.thumb ?? stored.thumb });
    if (alt !== stored.alt) void describeStored(key, mediaId, alt);
  }
  const { load, states } = useSender(onStored, setSaid);

  async function describeStored(key: string, mediaId: number, alt: string): Promise<void> {
    try {
      await (await load()).describe(mediaId, alt);
      fail(key, null);
    } catch (cause) {
      fail(key, `The description was not saved. ${wordsOf(cause)}`);
    }
  }

  /** Sends a picture to where its use puts it; one that is only stored is fetched from there. */
  async function send(key: string, use: PictureUse): Promise<void> {
    const picture = pictureOf(key);
    fail(key, null);
    setPreparing((known) => new Set(known).add(key));
    try {
      const sender = await load();
      const address =
        picture?.src ??
        (picture?.referenceId ? `/api/media/reference/${picture.referenceId}` : null);
      let file = files.current.get(key);
      if (!file && address) file = await sender.fetchFile(address, picture?.name ?? "picture");
      if (!file) throw new Error(lost);
      files.current.set(key, file);
      sender.send(key, file, use, picture?.alt ?? "");
    } catch (cause) {
      fail(key, wordsOf(cause));
    } finally {
      setPreparing((known) => new Set([...known].filter((other) => other !== key)));
    }
  }

  function add(given: readonly File[]): void {
    const films = given.filter(({ type }) => type.startsWith("video/"));
    const room = mostPictures - draft.pictures.length;
    const pictures = given.filter((file) => !films.includes(file));
    setRefused(
      pictures.length > room
        ? `No more than ${mostPictures} pictures go along.`
        : films.length > 0
          ? "Only pictures can be attached; films go to the media library."
          : null,
    );
    for (const file of pictures.slice(0, Math.max(0, room))) {
      const key = newKey();
      files.current.set(key, file);
      const picture: DraftPicture = {
        ...{ key, name: file.name || "Pasted picture", use: "reference", alt: "" },
        ...{ thumb: null, mediaId: null, src: null, referenceId: null },
      };
      draft.setPictures((known) => [...known, picture]);
      void send(key, "reference");
      void thumbOfFile(file).then((thumb) => thumb !== null && patch(key, { thumb }));
    }
  }

  return {
    items: draft.pictures.map((picture) => {
      const { key } = picture;
      const sending = states.get(key) ?? (preparing.has(key) ? queued : null);
      return itemOf(picture, sending, faults.get(key) ?? null);
    }),
    refused,
    said,
    add,
    remove(key) {
      files.current.delete(key);
      fail(key, null);
      setRefused(null);
      draft.setPictures((known) => known.filter((picture) => picture.key !== key));
      void load().then((sender) => sender.drop(key));
    },
    retry(key) {
      const picture = pictureOf(key);
      if (picture) void send(key, picture.use);
    },
    choose(key, use) {
      const picture = pictureOf(key);
      if (!picture || picture.use === use) return;
      patch(key, { use });
      if (hasArrived({ ...picture, use })) fail(key, null);
      else void send(key, use);
    },
    describe(key, alt, done) {
      const mediaId = pictureOf(key)?.mediaId ?? null;
      if (!done) patch(key, { alt });
      else if (mediaId !== null) void describeStored(key, mediaId, alt.trim());
    },
  };
}
