import type { ProjectStatus } from "../../api/types.ts";

/** The states of a record in words. */
export const statusLabels: Readonly<Record<ProjectStatus, string>> = {
  draft: "Draft",
  published: "Published",
  archived: "Archived",
};

export const statuses: readonly ProjectStatus[] = ["published", "draft", "archived"];

/** What leads to a state, as a button says it. */
export const statusActions: Readonly<Record<ProjectStatus, string>> = {
  draft: "Back to draft",
  published: "Publish",
  archived: "Archive",
};

/** What has happened, for who listens. */
export const statusAnnouncements: Readonly<Record<ProjectStatus, string>> = {
  draft: "is a draft again and leaves the site",
  published: "is published. The site updates in a moment",
  archived: "is archived and leaves the site",
};
