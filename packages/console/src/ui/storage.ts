/**
 * Stores small values; if the browser refuses storage, nothing is stored and everything else works.
 */
export interface KeyValueStorage {
  get(key: string): string | null;
  set(key: string, value: string): void;
  remove(key: string): void;
}

function openStorage(open: () => Storage): KeyValueStorage {
  function attempt<T>(action: (storage: Storage) => T): T | null {
    try {
      return action(open());
    } catch {
      return null;
    }
  }
  return {
    get: (key) => attempt((storage) => storage.getItem(`vitrine.${key}`)),
    set: (key, value) => void attempt((storage) => storage.setItem(`vitrine.${key}`, value)),
    remove: (key) => void attempt((storage) => storage.removeItem(`vitrine.${key}`)),
  };
}

/** For this tab, until it is closed. */
export const tabStorage = openStorage(() => sessionStorage);
/** For this browser. */
export const browserStorage = openStorage(() => localStorage);
