import type { ConsoleEntry } from "./console-assets.ts";
import { type Markup, html } from "../../kit/html.ts";
import { attentionSection, costSection, newsSection, type PanelNews } from "./overview-sections.ts";
import { layout, type PageSite, siteHeader } from "./page-layout.ts";

/** A run as shown in the overview. */
export interface PanelRun {
  id: string;
  instruction: string;
  status: string;
  pageUrl: string | null;
  commit: string | null;
  previewUrl: string | null;
  filesChanged: readonly { path: string }[];
  /** The queued task that the run executes. */
  task: { id: number } | null;
  createdAt: string;
  finishedAt: string | null;
}

/** An open setup step. */
export interface ChecklistItem {
  label: string;
  href: string;
}

/** What is left of the setup. */
export interface SetupState {
  /** Open steps; empty once dismissed. */
  open: readonly ChecklistItem[];
  /** Where an owner starts who hasn't answered anything; null once begun, dismissed or not needed. */
  start: string | null;
}

/** The runs shown in the overview. */
export interface PanelRuns {
  /** The newest published run; null if there is none. */
  live: PanelRun | null;
  /** The newest run with a preview that waits for the owner. */
  waiting: PanelRun | null;
  /** The newest runs, newest first. */
  recent: readonly PanelRun[];
}

/** The content of the overview; null for parts that can't be read at the moment. */
export interface PanelOverview {
  runs: PanelRuns | null;
  setup: SetupState;
  /** What needs the owner, what is new, and what it cost. */
  news: PanelNews;
  /** The status of the parts, as in /api/health. */
  health: PanelHealth | null;
}

export interface PanelHealth {
  status: "ok" | "degraded" | "down";
  checks: Readonly<Record<string, { status: string; note?: string }>>;
}

export interface PageSession {
  createdAt: string;
  expiresAt: string;
  ip: string;
}

const statusLabels: Readonly<Record<string, string>> = {
  queued: "Running",
  running: "Running",
  building: "Building",
  preview_ready: "Preview ready",
  publishing: "Publishing",
  published: "Live",
  discarded: "Discarded",
  failed: "Failed",
  cancelled: "Stopped",
  interrupted: "Stopped",
};

function time(iso: string, timeZone: string): Markup {
  const date = new Date(iso);
  const text = Number.isNaN(date.getTime())
    ? iso
    : new Intl.DateTimeFormat("en-GB", {
        dateStyle: "medium",
        timeStyle: "short",
        timeZone,
      }).format(date);
  return html`<time datetime="${iso}">${text}</time>`;
}

function pageOf(run: PanelRun): string {
  return run.pageUrl?.startsWith("/") && !run.pageUrl.startsWith("//") ? run.pageUrl : "/";
}

function waitingCard(run: PanelRun): Markup {
  // The console doesn't show runs that belong to a task.
  const href = run.task ? `/admin/tasks?task=${run.task.id}` : `${pageOf(run)}#console`;
  return html`<section class="card waiting" aria-labelledby="waiting">
    <h2 id="waiting">A preview is waiting for your review</h2>
    <p class="said">${run.instruction}</p>
    <div class="ways">
      <a class="button primary" href="${href}"
        >${run.task ? `Review task #${run.task.id}` : "Review it in the console"}</a
      >
      ${
        run.previewUrl === null
          ? null
          : html`<a class="button" href="${run.previewUrl}" rel="noopener">Open the preview</a>`
      }
    </div>
  </section>`;
}

function setupChecklist({ open, start }: SetupState): Markup {
  return html`<section class="card" aria-labelledby="setup" data-setup>
    <h2 id="setup">Finish setting up</h2>
    <ul class="setup-items">
      ${open.map(({ label, href }) => html`<li><a href="${href}">${label}</a></li>`)}
    </ul>
    <div class="ways">
      ${
        start === null
          ? html`<a class="button primary" href="/admin/setup">Continue setup</a>`
          : null
      }
      <button class="button" type="button" data-dismiss-setup hidden>Hide this list</button>
    </div>
    <p class="muted" role="status"></p>
  </section>`;
}

function liveCard(live: PanelRun | null, timeZone: string): Markup {
  if (live === null) {
    return html`<p class="said">Nothing has been published from the console yet.</p>
      <p class="muted">Changes to projects, media and the changelog go live automatically.</p>`;
  }
  const files = live.filesChanged.length;
  return html`<p class="said">${live.instruction}</p>
    <p class="muted">
      ${time(live.finishedAt ?? live.createdAt, timeZone)} · ${files}
      ${files === 1 ? "file" : "files"}${live.commit === null ? null : html` · <code>${live.commit.slice(0, 7)}</code>`}
    </p>`;
}

/** The instruction; a task's instruction links to the task. */
function requestLabel({ instruction, task }: PanelRun): Markup {
  if (task === null) return html`<span class="said">${instruction}</span>`;
  return html`<a class="said" href="/admin/tasks?task=${task.id}">${instruction}</a>`;
}

function recentList(runs: readonly PanelRun[], timeZone: string): Markup {
  if (runs.length === 0) return html`<p class="muted">No changes yet.</p>`;
  return html`<ol class="runs">
      ${runs.map(
        (run) =>
          html`<li data-run="${run.id}" data-status="${run.status}">
            <span class="word">${statusLabels[run.status] ?? run.status}</span>
            ${requestLabel(run)}
            <span class="muted">${time(run.createdAt, timeZone)}</span>
          </li>`,
      )}
    </ol>
    <p class="muted news" role="status"></p>`;
}

function healthLabel(health: PanelOverview["health"]): Markup {
  if (health === null) return html`Unknown at the moment`;
  const summary = {
    ok: "Everything is working",
    degraded: "Working with limitations",
    down: "Something essential is down",
  }[health.status];
  const notes = Object.entries(health.checks)
    .filter(([, check]) => check.status !== "ok")
    .map(
      ([name, check]) => `${name[0]?.toUpperCase()}${name.slice(1)}: ${check.note ?? check.status}`,
    );
  if (notes.length === 0) return html`${summary}.`;
  return html`${summary}
    <ul>
      ${notes.map((note) => html`<li>${note}</li>`)}
    </ul>`;
}

function panelLinks(overview: PanelOverview | null): Markup {
  return html`<dl>
    <div>
      <dt>Pages</dt>
      <dd><a href="/">Open the site</a></dd>
    </div>
    <div>
      <dt>Health</dt>
      <dd data-health="${overview?.health?.status ?? "unknown"}">
        ${healthLabel(overview?.health ?? null)} <a href="/api/health">Details</a>
      </dd>
    </div>
    <div>
      <dt>API</dt>
      <dd><a href="/api/openapi.json">Description (OpenAPI)</a></dd>
    </div>
  </dl>`;
}

/** The overview's content, starting with what needs the owner. */
function panelNews(site: PageSite, overview: PanelOverview | null): Markup {
  const runs = overview?.runs;
  const unknown = html`<p class="muted" role="alert">
    This can’t be loaded right now. Your site isn’t affected; <a href="/admin">try again</a>.
  </p>`;
  return html`<div class="panel-news">
    <section aria-labelledby="attention">
      <h2 id="attention">Needs your attention</h2>
      ${overview ? attentionSection(overview.news) : unknown}
    </section>
    ${runs?.waiting ? waitingCard(runs.waiting) : null}
    ${overview && overview.setup.open.length > 0 ? setupChecklist(overview.setup) : null}
    ${
      overview &&
      html`<section aria-labelledby="news">
          <h2 id="news">Since your last visit</h2>
          ${newsSection(overview.news, (iso) => time(iso, site.timeZone))}
        </section>
        <section aria-labelledby="cost">
          <h2 id="cost">Usage</h2>
          ${costSection(overview.news)}
        </section>`
    }
    <section aria-labelledby="live">
      <h2 id="live">Live now</h2>
      ${runs ? liveCard(runs.live, site.timeZone) : unknown}
    </section>
    <section aria-labelledby="recent">
      <h2 id="recent">Recent changes</h2>
      ${runs ? recentList(runs.recent, site.timeZone) : unknown}
    </section>
  </div>`;
}

/** The overview's greeting: first of all, the setup. */
function greeting(site: PageSite, overview: PanelOverview | null): Markup {
  const start = overview?.setup.start;
  if (start) {
    return html`<h1>Welcome to your new site</h1>
      <p class="lede">
        It shows a sample person’s work. In the setup you choose a password and replace the sample
        with your name, portrait, services and theme. It takes about ten minutes, and you can leave
        it and continue later.
      </p>
      <p class="ways">
        <a class="button primary large" href="${start}">Start the setup</a>
        <a class="button large" href="/#console">Open the console on your site</a>
      </p>`;
  }
  return html`<h1>Welcome ${overview?.news.since ? "back " : ""}to ${site.ownerName}’s site</h1>
    <p class="lede">
      Open the console on any page, describe a change, review the private preview, then publish or
      discard it.
    </p>
    <p><a class="button primary large" href="/#console">Open the console on your site</a></p>
    <p class="muted">On any page, <kbd>Ctrl .</kbd> or <kbd>⌘ .</kbd> opens and closes it.</p>`;
}

/** The overview page; `overview` is null if it can't be read at the moment. */
export function panelPage(
  site: PageSite,
  entry: ConsoleEntry | undefined,
  session: PageSession,
  overview: PanelOverview | null,
): string {
  return layout(
    `Admin · ${site.ownerName}`,
    entry,
    html`<body class="panel">
      <a class="skip" href="#main">Skip to content</a>
      ${siteHeader(site, "/admin")}
      <main id="main" tabindex="-1">
        <div class="hello">
          <p class="eyebrow">Signed in</p>
          ${greeting(site, overview)}
        </div>
        ${panelNews(site, overview)}
        <section aria-labelledby="places">
          <h2 id="places">The site</h2>
          ${panelLinks(overview)}
        </section>
      </main>
      <footer class="muted">
        Signed in since ${time(session.createdAt, site.timeZone)} from ${session.ip}. The session
        ends ${time(session.expiresAt, site.timeZone)} unless you use it before then.
      </footer>
    </body>`,
  );
}
