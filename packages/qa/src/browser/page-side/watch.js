/*
   Runs before the page's own code in an isolated world: it sees the page's elements, the page
   doesn't see it. The files after it use what it defines.
 */
export const vitrine = {
  first: null,
  largest: null,
  shift: 0,
  tasks: [],
  violations: [],
};

{
  const observe = (type, take) => {
    try {
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) take(entry);
      }).observe({ type, buffered: true });
    } catch {
      // Without browser support for this entry type, it stays unknown.
    }
  };
  observe("paint", (entry) => {
    if (entry.name === "first-contentful-paint") vitrine.first = entry.startTime;
  });
  observe("largest-contentful-paint", (entry) => {
    vitrine.largest = entry;
  });
  observe("longtask", (entry) => {
    if (vitrine.tasks.length < 1000) vitrine.tasks.push([entry.startTime, entry.duration]);
  });
  // The largest session window: at most 5 s without a pause of 1 s (web.dev/articles/cls).
  let [opened, last, sum] = [-Infinity, -Infinity, 0];
  observe("layout-shift", (entry) => {
    if (entry.hadRecentInput) return;
    const at = entry.startTime;
    if (at - last > 1000 || at - opened > 5000) [opened, sum] = [at, 0];
    last = at;
    sum += entry.value;
    vitrine.shift = Math.max(vitrine.shift, sum);
  });
  addEventListener(
    "securitypolicyviolation",
    (event) => {
      if (event.disposition !== "enforce") return;
      if (vitrine.violations.length >= 50) return;
      vitrine.violations.push({
        directive: String(event.effectiveDirective).slice(0, 100),
        blocked: String(event.blockedURI).slice(0, 500),
      });
    },
    true,
  );
}
