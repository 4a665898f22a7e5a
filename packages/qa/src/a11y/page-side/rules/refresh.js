/** ACT bc659a and bisz58: a page that redirects or reloads automatically. */
export const refresh = {
  id: "meta-refresh",
  act: ["bc659a", "bisz58"],
  wcag: ["2.2.1"],
  impact: "critical",
  message: "The page reloads or redirects automatically before everyone can read it",
  *run({ document }) {
    for (const element of document.querySelectorAll("meta[http-equiv='refresh' i][content]")) {
      // Parsed as in the HTML standard: a time, then nothing or a separator.
      const content = element.getAttribute("content") ?? "";
      const time = /^[\t\n\f\r ]*(?:(\d+)[\d.]*|\.[\d.]*)(?=[;,\t\n\f\r ]|$)/.exec(content);
      if (!time) continue;
      const seconds = Number(time[1] ?? 0);
      if (seconds > 72_000) yield { element, rule: "meta-refresh-no-exceptions", act: ["bisz58"] };
      else if (seconds > 0) yield { element };
      // Only the first valid one counts.
      break;
    }
    // With scripts, what is in a `noscript` is text: the markup that visitors without them get.
    for (const element of document.querySelectorAll("noscript")) {
      const text = (element.textContent ?? "").slice(0, 20_000);
      for (const [tag] of text.matchAll(/<meta\s[^>]{0,500}>/gi)) {
        if (!/\shttp-equiv\s*=\s*["']?refresh/i.test(tag)) continue;
        const seconds = Number(/\scontent\s*=\s*["']?\s*(\d{1,9})/i.exec(tag)?.[1] ?? 0);
        if (seconds === 0 || seconds > 72_000) continue;
        const message =
          "Visitors without scripts are redirected, or the page reloads, before everyone can read it";
        yield { element, review: true, message };
      }
    }
  },
};
