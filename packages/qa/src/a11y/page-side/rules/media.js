/** ACT eac66b, f51b46, c5a4ea, and e7aa44: video and audio without a text or audio alternative. */
export const media = {
  id: "media-alternative",
  act: [],
  wcag: ["1.2.1"],
  impact: "serious",
  message: "It has no captions or text for people who can't hear or see it",
  needsLayout: true,
  *run({ document, all, shown, plain, isSilent }) {
    const words = plain(document.body?.textContent ?? "").split(" ").length;
    const linked = Array.from(document.querySelectorAll("a[href], button, summary")).some((link) =>
      /transcript|text (version|alternative)|captions?|subtitles?|read the|description/i.test(
        link.textContent ?? "",
      ),
    );
    for (const element of all("video, audio")) {
      const isVideo = element.localName === "video";
      if (element.muted || element.hasAttribute("muted") || element.hasAttribute("loop")) continue;
      if (!element.hasAttribute("controls") || !shown(element)) continue;
      const tracked = element.querySelector(
        "track[kind=captions], track[kind=subtitles], track[kind=descriptions], track:not([kind])",
      );
      // A page with enough text may contain the alternative.
      if (tracked || linked || words > 20 || element.hasAttribute("aria-describedby")) continue;
      if (isVideo && isSilent(element)) {
        const message = "It has no text for people who can't see it";
        yield { element, act: ["c5a4ea", "1ec09b"], review: true, message };
        continue;
      }
      const act = isVideo
        ? ["eac66b", "f51b46", "c5a4ea", "1ea59c", "1ec09b"]
        : ["e7aa44", "2eb176"];
      yield { element, act, review: true };
    }
  },
};
