/** ACT aaa1bf: sound that starts by itself and goes on, though there are controls to stop it with. */
export const autoplayLong = {
  id: "autoplay-long",
  act: ["aaa1bf"],
  wcag: [],
  impact: "minor",
  message: "It plays by itself for more than three seconds, over what a screen reader says",
  *look({ all }) {
    for (const element of all("audio[autoplay][controls]")) {
      const source =
        element.getAttribute("src") ?? element.querySelector("source")?.getAttribute("src");
      // A part that begins late may be short.
      if (!source || element.hasAttribute("muted") || /#(.*&)?t=/.test(source)) continue;
      if (!(element.duration <= 3)) yield { element };
    }
  },
};
