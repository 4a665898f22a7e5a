/** The fields of a project that an agent may change. */
export const recordFields = [
  "name",
  "summary",
  "lede",
  "body",
  "kind",
  "period",
  "role",
  "categories",
  "stack",
  "skills",
  "metrics",
  "gallery",
  "reelUrl",
] as const;
export type RecordField = (typeof recordFields)[number];

/** The fields with a single text. */
export const recordTexts = ["name", "summary", "lede", "body", "kind", "period", "role"] as const;

/** A project as an agent may know it. */
export interface ProjectOverview {
  slug: string;
  name: string;
  status: string;
  audience: string;
  summary: string;
  /** Set if the run may read the project but not change it. */
  isReadOnly?: boolean;
}

/** A project with everything that an agent may read, including this run's changes. */
export type AgentProject = ProjectOverview & Record<RecordField, unknown>;

export interface LibraryImage {
  /** Its address on the site, such as `/media/2026/…webp`. */
  src: string;
  name: string;
  alt: string;
  width: number;
  height: number;
  kind: string;
}
