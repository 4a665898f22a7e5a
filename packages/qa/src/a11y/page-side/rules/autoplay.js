/** ACT 4c31df, 80f0bf, and aaa1bf: audio that plays automatically and can't be stopped. */
export const autoplay = {
  id: "no-autoplay-audio",
  act: ["4c31df", "80f0bf", "aaa1bf"],
  wcag: ["1.4.2"],
  impact: "serious",
  message: "It plays automatically and has no named control to stop it",
  *run({ document, all, name, role, exposed, audibleSecondsOf }) {
    // For the most common languages; for others, a person has to check.
    const words =
      "play|pause|stop|mute|unmute|sound|volume|audio|music|anhalten|abspielen|ton|stumm|musik|lecture|arrêter|couper|musique|pausa|pausar|detener|silenciar|sonido|música|ferma|suono|geluid|dempen";
    const says = new RegExp(`(^|[^\\p{L}])(${words})($|[^\\p{L}])`, "iu");
    const signs = /[⏯⏸⏹▶🔇🔈🔉🔊]/u;
    const isControl = (element) => {
      const called = name(element);
      if (called === "") return false;
      const parts = `${element.id} ${element.getAttribute("class") ?? ""}`.replace(
        /([a-z])(?=[A-Z])/g,
        "$1 ",
      );
      return says.test(called) || signs.test(called) || says.test(parts);
    };
    const played = all("video[autoplay], audio[autoplay]");
    if (played.length === 0) return;
    const buttons = Array.from(
      document.querySelectorAll(
        "button, summary, input:is([type=button i], [type=checkbox i], [type=range i], [type=image i]), [role=button i], [role=switch i], [role=checkbox i], [role=slider i], a[href^='#'], a[href^='javascript:' i]",
      ),
    ).filter((element) => exposed(element) && role(element) !== null);
    if (buttons.some(isControl)) return;
    for (const element of played) {
      if (element.hasAttribute("controls")) continue;
      const seconds = audibleSecondsOf(element);
      if (seconds !== null && seconds <= 3) continue;
      // A control right next to it, or one that references it, may do that under another name.
      const isWhole = (part) => !part || part.matches("html, body, main");
      const [around, above] = [element.parentElement, element.parentElement?.parentElement];
      const part = isWhole(above) ? around : above;
      const { id } = element;
      const isNear = buttons.some(
        (button) =>
          name(button) !== "" &&
          ((!isWhole(around) && part.contains(button)) ||
            (id !== "" && (button.getAttribute("aria-controls") ?? "").split(/\s+/).includes(id))),
      );
      yield { element, review: seconds === null || isNear };
    }
  },
};
