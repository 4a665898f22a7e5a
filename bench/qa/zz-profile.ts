import { fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { findChromium } from "../../packages/qa/src/browser/find-chromium.ts";
import { startChromium } from "../../packages/qa/src/browser/chromium.ts";
import { openTab } from "../../packages/qa/src/browser/tab.ts";
import { visitPage, warmUp } from "../../packages/qa/src/browser/visit-page.ts";
const server = fork(fileURLToPath(new URL("site-server.ts", import.meta.url)));
const [{ port }] = (await once(server, "message")) as [{ port: number }];
const origin = `http://127.0.0.1:${port}`;
const chromium = await startChromium(findChromium()!);
const options = { phaseMs: 15000, maxBytes: 8e7, origin, connect: null, pageMs: 30000, sizes: new Map() };
const tab = await openTab(chromium, options as never);
await tab.use(warmUp);
const cpu = () => {
  const out: Record<string, number> = {};
  for (const d of readdirSync("/proc").filter((n) => /^\d+$/.test(n))) {
    try {
      const stat = readFileSync(`/proc/${d}/stat`, "utf8");
      const f = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      const cmd = readFileSync(`/proc/${d}/cmdline`, "utf8");
      if (!/chrom/.test(cmd) || (Number(f[2]) !== chromium.pid)) continue;
      const type = /--type=([\w-]+)/.exec(cmd)?.[1] ?? "browser";
      const sub = /--utility-sub-type=([\w.]+)/.exec(cmd)?.[1] ?? "";
      for (const t of readdirSync(`/proc/${d}/task`)) {
        const s = readFileSync(`/proc/${d}/task/${t}/stat`, "utf8");
        const g = s.slice(s.lastIndexOf(")") + 2).split(" ");
        const name = s.slice(s.indexOf("(") + 1, s.lastIndexOf(")"));
        const k = `${type} ${sub} ${name}`;
        out[k] = (out[k] ?? 0) + (Number(g[11]) + Number(g[12])) * 10;
      }
    } catch {}
  }
  return out;
};
const n = Number(process.argv[2] ?? 40);
const pathOf = (index: number) => (index === 0 ? "/" : `/section-${index % 12}/page-${index}/`);
for (let i = 1; i < 6; i++) await tab.use((v) => visitPage(v, pathOf(i), origin + pathOf(i)));
const before = cpu();
let prof: any;
const steps: Record<string, number> = {};
let session: any;
const wrap = process.argv[3] !== "plain";
for (let i = 6; i < 6 + n; i++) {
  await tab.use(async (v: any) => {
    if (!session) {
      session = v.session;
      if (wrap) { await session.send("Profiler.enable"); await session.send("Profiler.setSamplingInterval", { interval: 500 }); await session.send("Profiler.start"); }
    }
    return visitPage(v, pathOf(i), origin + pathOf(i));
  });
}
const after = cpu();
if (wrap) ({ profile: prof } = await session.send("Profiler.stop"));
const diff = Object.entries(after).map(([k, v]) => [k, (v - (before[k] ?? 0)) / n] as const).filter(([, v]) => v > 0.3).toSorted((a, b) => b[1] - a[1]);
console.log(diff.map(([k, v]) => `${v.toFixed(1)} ms/page  ${k}`).join("\n"), "total", diff.reduce((s, [, v]) => s + v, 0));
if (prof) {
  const self = new Map<number, number>();
  prof.samples.forEach((id: number, i: number) => self.set(id, (self.get(id) ?? 0) + prof.timeDeltas[i] / 1000));
  const nodes = new Map(prof.nodes.map((x: any) => [x.id, x]));
  const parent = new Map<number, number>();
  for (const x of prof.nodes) for (const c of x.children ?? []) parent.set(c, x.id);
  const selfBy = new Map<string, number>(), totalBy = new Map<string, number>();
  for (const [id, ms] of self) {
    const x: any = nodes.get(id); const nm = (y: any) => `${y.callFrame.functionName || "(anon)"}@${y.callFrame.url.slice(-20)}:${y.callFrame.lineNumber}:${y.callFrame.columnNumber}`;
    selfBy.set(nm(x), (selfBy.get(nm(x)) ?? 0) + ms);
    const seen = new Set<string>();
    for (let at: number | undefined = id; at !== undefined; at = parent.get(at)) { const k = nm(nodes.get(at)); if (!seen.has(k)) { seen.add(k); totalBy.set(k, (totalBy.get(k) ?? 0) + ms); } }
  }
  const top = (m: Map<string, number>, c: number) => [...m].toSorted((a, b) => b[1] - a[1]).slice(0, c).map(([k, v]) => `${(v / n).toFixed(2)}  ${k}`).join("\n");
  console.log("SELF\n" + top(selfBy, 45)); console.log("TOTAL\n" + top(totalBy, 80));
}
await chromium.kill(); server.disconnect();
