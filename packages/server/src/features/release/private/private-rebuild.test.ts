import { expect, test } from "vitest";
import {
  handGit,
  openInstance,
  silentLog,
  writeFiles,
} from "../../../../../../test/support/publish/publish-instance.ts";
import {
  makeRecords,
  sampleBuilder,
  sampleRebuilder,
  saveRecord,
} from "../../../../../../test/support/publish/rebuilding.ts";
import { copyInstance } from "../../../../../../test/support/publish/sample.ts";
import { tempFolder } from "../../../../../../test/support/temp.ts";
import type { PrivateText } from "../../../kit/private-text.ts";
import { makePrivateGate, type PrivateGate } from "./private-gate.ts";

const secret = "The merger with Quillfeather Limited will be announced in Gothenburg in October.";

async function* message(): AsyncGenerator<PrivateText[]> {
  yield [{ record: "contact message 1", field: "message", kind: "message", text: secret }];
}

test("abuse 122: a rebuild with private text fails, and says of what, until it is confirmed", async () => {
  const folder = await tempFolder();
  await copyInstance(folder.path);
  const made: PrivateGate[] = [];
  const instance = openInstance(folder.path, {
    gate: {
      assertPublic: async (dir, confirmed) => (made[0] as PrivateGate).assertPublic(dir, confirmed),
    },
  });
  const { db } = instance.database;
  const { paths } = instance;
  made.push(makePrivateGate({ db, paths, log: silentLog, otherTexts: [message] }));
  await makeRecords(db);
  const rebuilder = sampleRebuilder(instance, sampleBuilder(paths));
  try {
    const { content } = paths;
    await writeFiles(content, { "app/src/pages/about.astro": `<p>${secret}</p>` });
    await handGit(content, ["commit", "-qam", "By hand"]);
    await saveRecord(db, { name: "a", text: "first" });
    expect(await rebuilder.runOnce()).toBe("failed");
    const failed = await rebuilder.state();
    expect(failed).toMatchObject({
      state: "failed",
      error: expect.stringContaining("contact message 1 (message)"),
      privateTexts: { findings: [{ record: "contact message 1", field: "message" }], total: 1 },
    });
    expect(JSON.stringify(failed)).not.toContain("Quillfeather");

    await rebuilder.request("rebuilt by hand");
    expect(await rebuilder.runOnce()).toBe("failed");
    await rebuilder.request("rebuilt by hand", failed.privateTexts?.fingerprint);
    expect(await rebuilder.runOnce()).toBe("done");
    expect(await rebuilder.state()).toMatchObject({ state: "idle", privateTexts: null });
  } finally {
    await rebuilder.close();
    await instance.close();
    await folder.remove();
  }
});
