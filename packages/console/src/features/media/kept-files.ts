import type { MediaItem } from "../../api/types.ts";
import type { Resume } from "./send-file.ts";

/** An unfinished upload that this browser keeps, so that it continues on the next page. */
export interface KeptUpload {
  id: string;
  name: string;
  /** In bytes. */
  size: number;
  /** In ms. */
  lastModified: number;
  resume: Resume;
  /** In ms. */
  createdAt: number;
  /** The form that the file is for, such as `project:7`; missing for the library alone. */
  form?: string;
  /** The stored file, which waits for its form to be opened again. */
  media?: MediaItem;
}

export interface KeptFiles {
  /** The kept uploads, oldest first; those that the server has forgotten are removed. */
  list(): Promise<KeptUpload[]>;
  /** An upload with its file; the file is null if there was no room for it. */
  find(id: string): Promise<{ upload: KeptUpload; file: File | null } | null>;
  /** Stores an upload, with its file if one is given. Rejects if there is no room. */
  put(upload: KeptUpload, file?: File): Promise<void>;
  /** Stores an upload that is done, and removes its file. */
  settle(upload: KeptUpload): Promise<void>;
  remove(id: string): Promise<void>;
}

/** How long uploads are kept, in ms; the server keeps unfinished ones as long. */
const lifetimeMs = 24 * 60 * 60 * 1000;

/** The files are separate, so that a changed position doesn't copy the file. */
const stores = ["uploads", "files"] as const;

function result<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error as Error));
  });
}

function completion(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.addEventListener("complete", () => resolve());
    transaction.addEventListener("abort", () => reject(transaction.error as Error));
  });
}

function open(databaseName: string): Promise<IDBDatabase> {
  const request = indexedDB.open(databaseName, 1);
  request.addEventListener("upgradeneeded", () => {
    for (const name of stores) request.result.createObjectStore(name);
  });
  return result(request);
}

/** The database of the admin pages' uploads. */
const uploadsDatabase = "vitrine-uploads";

/**
 * The uploads in one of this browser's databases. Rejects if the browser refuses to store anything, and if
 * it has no locks, which keep two pages from continuing the same upload.
 */
export async function openKeptFiles(
  now: () => number = Date.now,
  databaseName = uploadsDatabase,
): Promise<KeptFiles> {
  if (!("locks" in navigator)) throw new Error("This browser has no locks.");
  const database = await open(databaseName);
  async function write(change: (transaction: IDBTransaction) => void): Promise<void> {
    const transaction = database.transaction(stores, "readwrite");
    const completed = completion(transaction);
    change(transaction);
    await completed;
  }
  const remove = (id: string): Promise<void> =>
    write((transaction) => {
      for (const name of stores) transaction.objectStore(name).delete(id);
    });
  return {
    async list() {
      const uploads = await result<KeptUpload[]>(
        database.transaction("uploads").objectStore("uploads").getAll(),
      );
      const isOld = ({ createdAt }: KeptUpload): boolean => now() - createdAt > lifetimeMs;
      await Promise.all(uploads.filter(isOld).map(({ id }) => remove(id)));
      return uploads
        .filter((upload) => !isOld(upload))
        .toSorted((one, other) => one.createdAt - other.createdAt);
    },
    async find(id) {
      const transaction = database.transaction(stores);
      const [upload, file] = await Promise.all([
        result<KeptUpload | undefined>(transaction.objectStore("uploads").get(id)),
        result<File | undefined>(transaction.objectStore("files").get(id)),
      ]);
      return upload ? { upload, file: file ?? null } : null;
    },
    put: (upload, file) =>
      write((transaction) => {
        transaction.objectStore("uploads").put(upload, upload.id);
        if (file) transaction.objectStore("files").put(file, upload.id);
      }),
    settle: (upload) =>
      write((transaction) => {
        transaction.objectStore("uploads").put(upload, upload.id);
        transaction.objectStore("files").delete(upload.id);
      }),
    remove,
  };
}
