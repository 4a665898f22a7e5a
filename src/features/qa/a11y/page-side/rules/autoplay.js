/** ACT 4c31df, 80f0bf and aaa1bf: sound that starts by itself, with no way to stop it. */
export const autoplay = {
  id: "no-autoplay-audio",
  act: ["4c31df", "80f0bf", "aaa1bf"],
  wcag: ["1.4.2"],
  impact: "serious",
  message: "It plays by itself, and nothing with a name is there to stop it",
  *look({ document, all, name, role, exposed }) {
    const isControl = (element) => {
      const words = `${name(element)} ${element.id} ${element.className}`;
      return name(element) !== "" && /play|pause|stop|mute|sound|volume|audio|music/i.test(words);
    };
    const played = all("video[autoplay], audio[autoplay]");
    if (played.length === 0) return;
    const controlled = Array.from(
      document.querySelectorAll("button, input[type=button], [role=button], a[href]"),
    )
      .filter((element) => exposed(element) && role(element) !== null)
      .some(isControl);
    for (const element of played) {
      if (element.hasAttribute("muted") || element.hasAttribute("controls") || controlled) continue;
      const source =
        element.getAttribute("src") ?? element.querySelector("source")?.getAttribute("src");
      if (!source) continue;
      // A piece of at most three seconds, told by the address or by the file, is soon over.
      if (/#t=[\d.]+$/.test(source)) continue;
      const [, from = "0", to] = /#t=([\d.]*),?([\d.]+)?/.exec(source) ?? [];
      const lasts = to === undefined ? element.duration : Number(to) - Number(from);
      if (lasts <= 3) continue;
      const loud = element.localName === "audio" || !element.hasAttribute("loop");
      const unknown = !(lasts > 3) && element.readyState > 0;
      const silent = /silent|mute|no-?(sound|audio)/i.test(source);
      if (!silent && loud && !unknown) yield { element };
    }
  },
};
