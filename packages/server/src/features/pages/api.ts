import { envelope, ok } from "../../kit/envelope.ts";
import { AppError } from "../../kit/errors.ts";
import type { Limits } from "../../platform/config.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { AppServer } from "../../platform/http/server.ts";
import { adminErrorResponses, adminRoute, noStore } from "../admin-auth/admin-route.ts";
import type { AdminGuard } from "../admin-auth/guard.ts";
import { openJail } from "../agent/tools/jail.ts";
import { findOpenForm } from "../setup/store.ts";
import { deletePage } from "./delete-page.ts";
import { listPages, readContentFile, shareFile } from "./page-files.ts";
import { pagesFormName } from "./pages-agent.ts";
import { deletionPlan, pageForm, pageList, pageQuery } from "./schema.ts";
import { canChooseShareImages, listSharedProjects, presentShareImages } from "./share-images.ts";

export interface PagesDependencies {
  db: Db;
  guard: AdminGuard;
  limits: Limits["workspace"];
  /** The content repository's folder, and the template's folder. */
  content: string;
  templateDir: string;
}

/** The site's pages and their fields, read from the content files. */
export function registerPages(app: AppServer, deps: PagesDependencies): void {
  const { db, guard, limits, content, templateDir } = deps;
  const described = adminRoute("pages");
  app.get(
    "/api/adminpages/list",
    {
      onRequest: [noStore, guard.requireAdmin("read")],
      schema: {
        ...described,
        summary: "List the site's pages with their title, address and visibility",
        response: { 200: envelope(pageList), ...adminErrorResponses },
      },
    },
    async () => {
      const site = await openJail(content, limits);
      const share = (await canChooseShareImages(site))
        ? { file: shareFile, projects: await listSharedProjects(db) }
        : null;
      const runId = await findOpenForm(db, pagesFormName);
      return ok({ pages: await listPages(site), share, runId });
    },
  );
  app.get(
    "/api/adminpages/get",
    {
      onRequest: [noStore, guard.requireAdmin("read")],
      schema: {
        ...described,
        summary: "Get the content of a page's file",
        querystring: pageQuery,
        response: { 200: envelope(pageForm), ...adminErrorResponses },
      },
    },
    async ({ query: { file } }) => {
      const found = await readContentFile(await openJail(content, limits), file);
      if (!found?.content) {
        throw new AppError(
          "not_found",
          `The site has no content file ${file} that a form can show.`,
        );
      }
      const sample = await readContentFile(await openJail(templateDir, limits), file);
      const { hash, content: values } = found;
      const shown = file === shareFile ? await presentShareImages(db, values) : values;
      return ok({ file, hash, content: shown, sample: sample?.content ?? null });
    },
  );
  registerDeletion(app, deps);
}

/** What deleting a page would remove and change. */
function registerDeletion(app: AppServer, deps: PagesDependencies): void {
  const { db, guard, limits, content } = deps;
  app.get(
    "/api/adminpages/deletion",
    {
      onRequest: [noStore, guard.requireAdmin("read")],
      schema: {
        ...adminRoute("pages"),
        summary: "Get what deleting a page would remove and change",
        querystring: pageQuery,
        response: { 200: envelope(deletionPlan), ...adminErrorResponses },
      },
    },
    async ({ query: { file } }) => {
      const site = await openJail(content, limits);
      return ok(await deletePage({ db, site, texts: new Map() }, file));
    },
  );
}
