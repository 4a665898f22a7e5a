import type { RecordField } from "../../agent/records.ts";

/** Where what a finding is about can be edited: a line of a file, or a field of a project's record. */
export type FindingSource =
  | { kind: "file"; file: string; line: number }
  | {
      kind: "record";
      projectId: number;
      slug: string;
      name: string;
      field: RecordField;
      /** The number of the image, from 1; null in any other field. */
      item: number | null;
    };

export type RecordPlace = Extract<FindingSource, { kind: "record" }>;
