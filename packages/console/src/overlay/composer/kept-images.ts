import { type KeptFiles, openKeptFiles } from "../../features/media/kept-files.ts";

/**
 * The files of a draft's images in this browser until they are uploaded, by the images' keys, so that
 * the next page continues.
 */
export interface KeptImages {
  keep(key: string, file: File): void;
  find(key: string): Promise<File | null>;
  forget(key: string): void;
}

const nothing = { resume: { address: null, job: null } };

/** Opens the kept files. Where the browser keeps nothing, none is found. */
export function openKeptImages(): KeptImages {
  let opened: Promise<KeptFiles | null> | undefined;
  const files = (): Promise<KeptFiles | null> => {
    opened ??= openKeptFiles(Date.now, "vitrine-draft-images").catch(() => null);
    return opened;
  };
  return {
    async keep(key, file) {
      const { name, size, lastModified } = file;
      const upload = { ...nothing, id: key, name, size, lastModified, createdAt: Date.now() };
      const kept = await files();
      // Those of closed tabs are removed after a day.
      await kept?.list().catch(() => []);
      await kept?.put(upload, file).catch(() => {});
    },
    async find(key) {
      const found = await (await files())?.find(key).catch(() => null);
      return found?.file ?? null;
    },
    forget: (key) => void files().then((kept) => kept?.remove(key).catch(() => {})),
  };
}
