/**
 * Copies of an instance's files that its other nodes can get. Paths are absolute, in the instance's
 * folder; a file never changes under its path.
 */
export interface FileCopies {
  /**
   * Stores files, which may not be in place yet (`from`); durable once this resolves. Call it before a
   * file is put in place: what is in place without a copy was removed by another node.
   */
  put(files: readonly { path: string; from: string }[]): Promise<void>;
  remove(paths: readonly string[]): Promise<void>;
  /** Puts those of the files in place here that any node has stored. */
  fetch(paths: readonly string[]): Promise<void>;
}
