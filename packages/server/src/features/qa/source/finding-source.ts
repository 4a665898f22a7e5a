import type { RecordField } from "../../agent/records.ts";

/**
 * Where a finding's target can be edited: a line of a file (null if its places are at several lines
 * of it), or a field of a project's record.
 */
export type FindingSource =
  | { kind: "file"; file: string; line: number | null }
  | {
      kind: "record";
      projectId: number;
      slug: string;
      name: string;
      field: RecordField;
      /** The position of the image, starting at 1; null in other fields. */
      item: number | null;
    };

export type RecordPlace = Extract<FindingSource, { kind: "record" }>;
