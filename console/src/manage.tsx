/** The script of the pages that manage records and media; the server's shell says which page. */
import "./styles/manage.css";
import "./styles/editor.css";

import type { ComponentType } from "react";
import { createRoot } from "react-dom/client";

import { ManageApp } from "./manage/ManageApp.tsx";

const pages: Readonly<Record<string, () => Promise<ComponentType>>> = {
  projects: async () => (await import("./manage/projects/ProjectsPage.tsx")).ProjectsPage,
  project: async () => (await import("./manage/editor/EditPage.tsx")).EditPage,
  "new-project": async () => (await import("./manage/editor/NewPage.tsx")).NewPage,
  tasks: async () => (await import("./manage/tasks/TasksPage.tsx")).TasksPage,
  qa: async () => (await import("./manage/qa/QaPage.tsx")).QaPage,
  media: async () => (await import("./manage/media/MediaPage.tsx")).MediaPage,
  changelog: async () => (await import("./manage/changelog/ChangelogPage.tsx")).ChangelogPage,
  sources: async () => (await import("./manage/sources/SourcesPage.tsx")).SourcesPage,
  members: async () => (await import("./manage/members/MembersPage.tsx")).MembersPage,
  messages: async () => (await import("./manage/messages/MessagesPage.tsx")).MessagesPage,
  log: async () => (await import("./manage/log/LogPage.tsx")).LogPage,
  tokens: async () => (await import("./manage/tokens/TokensPage.tsx")).TokensPage,
  settings: async () => (await import("./manage/settings/SettingsPage.tsx")).SettingsPage,
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
