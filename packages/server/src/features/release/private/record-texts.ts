import type { PrivateText } from "../../../kit/private-text.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { listEntries } from "../../changelog/store.ts";
import { findMediaBySrc, type Media } from "../../media/store.ts";
import { mediaAddresses } from "../../projects/gallery.ts";
import type { ProjectWithBrief, Project } from "../../projects/project.ts";
import type { RecordChange } from "../../projects/run-changes/change.ts";
import { listAllWithChanges } from "../../projects/run-changes/publish-changes.ts";
import { listAll, listRedirects } from "../../projects/store.ts";

/** Number of projects in a batch. */
const batchSize = 50;
const maxEntries = 2_147_483_647;

function isPublic({ status, audience }: Pick<Project, "status" | "audience">): boolean {
  return status === "published" && audience === "everyone";
}

/** All texts of a project that its page may show, by field. */
function shownTexts(project: Project): [field: string, text: string][] {
  const { name, summary, lede, body, kind, period, role, reelUrl } = project;
  const texts: [string, string][] = Object.entries({ summary, lede, body, kind, period, role });
  for (const text of project.categories) texts.push(["categories", text]);
  for (const text of project.stack) texts.push(["stack", text]);
  for (const { group, items } of project.skills) {
    texts.push(["skills", `${group} ${items.join(" ")}`]);
    for (const item of items) texts.push(["skills", item]);
  }
  for (const { value, label, note = "" } of project.metrics) {
    texts.push(["metrics", `${value} ${label}`], ["metrics", note]);
  }
  for (const { caption, alt = "" } of project.gallery) {
    texts.push(["gallery", caption], ["gallery", alt]);
  }
  if (reelUrl !== null) texts.push(["reelUrl", reelUrl]);
  return [["name", name], ...texts];
}

function labelOf({ id, status, audience }: Project): string {
  if (status !== "published") return `${status} project ${id}`;
  return audience === "everyone" ? `project ${id}` : `project ${id} for ${audience}`;
}

/** A project's private texts: always its brief, and everything else unless it is public. */
function privateTextsOf(
  project: ProjectWithBrief,
  media: ReadonlyMap<string, Media>,
  slugs: readonly string[],
): PrivateText[] {
  const record = labelOf(project);
  const text = (field: string, words: string): PrivateText => {
    return { record, field, kind: "text", text: words };
  };
  const texts = [text("brief", project.brief)];
  if (isPublic(project)) return texts.filter((one) => one.text !== "");
  for (const [field, words] of shownTexts(project)) texts.push(text(field, words));
  for (const address of new Set(mediaAddresses(project))) {
    texts.push(text("image descriptions", media.get(address)?.alt ?? ""));
  }
  for (const name of [project.name, ...slugs]) {
    texts.push({ record, field: "name", kind: "name", text: name });
  }
  return texts.filter((one) => one.text !== "");
}

/** The private texts of projects, in batches: as stored, and with a run's `changes` applied. */
export async function* projectTexts(
  db: Db,
  changes: readonly RecordChange[] = [],
): AsyncGenerator<PrivateText[]> {
  const stored = await listAll(db);
  const present = new Set(stored);
  const news =
    changes.length === 0
      ? []
      : (await listAllWithChanges(db, changes)).filter((project) => !present.has(project));
  const projects = [...stored, ...news];
  const redirects = await listRedirects(db, "all");
  for (let at = 0; at < projects.length; at += batchSize) {
    const batch = projects.slice(at, at + batchSize);
    const hidden = batch.filter((project) => !isPublic(project));
    const media = await findMediaBySrc(db, hidden.flatMap(mediaAddresses));
    yield batch.flatMap((project) => {
      const former = redirects.filter(({ to }) => to === project.slug).map(({ from }) => from);
      return privateTextsOf(project, media, [project.slug, ...former]);
    });
  }
}

/** The texts of public records: public projects with their media, and the changelog. */
export async function publicTexts(db: Db): Promise<string[]> {
  const projects = (await listAll(db)).filter(isPublic);
  const media = await findMediaBySrc(db, projects.flatMap(mediaAddresses));
  const { items } = await listEntries(db, { limit: maxEntries, offset: 0, isShown: true });
  const own = projects.flatMap((project) => shownTexts(project).map(([, text]) => text));
  const slugs = projects.map(({ slug }) => slug);
  const descriptions = Array.from(media.values(), ({ alt }) => alt);
  const changes = items.flatMap(({ title, detail }) => [title, detail]);
  return [...own, ...slugs, ...descriptions, ...changes];
}
