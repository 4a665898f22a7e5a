import { afterAll, beforeAll, expect, test } from "vitest";
import { type DatabaseMaker, startDialect } from "../../../../test/support/postgres.ts";
import { tempFolder } from "../../../../test/support/temp.ts";
import type { Importer, ImportReport } from "../features/portability/import/importer.ts";
import type { ImportOptions } from "../features/portability/import/plan.ts";
import type { Config } from "../platform/config.ts";
import { openAdvisoryLock } from "../platform/db/advisory-lock.ts";
import { instancePaths } from "../platform/paths.ts";
import { cleanUpAlone, importAlone } from "./import-lock.ts";
import type { Instance } from "./instance.ts";

let maker: DatabaseMaker;

beforeAll(async () => {
  maker = await startDialect("postgres");
});
afterAll(() => maker?.close());

const options = {} as ImportOptions;
const report = {} as ImportReport;

test("while a node imports, no other node imports or removes what its own import has left", async () => {
  const { database } = await maker.make();
  await using folder = await tempFolder();
  const node = (name: string) => {
    const paths = instancePaths(`${folder.path}/${name}`);
    const lock: NonNullable<Instance["shared"]>["lock"] = (what, local) =>
      openAdvisoryLock(database.db, what, local);
    return { config: { paths } as Config, shared: { lock } as Instance["shared"] };
  };
  const { promise: ended, resolve: end } = Promise.withResolvers<ImportReport>();
  const { promise: started, resolve: start } = Promise.withResolvers<void>();
  const one = importAlone(node("one"), {
    async import() {
      start();
      return ended;
    },
    async close() {},
  });
  const plain: Importer = { import: async () => report, async close() {} };
  const [two, cleaned] = [importAlone(node("two"), plain), [] as string[]];
  const importing = one.import("/folder", options, true);
  await started;
  await expect(two.import("/folder", options, true)).rejects.toMatchObject({ code: "locked" });
  expect(await two.import("/folder", options, false)).toBe(report);
  await cleanUpAlone(node("two"), async () => void cleaned.push("during"));
  end(report);
  await importing;
  await cleanUpAlone(node("two"), async () => void cleaned.push("after"));
  expect(cleaned).toEqual(["after"]);
  expect(await two.import("/folder", options, true)).toBe(report);
  await one.close();
  await two.close();
});
