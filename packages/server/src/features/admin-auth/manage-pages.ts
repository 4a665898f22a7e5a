import type { ConsoleAssets, ConsoleEntry } from "./console-assets.ts";
import { html } from "../../kit/html.ts";
import { type AdminNavItem, layout, type PageSite, siteHeader } from "./page-layout.ts";

/** Upload size limits in MiB, so that a page can check them before it sends anything. */
export interface UploadLimits {
  imageMiB: number;
  videoMiB: number;
}

export interface ManagePage {
  address: string;
  title: string;
  navItem: AdminNavItem;
  /** Tells the page's script what to render. */
  name: string;
  /** The source of the page's script. */
  source: string;
}

/** The pages for records and media. Their scripts interpret the queries. */
export const managePages: readonly ManagePage[] = [
  {
    address: "/admin/projects",
    title: "Projects",
    navItem: "/admin/projects",
    name: "projects",
    source: "ProjectsPage",
  },
  {
    address: "/admin/projects/edit",
    title: "Edit project",
    navItem: "/admin/projects",
    name: "project",
    source: "EditPage",
  },
  {
    address: "/admin/projects/new",
    title: "New project",
    navItem: "/admin/projects",
    name: "new-project",
    source: "NewPage",
  },
  {
    address: "/admin/import",
    title: "Import",
    navItem: "/admin/projects",
    name: "import",
    source: "ImportPage",
  },
  {
    address: "/admin/pages",
    title: "Pages",
    navItem: "/admin/pages",
    name: "pages",
    source: "PagesPage",
  },
  {
    address: "/admin/tasks",
    title: "Tasks",
    navItem: "/admin/tasks",
    name: "tasks",
    source: "TasksPage",
  },
  {
    address: "/admin/runs",
    title: "Runs",
    navItem: "/admin/runs",
    name: "runs",
    source: "RunsPage",
  },
  {
    address: "/admin/qa",
    title: "QA",
    navItem: "/admin/qa",
    name: "qa",
    source: "QaPage",
  },
  {
    address: "/admin/media",
    title: "Media",
    navItem: "/admin/media",
    name: "media",
    source: "MediaPage",
  },
  {
    address: "/admin/changelog",
    title: "Changelog",
    navItem: "/admin/changelog",
    name: "changelog",
    source: "ChangelogPage",
  },
  {
    address: "/admin/members",
    title: "Members",
    navItem: "/admin/members",
    name: "members",
    source: "MembersPage",
  },
  {
    address: "/admin/messages",
    title: "Messages",
    navItem: "/admin/messages",
    name: "messages",
    source: "MessagesPage",
  },
  {
    address: "/admin/sources",
    title: "Sources",
    navItem: "/admin/sources",
    name: "sources",
    source: "SourcesPage",
  },
  {
    address: "/admin/sites",
    title: "Sites",
    navItem: "/admin/sites",
    name: "sites",
    source: "SitesPage",
  },
  {
    address: "/admin/settings",
    title: "Settings",
    navItem: "/admin/settings",
    name: "settings",
    source: "SettingsPage",
  },
  {
    address: "/admin/setup",
    title: "Set up",
    navItem: "/admin",
    name: "setup",
    source: "SetupPage",
  },
  {
    address: "/admin/password",
    title: "Password",
    navItem: "/admin/settings",
    name: "password",
    source: "PasswordPage",
  },
  {
    address: "/admin/log",
    title: "Sign-ins",
    navItem: "/admin/settings",
    name: "log",
    source: "LogPage",
  },
  {
    address: "/admin/tokens",
    title: "API tokens",
    navItem: "/admin/settings",
    name: "tokens",
    source: "TokensPage",
  },
];

/** The page's HTML; the console's script renders the content. */
export function managePage(
  site: PageSite,
  assets: ConsoleAssets,
  page: ManagePage,
  bounds: UploadLimits,
): string {
  const part: ConsoleEntry | undefined = assets.entry(page.source);
  const body = html`<body class="manage">
    <a class="skip" href="#manage">Skip to content</a>
    ${siteHeader(site, page.navItem)}
    <main
      id="manage"
      tabindex="-1"
      data-page="${page.name}"
      data-owner-name="${site.ownerName}"
      data-time-zone="${site.timeZone}"
      data-image-mib="${bounds.imageMiB}"
      data-video-mib="${bounds.videoMiB}"
    >
      <noscript><p>This page needs JavaScript. Turn it on, or use another browser.</p></noscript>
    </main>
  </body>`;
  const title = `${page.title} · ${site.ownerName}`;
  return layout(title, assets.entry("manage"), body, part ? [part] : []);
}
