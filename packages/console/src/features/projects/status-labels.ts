import type { ProjectStatus } from "../../api/types.ts";

/** The labels of the statuses. */
export const statusLabels: Readonly<Record<ProjectStatus, string>> = {
  draft: "Draft",
  published: "Published",
  archived: "Archived",
};

export const statuses: readonly ProjectStatus[] = ["published", "draft", "archived"];

/** The labels of the buttons that change the status. */
export const statusActions: Readonly<Record<ProjectStatus, string>> = {
  draft: "Back to draft",
  published: "Publish",
  archived: "Archive",
};

/** Announcements after a change of status. */
export const statusAnnouncements: Readonly<Record<ProjectStatus, string>> = {
  draft: "is a draft again and leaves the site",
  published: "is published. The site updates in a moment",
  archived: "is archived and leaves the site",
};
