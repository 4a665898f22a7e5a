/** A file can't be compared. */
export class UnreadableFile extends Error {}
