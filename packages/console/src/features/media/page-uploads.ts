import type { Client } from "../../api/client.ts";
import { type KeptFiles, type KeptUpload, openKeptFiles } from "./kept-files.ts";
import { sendPersistently } from "./persistent-send.ts";
import { type Entry, hold, makeEntries, newId, type UploadEntries } from "./upload-entries.ts";
import { isActive, type UploadItem } from "./upload-queue.ts";
import type { UploadLimits } from "./upload-rules.ts";
import { makeUploadStore } from "./upload-store.ts";

export interface PageUploadsDependencies {
  client: Client;
  limits: UploadLimits;
  announce(message: string): void;
}

export interface PageUploadsState {
  items: readonly UploadItem[];
  /** Unfinished uploads whose file the browser couldn't keep: the owner has to choose it again. */
  waiting: readonly KeptUpload[];
  /** Whether leaving the page would lose something. */
  busy: boolean;
}

const isOver = (item: UploadItem): boolean =>
  item.status === "done" ||
  item.status === "cancelled" ||
  (item.status === "failed" && !item.canRetry);

/** Whether a file is the one whose upload was interrupted, as far as its properties show. */
function isSameFile(file: File, upload: KeptUpload): boolean {
  const { name, size, lastModified } = upload;
  return file.name === name && file.size === size && file.lastModified === lastModified;
}

function newUpload({ name, size, lastModified }: File): KeptUpload {
  const resume = { address: null, job: null };
  return { id: newId(), name, size, lastModified, resume, createdAt: Date.now() };
}

/** The interrupted uploads that wait for their file. */
function makeWaiting(
  start: (file: File, entry: Entry) => void,
  entries: UploadEntries,
  onChange: () => void,
) {
  let waiting: readonly Entry[] = [];
  const take = (id: string): Entry | undefined => {
    const entry = waiting.find(({ upload }) => upload.id === id);
    waiting = waiting.filter((other) => other !== entry);
    return entry;
  };
  return {
    list: () => waiting.map(({ upload }) => upload),
    add(entry: Entry): void {
      waiting = [...waiting, entry];
    },
    /** Continues an upload with its file, chosen again; false for another file. */
    supply(id: string, file: File): boolean {
      if (!waiting.some(({ upload }) => upload.id === id && isSameFile(file, upload))) return false;
      const entry = take(id);
      if (entry) start(file, entry);
      onChange();
      return true;
    },
    /** Forgets an upload whose file wasn't chosen again; the server removes it within a day. */
    forget(id: string): void {
      const entry = take(id);
      if (entry) entries.end(entry);
      onChange();
    },
  };
}

/** The store that sends the files, and which entry belongs to which of its items. */
function makeSending(deps: PageUploadsDependencies, entries: UploadEntries) {
  const byFile = new WeakMap<File, Entry>();
  const byKey = new Map<string, Entry>();
  const store = makeUploadStore({
    ...deps,
    send: (options, resume) => {
      const entry = byFile.get(options.file);
      return sendPersistently(options, entry ? entries.resumeOf(entry) : resume);
    },
  });
  return {
    store,
    /** Sends a file; ends the entry and returns false if it is refused immediately. */
    start(file: File, entry: Entry): boolean {
      byFile.set(file, entry);
      const [key = ""] = store.add([file]);
      const item = store.items().find((candidate) => candidate.key === key);
      const isSent = item !== undefined && !isOver(item);
      if (isSent) byKey.set(key, entry);
      else entries.end(entry);
      return isSent;
    },
    /** Ends the entries of what needs no continuation. */
    endFinished(): void {
      for (const [key, entry] of byKey) {
        const item = store.items().find((candidate) => candidate.key === key);
        if (item && !isOver(item)) continue;
        byKey.delete(key);
        entries.end(entry);
      }
    },
    /** Whether something is being sent that the next page couldn't continue. */
    isBusy: () =>
      store
        .items()
        .some(
          (item) => (isActive(item) || item.status === "queued") && !byKey.get(item.key)?.isKept,
        ),
  };
}

/**
 * The uploads of the admin pages. The browser keeps each file until it is stored, so that the next
 * page continues it, also after a reload or a crash; a page continues only what no other page does.
 */
export function makePageUploads(deps: PageUploadsDependencies) {
  const files = openKeptFiles().catch(() => null);
  const listeners = new Set<() => void>();
  let state: PageUploadsState = { items: [], waiting: [], busy: false };
  const entries = makeEntries(files, () => refresh());
  const sending = makeSending(deps, entries);
  const waiting = makeWaiting(sending.start, entries, () => refresh());
  const { store } = sending;

  function refresh(): void {
    sending.endFinished();
    state = { items: store.items(), waiting: waiting.list(), busy: sending.isBusy() };
    for (const listener of listeners) listener();
  }
  store.subscribe(refresh);

  /** Continues an upload of another page as soon as that page has ended. */
  async function adopt(kept: KeptFiles, id: string): Promise<void> {
    const release = await hold(id);
    const found = await kept.find(id).catch(() => null);
    if (!found) return release();
    const entry = entries.create(found.upload, release, found.file !== null);
    if (found.file) sending.start(found.file, entry);
    else waiting.add(entry);
    refresh();
  }

  return {
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    state: () => state,
    add(added: readonly File[]): void {
      for (const file of added) {
        const entry = entries.create(newUpload(file));
        if (sending.start(file, entry)) entries.keep(entry, file);
      }
      refresh();
    },
    retry: store.retry,
    cancel: store.cancel,
    dismiss: store.dismiss,
    supply: waiting.supply,
    forget: waiting.forget,
    /** Continues what earlier pages haven't finished. */
    async restore(): Promise<void> {
      const kept = await files;
      const uploads = (await kept?.list().catch(() => [])) ?? [];
      if (kept) await Promise.all(uploads.map(({ id }) => adopt(kept, id)));
    },
  };
}

export type PageUploads = ReturnType<typeof makePageUploads>;
