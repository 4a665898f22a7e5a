import { DatabaseSync } from "node:sqlite";
import { run } from "../../../packages/server/src/platform/process.ts";
import { recordPowerCut } from "../journal.ts";
import { delay } from "../wait.ts";
import { type FaultContext, type FaultKind } from "./fault.ts";

/** Requests the home page while writing fails: reading must continue (abuse 106). */
async function watchReads({ product, journal }: FaultContext, ms: number, what: string) {
  const until = performance.now() + ms;
  let responses = 0;
  while (performance.now() < until) {
    const response = await fetch(`${product.baseUrl}/`, {
      signal: AbortSignal.timeout(20_000),
    }).catch(() => null);
    await response?.arrayBuffer().catch(() => {});
    if (response?.status === 200) responses += 1;
    else if (response !== null) journal.anomalies.push(`${what}: / answered ${response.status}`);
    await delay(100);
  }
  return responses;
}

/** Fills the file system for some seconds. */
export const disk: FaultKind = {
  unavailable: ({ volume }) =>
    volume.kind === "folder" ? "needs the right to mount a file system" : null,
  async inject(context) {
    const { volume, random } = context;
    const left = random.pick([0, 0, 4096, 65_536, 1_048_576]);
    const ms = random.int(1500, 6000);
    let responses = 0;
    try {
      await volume.fill(left);
      responses = await watchReads(context, ms, "disk full");
    } finally {
      await volume.empty();
    }
    await context.postgres?.ensureStarted();
    return `disk full but for ${left} bytes for ${ms} ms, ${responses} pages read`;
  },
};

/** Cuts the power: data that wasn't flushed to the disk is lost. */
export const power: FaultKind = {
  unavailable: ({ volume }) =>
    volume.kind === "ext4" ? null : "needs a loop device and the right to mount it",
  async inject({ product, volume, postgres, journal }) {
    journal.tolerant = true;
    await recordPowerCut(journal, () => volume.cutPower());
    await Promise.all([product.killAll(), postgres?.kill()]);
    await volume.restorePower();
    await postgres?.ensureStarted();
    product.ensureStarted();
    journal.tolerant = false;
    return "power cut";
  },
};

const onSqlite = ({ postgres }: FaultContext) => (postgres === null ? null : "is about SQLite");

/** Another program holds SQLite's write lock. */
export const locked: FaultKind = {
  unavailable: onSqlite,
  async inject(context) {
    const { product, random } = context;
    const ms = random.int(1000, 12_000);
    const other = new DatabaseSync(product.paths.database, { timeout: 5000 });
    try {
      other.exec("begin immediate");
      await watchReads(context, ms, "database locked");
      other.exec("rollback");
    } finally {
      other.close();
    }
    return `database locked for ${ms} ms`;
  },
};

/** SQLite's files can't be written, as on a read-only file system. */
export const readOnly: FaultKind = {
  unavailable: (context) =>
    onSqlite(context) ?? (context.volume.kind === "ext4" ? null : "needs ext4 (chattr +i)"),
  async inject(context) {
    const { product, random } = context;
    const ms = random.int(1000, 6000);
    const files = ["", "-wal"].map((suffix) => product.paths.database + suffix);
    try {
      const { exitCode, stderr } = await run("chattr", ["+i", ...files]);
      if (exitCode !== 0) throw new Error(stderr.trim());
      await watchReads(context, ms, "database read-only");
    } finally {
      await run("chattr", ["-i", ...files]);
    }
    return `database read-only for ${ms} ms`;
  },
};
