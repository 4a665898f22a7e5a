/** The script of the pages for records and media; the server's HTML says which page. */
import "../ui/styles/admin-shell.css";
import "../features/projects/editor/editor.css";
import "../features/palette/palette.css";

import type { ComponentType } from "react";
import { createRoot } from "react-dom/client";

import { ManageApp } from "./ManageApp.tsx";

const pages: Readonly<Record<string, () => Promise<ComponentType>>> = {
  projects: async () => (await import("../features/projects/ProjectsPage.tsx")).ProjectsPage,
  project: async () => (await import("../features/projects/editor/EditPage.tsx")).EditPage,
  "new-project": async () => (await import("../features/projects/editor/NewPage.tsx")).NewPage,
  import: async () => (await import("../features/import/ImportPage.tsx")).ImportPage,
  pages: async () => (await import("../features/pages/PagesPage.tsx")).PagesPage,
  tasks: async () => (await import("../features/tasks/TasksPage.tsx")).TasksPage,
  runs: async () => (await import("../features/run-list/RunsPage.tsx")).RunsPage,
  qa: async () => (await import("../features/qa/QaPage.tsx")).QaPage,
  media: async () => (await import("../features/media/MediaPage.tsx")).MediaPage,
  changelog: async () => (await import("../features/changelog/ChangelogPage.tsx")).ChangelogPage,
  sources: async () => (await import("../features/sources/SourcesPage.tsx")).SourcesPage,
  members: async () => (await import("../features/members/MembersPage.tsx")).MembersPage,
  messages: async () => (await import("../features/messages/MessagesPage.tsx")).MessagesPage,
  setup: async () => (await import("../features/setup/SetupPage.tsx")).SetupPage,
  password: async () => (await import("../features/password/PasswordPage.tsx")).PasswordPage,
  log: async () => (await import("../features/log/LogPage.tsx")).LogPage,
  tokens: async () => (await import("../features/tokens/TokensPage.tsx")).TokensPage,
  sites: async () => (await import("../features/sites/SitesPage.tsx")).SitesPage,
  settings: async () => (await import("../features/settings/SettingsPage.tsx")).SettingsPage,
};

async function start(place: HTMLElement): Promise<void> {
  const { page = "", ownerName = "", timeZone = "UTC", imageMib, videoMib } = place.dataset;
  const load = pages[page];
  if (!load) return;
  const site = {
    ownerName,
    timeZone,
    imageMiB: Number(imageMib) || 50,
    videoMiB: Number(videoMib) || 500,
  };
  createRoot(place).render(<ManageApp site={site} page={await load()} />);
}

const place = document.querySelector<HTMLElement>("#manage");
if (place) void start(place);
