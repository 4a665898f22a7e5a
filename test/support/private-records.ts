import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { insertUser } from "../../packages/server/src/features/accounts/store.ts";
import { insertMessage } from "../../packages/server/src/features/contact/store.ts";
import { insertMedia } from "../../packages/server/src/features/media/store.ts";
import { insertInvitation } from "../../packages/server/src/features/members/invitation-store.ts";
import { exportRecords } from "../../packages/server/src/features/projects/export.ts";
import type { ProjectFields } from "../../packages/server/src/features/projects/project.ts";
import { makeProjects } from "../../packages/server/src/features/projects/projects.ts";
import { sha256Hex } from "../../packages/server/src/kit/hash.ts";
import { isoTime } from "../../packages/server/src/kit/time.ts";
import type { Db } from "../../packages/server/src/platform/db/connect.ts";
import type { InstancePaths } from "../../packages/server/src/platform/paths.ts";
import type { FakeClock } from "./clock.ts";

/** The beginning of every private text of `seedPrivateRecords`, followed by its place. */
export const canaryPattern = /canary-[a-z]+-[a-z0-9]+/g;

export interface PrivateRecords {
  /** All texts that must not become public, by record and field. */
  canaries: string[];
  /** The draft's ID. */
  draftId: number;
  draftSlug: string;
  /** The stored private texts of the draft. */
  draft: Pick<ProjectFields, "name" | "summary" | "lede" | "body" | "brief">;
  /** The address of the image that only the draft contains. */
  draftImage: string;
}

interface Seeding {
  db: Db;
  clock: FakeClock;
  paths: InstancePaths;
}

async function addImage({ db, paths }: Seeding, name: string, alt: string): Promise<string> {
  const sha256 = sha256Hex(name);
  const src = `/media/2026/${sha256.slice(0, 12)}-${name}.webp`;
  const file = join(paths.content, "app/public", src);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, Buffer.from(`RIFF\0\0\0\0WEBPVP8 ${name}`, "latin1"));
  await insertMedia(db, {
    kind: "image",
    src,
    originalName: `${name}.png`,
    mime: "image/webp",
    bytes: 30,
    originalBytes: 1000,
    width: 8,
    height: 6,
    duration: null,
    hasAlpha: false,
    animated: false,
    poster: null,
    placeholder: null,
    variants: [],
    sha256,
    alt,
    createdAt: isoTime(0),
  });
  return src;
}

/** A record whose every text has a canary: `canary-<record>-<field>`. */
function fieldsOf(record: string, src: string) {
  const canary = (field: string) => `canary-${record}-${field}4711`;
  const sentence = (field: string) =>
    `The ${field} of this record says that ${canary(field)} will merge with Quillfeather Limited in autumn.`;
  return {
    name: `Quillfeather ${canary("name")}`,
    slug: `canary-${record}-slug4711`,
    summary: sentence("summary"),
    lede: sentence("lede"),
    body: `## Heading\n\n${sentence("body")}\n\n${sentence("second")}`,
    kind: canary("kind"),
    period: canary("period"),
    role: canary("role"),
    categories: [canary("category")],
    stack: [canary("stack")],
    skills: [{ group: canary("group"), items: [canary("item")] }],
    metrics: [{ value: "4711", label: canary("label"), note: sentence("note") }],
    gallery: [{ src, caption: sentence("caption"), alt: sentence("alt") }],
    brief: sentence("brief"),
  };
}

/**
 * Stores a draft, an archived project, one for members, one for invited people with an invitation, a
 * public one with a private brief, an account and a contact message, and commits the export of them as
 * a rebuild does.
 * @param commit runs git in the content repository
 */
export async function seedPrivateRecords(
  seeding: Seeding,
  commit: (...args: string[]) => Promise<unknown>,
): Promise<PrivateRecords> {
  const { db, clock, paths } = seeding;
  const mediaRoot = join(paths.content, "app/public");
  const projects = makeProjects({
    ownerName: "Mara",
    db,
    clock,
    mediaRoot,
    onChange: async () => {},
  });
  const draftImage = await addImage(seeding, "draft-only", "canary-media-alt4711");
  const draft = fieldsOf("draft", draftImage);
  const { id: draftId } = await projects.create({ ...draft, status: "draft" });
  await projects.create({ ...fieldsOf("archived", draftImage), status: "archived" });
  const members = { status: "published", audience: "members" } as const;
  await projects.create({ ...fieldsOf("members", draftImage), ...members });
  const invited = { status: "published", audience: "invited" } as const;
  const { id } = await projects.create({ ...fieldsOf("invited", draftImage), ...invited });
  await projects.create({
    name: "Harbour map",
    status: "published",
    summary: "A public map of the harbour.",
    brief: "The brief says canary-public-brief4711 of a project that everyone may see.",
  });
  const at = isoTime(clock.now());
  const note = "An invitation note that says canary-invitation-note4711 about the deal.";
  await insertInvitation(db, {
    projectId: id,
    email: "canary-invited-email4711@people.example",
    note,
    at,
  });
  await insertUser(db, {
    email: "canary-account-email4711@people.example",
    name: "Somebody",
    passwordHash: null,
    verifiedAt: at,
    now: at,
  });
  await insertMessage(db, {
    name: "Visitor",
    email: "canary-contact-email4711@people.example",
    message:
      "Please keep canary-contact-message4711 of this enquiry to yourself for the time being.",
    at,
    ip: "127.0.0.1",
    user_agent: "",
    email_id: null,
  });
  const exported = await exportRecords(db);
  await mkdir(join(paths.content, "database"), { recursive: true });
  await writeFile(join(paths.content, "database/projects.json"), exported);
  await mkdir(join(paths.content, "scripts"), { recursive: true });
  await writeFile(join(paths.content, "scripts/notes.md"), "canary-script-notes4711\n");
  await commit("add", "database", "scripts");
  const owner = ["-c", "user.name=O", "-c", "user.email=o@example.com"];
  await commit(...owner, "commit", "-qm", "Records");
  const others = [
    "canary-media-alt4711",
    "canary-public-brief4711",
    "canary-invitation-note4711",
    "canary-invited-email4711",
    "canary-account-email4711",
    "canary-contact-email4711",
    "canary-contact-message4711",
    "canary-script-notes4711",
  ];
  const canaries = new Set([...(exported.match(canaryPattern) ?? []), ...others]);
  return { canaries: [...canaries], draftId, draftSlug: draft.slug, draft, draftImage };
}
