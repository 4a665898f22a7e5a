/*
 * Measures one address after another with Lighthouse: each message names one, and each answer says
 * what Lighthouse made of it. One process for all, for loading Lighthouse takes as long as using it.
 */
import lighthouse from "lighthouse";

const categories = ["performance", "accessibility", "best-practices", "seo"];

/** Audits whose failing needs no score of its own to be worth a word. */
const told = (audit) =>
  audit.score !== null && audit.score < 1 && audit.scoreDisplayMode !== "informative";

/** Of Lighthouse's result what the table needs: scores 0–100, times in ms, sizes in bytes. */
function summary({ categories: scored, audits, environment, runtimeError }) {
  if (runtimeError) throw new Error(runtimeError.message);
  const value = (id) => audits[id]?.numericValue ?? 0;
  const requests = audits["network-requests"].details.items.filter(
    ({ url }) => !url.startsWith("data:"),
  );
  const failed = categories.map((name) =>
    scored[name].auditRefs
      .filter(({ weight, id }) => weight > 0 && told(audits[id]))
      .map(({ id }) => id),
  );
  return {
    scores: categories.map((name) => Math.round((scored[name].score ?? 0) * 100)),
    lcp: value("largest-contentful-paint"),
    cls: value("cumulative-layout-shift"),
    tbt: value("total-blocking-time"),
    bytes: requests.reduce((sum, { transferSize }) => sum + (transferSize ?? 0), 0),
    requests: requests.length,
    failed,
    benchmark: environment.benchmarkIndex,
  };
}

async function measure({ address, port, skipAudits }) {
  const flags = {
    port,
    logLevel: "error",
    onlyCategories: categories,
    skipAudits,
    ignoreStatusCode: true,
    disableFullPageScreenshot: true,
  };
  const result = await lighthouse(address, flags);
  return summary(result.lhr);
}

process.on("message", (wanted) => {
  measure(wanted).then(
    (measured) => process.send({ measured }),
    (error) => process.send({ error: error.message }),
  );
});
process.on("disconnect", () => process.exit());
