import type { Client } from "../../api/client.ts";
import type { MediaItem } from "../../api/types.ts";
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

/** An open form that uploads files. */
export interface UploadForm {
  /** Called for each upload of the form that an earlier page, or the form itself, has started before. */
  onEarlier(key: string): void;
  /** Called for each file of the form that is stored: now, or while the form wasn't open. */
  onDone(media: MediaItem, key: string): void;
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

function newUpload({ name, size, lastModified }: File, form: string | undefined): KeptUpload {
  const resume = { address: null, job: null };
  const upload = { id: newId(), name, size, lastModified, resume, createdAt: Date.now() };
  return form === undefined ? upload : { ...upload, form };
}

/** The interrupted uploads that wait for their file. */
function makeWaiting(
  start: (file: File, entry: Entry) => unknown,
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
function makeSending(
  deps: PageUploadsDependencies,
  entries: UploadEntries,
  onStored: (entry: Entry, media: MediaItem, key: string) => void,
) {
  const byFile = new WeakMap<File, Entry>();
  const byKey = new Map<string, Entry>();
  const forms = new Map<string, string>();
  const store = makeUploadStore({
    ...deps,
    send: (options, resume) => {
      const entry = byFile.get(options.file);
      return sendPersistently(options, entry ? entries.resumeOf(entry) : resume);
    },
  });
  return {
    store,
    /** The form that an upload is for. */
    formOf: (key: string) => forms.get(key),
    /** The unfinished uploads of a form. */
    unfinishedOf: (form: string) =>
      [...byKey].filter(([, { upload }]) => upload.form === form).map(([key]) => key),
    /** Sends a file and returns its key; ends the entry if it is refused immediately. */
    start(file: File, entry: Entry): { key: string; isSent: boolean } {
      byFile.set(file, entry);
      const [key = ""] = store.add([file]);
      if (entry.upload.form !== undefined) forms.set(key, entry.upload.form);
      const item = store.items().find((candidate) => candidate.key === key);
      const isSent = item !== undefined && !isOver(item);
      if (isSent) byKey.set(key, entry);
      else entries.end(entry);
      return { key, isSent };
    },
    /** Ends the entries of what needs no continuation. */
    endFinished(): void {
      for (const [key, entry] of byKey) {
        const item = store.items().find((candidate) => candidate.key === key);
        if (item && !isOver(item)) continue;
        byKey.delete(key);
        if (item?.status === "done" && item.media) onStored(entry, item.media, key);
        else entries.end(entry);
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

/** The open forms, and what is passed on to them. */
function makeForms(files: Promise<KeptFiles | null>, entries: UploadEntries) {
  const open = new Map<string, UploadForm>();
  return {
    of: (form: string | undefined) => (form === undefined ? undefined : open.get(form)),
    /** Passes a stored file on to its form, or keeps it until that is opened. */
    onStored(entry: Entry, media: MediaItem, key: string): void {
      const { form } = entry.upload;
      const listener = form === undefined ? undefined : open.get(form);
      if (form !== undefined && listener === undefined) return entries.settle(entry, media);
      entries.end(entry);
      if (listener) queueMicrotask(() => listener.onDone(media, key));
    },
    /** Passes on what was stored while the form wasn't open. */
    async claim(form: string, listener: UploadForm): Promise<void> {
      const kept = await files;
      const uploads = (await kept?.list().catch(() => [])) ?? [];
      for (const { id } of uploads.filter((each) => each.form === form && each.media)) {
        const release = await hold(id);
        const media = (await kept?.find(id).catch(() => null))?.upload.media;
        // Another page may have claimed it, and this form may be closed again.
        if (media && open.get(form) === listener) {
          await kept?.remove(id).catch(() => {});
          listener.onDone(media, `stored-${id}`);
        }
        release();
      }
    },
    add: (form: string, listener: UploadForm) => void open.set(form, listener),
    remove(form: string, listener: UploadForm): void {
      if (open.get(form) === listener) open.delete(form);
    },
  };
}

/** Continues the uploads of earlier pages. */
function makeRestore(deps: {
  files: Promise<KeptFiles | null>;
  entries: UploadEntries;
  forms: ReturnType<typeof makeForms>;
  sending: ReturnType<typeof makeSending>;
  waiting: ReturnType<typeof makeWaiting>;
  onChange(): void;
}) {
  const { files, entries, forms, sending, waiting } = deps;

  /** Continues an upload of another page as soon as that page has ended. */
  async function adopt(kept: KeptFiles, id: string): Promise<void> {
    const release = await hold(id);
    const found = await kept.find(id).catch(() => null);
    const form = forms.of(found?.upload.form);
    if (found?.upload.media && form && found.upload.form !== undefined) {
      release();
      return forms.claim(found.upload.form, form);
    }
    if (!found || found.upload.media) return release();
    const entry = entries.create(found.upload, release, found.file !== null);
    if (found.file) {
      const { key } = sending.start(found.file, entry);
      form?.onEarlier(key);
    } else waiting.add(entry);
    deps.onChange();
  }

  return async (): Promise<void> => {
    const kept = await files;
    const uploads = (await kept?.list().catch(() => [])) ?? [];
    const unfinished = uploads.filter(({ media }) => media === undefined);
    if (kept) await Promise.all(unfinished.map(({ id }) => adopt(kept, id)));
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
  const forms = makeForms(files, entries);
  const sending = makeSending(deps, entries, forms.onStored);
  const waiting = makeWaiting(sending.start, entries, () => refresh());
  const { store } = sending;

  function refresh(): void {
    sending.endFinished();
    state = { items: store.items(), waiting: waiting.list(), busy: sending.isBusy() };
    for (const listener of listeners) listener();
  }
  store.subscribe(refresh);

  return {
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    state: () => state,
    formOf: sending.formOf,
    /** Uploads files, for a form if one is named; returns their keys in order. */
    add(added: readonly File[], form?: string): string[] {
      const keys = added.map((file) => {
        const entry = entries.create(newUpload(file, form));
        const { key, isSent } = sending.start(file, entry);
        if (isSent) entries.keep(entry, file);
        return key;
      });
      refresh();
      return keys;
    },
    retry: store.retry,
    cancel: store.cancel,
    dismiss: store.dismiss,
    supply: waiting.supply,
    forget: waiting.forget,
    /** Opens a form, which gets its earlier uploads; the result closes it, and its uploads go on. */
    openForm(form: string, listener: UploadForm): () => void {
      forms.add(form, listener);
      for (const key of sending.unfinishedOf(form)) listener.onEarlier(key);
      void forms.claim(form, listener);
      return () => forms.remove(form, listener);
    },
    /** Continues what earlier pages haven't finished. */
    restore: makeRestore({ files, entries, forms, sending, waiting, onChange: refresh }),
  };
}

export type PageUploads = ReturnType<typeof makePageUploads>;
