import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeAddressMap } from "../../packages/server/src/features/runs/preview-address.ts";
import { rewriteCss } from "../../packages/server/src/features/runs/rewrite-css.ts";
import { rewriteHtml } from "../../packages/server/src/features/runs/rewrite-html.ts";
import { rewriteScript } from "../../packages/server/src/features/runs/rewrite-script.ts";
import type { FuzzCase, Faults } from "./case.ts";
import { judgeAnswer, judgeTime, maxLoopCpuMs } from "./judge.ts";
import type { FuzzedProduct } from "./product.ts";

/** A rewritten text is longer by the prefix of its addresses and no more. */
const maxGrowth = 40;
/** How often what took too long is tried: the rest of a process's work is not the case's. */
const repeats = 3;

function rewrite({ type, source }: Extract<FuzzCase, { kind: "rewrite" }>): string {
  const pages = "/_preview/01KF0RDQG0GB2XDKA38Q43VHX5";
  const prefixes = { pages, files: `${pages}/~t` };
  const map = makeAddressMap({ prefixes, siteOrigin: "https://example.com", pagePath: "/a/" });
  if (type === "css") return rewriteCss(source, map.inFile);
  if (type === "script") return rewriteScript(source, map.inFile);
  return rewriteHtml(source, map, { script: '<script defer src="/x.js"></script>' });
}

function tryRewrite(one: Extract<FuzzCase, { kind: "rewrite" }>): Faults {
  let best = Infinity;
  let text = "";
  for (let turn = 0; turn < repeats && best > maxLoopCpuMs; turn += 1) {
    const before = process.cpuUsage();
    try {
      text = rewrite(one);
    } catch (error) {
      return [`the rewriter of ${one.type} threw ${String(error)}`];
    }
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1000);
  }
  const faults: Faults = [];
  if (best > maxLoopCpuMs) faults.push(`the rewriter of ${one.type} took ${Math.round(best)} ms`);
  if (text.length > one.source.length * maxGrowth + 1000) {
    faults.push(
      `the rewriter of ${one.type} made ${text.length} of ${one.source.length} characters`,
    );
  }
  return faults;
}

/** Writes a file for a command and runs it; it has to end with an envelope and a code of its own. */
async function tryCommand(
  product: FuzzedProduct,
  {
    name,
    content,
    args,
  }: { name: string; content: string; args(file: string, folder: string): string[] },
): Promise<Faults> {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-fuzz-"));
  try {
    const file = join(folder, name);
    await writeFile(file, Buffer.from(content, "base64"));
    const command = args(file, folder);
    const { exitCode, stdout } = await product.command(command);
    const what = `vitrine ${command[0]} ${name}`;
    if (exitCode === null || exitCode < 0 || exitCode > 3)
      return [`${what} ended with ${exitCode}`];
    try {
      const envelope = JSON.parse(stdout) as { ok?: unknown; error?: { code?: string } | null };
      if (envelope.error?.code === "internal") return [`${what} failed inside`];
      return typeof envelope.ok === "boolean" ? [] : [`${what} gave no envelope`];
    } catch {
      return [`${what} gave no JSON`];
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function tryRequest(
  product: FuzzedProduct,
  one: Extract<FuzzCase, { kind: "request" }>,
): Promise<Faults> {
  let slow: Faults = [];
  for (let turn = 0; turn < repeats; turn += 1) {
    const response = await product.ask(one);
    const dead = product.dead();
    if (dead.length > 0) return [`${one.method} ${one.path}: ${dead.join(" and ")} ended`];
    const wrong = judgeAnswer(one, response);
    if (wrong.length > 0) return wrong;
    slow = judgeTime(response);
    if (slow.length === 0) return [];
  }
  return slow.map((fault) => `${one.method} ${one.path.slice(0, 120)} ${fault}`);
}

/** Tries a case on the running product and says what was wrong. */
export async function tryCase(product: FuzzedProduct, one: FuzzCase): Promise<Faults> {
  if (one.kind === "request") return tryRequest(product, one);
  if (one.kind === "rewrite") return tryRewrite(one);
  const { content } = one;
  if (one.kind === "import") {
    return tryCommand(product, { name: one.name, content, args: (file) => ["import", file] });
  }
  const args = (file: string, folder: string) => ["restore", file, "--into", join(folder, "into")];
  return tryCommand(product, { name: "backup.tar.gz", content, args });
}
