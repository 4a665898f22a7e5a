/* Runs in the page in an isolated world: what a visitor can see and click, as plain data. */
(() => {
  const most = { runs: 4000, points: 3 };
  const tidy = (text) => text.replace(/\s+/g, " ").trim();

  /** Red, green, blue, and alpha of a computed color; null if unknown. */
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 1;
  const paint = canvas.getContext("2d", { willReadFrequently: true });
  const known = new Map();
  function colorOf(text) {
    if (!known.has(text)) {
      paint.clearRect(0, 0, 1, 1);
      paint.fillStyle = "#000";
      paint.fillStyle = text;
      paint.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = paint.getImageData(0, 0, 1, 1).data;
      known.set(text, [r, g, b, a / 255]);
    }
    return known.get(text);
  }
  function over([r, g, b, a], [x, y, z]) {
    return [r * a + x * (1 - a), g * a + y * (1 - a), b * a + z * (1 - a), 1];
  }
  function light([r, g, b]) {
    const part = (v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  }
  function contrast(one, other) {
    const [a, b] = [light(one), light(other)].toSorted((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
  }
  /** The background of a text; null if there is an image behind it. */
  function backOf(element) {
    const layers = [];
    for (let at = element; at; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (style.backgroundImage !== "none") return null;
      const color = colorOf(style.backgroundColor);
      layers.push(color);
      if (color[3] === 1) break;
    }
    let back = [
      ...colorOf(
        getComputedStyle(document.documentElement).colorScheme.includes("dark") &&
          matchMedia("(prefers-color-scheme: dark)").matches
          ? "#121212"
          : "#fff",
      ),
    ];
    for (const layer of layers.toReversed()) back = over(layer, back);
    return back;
  }
  function opacityOf(element) {
    let all = 1;
    for (let at = element; at; at = at.parentElement) all *= Number(getComputedStyle(at).opacity);
    return all;
  }
  function isShown(element) {
    return element.checkVisibility({
      opacityProperty: true,
      visibilityProperty: true,
      contentVisibilityAuto: true,
    });
  }

  /**
   * What a click on a text hits: itself, an ancestor, a link covering the card, or something else.
   */
  function hitOf(element, rects) {
    let worst = "self";
    for (const rect of rects.slice(0, most.points)) {
      const middle = () => rect.top + rect.scroll - scrollY + rect.height / 2;
      // Coordinates at the window's edge are rounded to lie outside.
      if (middle() < 4 || middle() > innerHeight - 4) {
        scrollTo({ top: scrollY + middle() - innerHeight / 2, behavior: "instant" });
      }
      const y = middle();
      for (const x of [
        rect.left + Math.min(3, rect.width / 2),
        rect.left + rect.width / 2,
        rect.right - Math.min(3, rect.width / 2),
      ]) {
        if (x < 0 || x >= innerWidth) return "outside";
        const hit = document.elementFromPoint(x, y);
        if (hit === null) return "outside";
        if (hit === element || element.contains(hit)) continue;
        if (hit.contains(element)) worst = worst === "self" ? "around" : worst;
        else
          worst =
            hit.tagName === "A" && hit.closest("li,article,section")?.contains(element)
              ? "card"
              : `other:${hit.tagName.toLowerCase()}.${hit.className?.baseVal ?? hit.className}`;
      }
    }
    return worst;
  }

  function readRuns() {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    const runs = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = tidy(node.data);
      const element = node.parentElement;
      if (text === "" || !element || element.closest("script,style,noscript,template,option,title"))
        continue;
      if (runs.length >= most.runs) return null;
      range.selectNodeContents(node);
      const scroll = scrollY;
      const rects = [...range.getClientRects()]
        .filter(({ width, height }) => width >= 1 && height >= 1)
        .map(({ left, right, top, width, height }) => ({
          left,
          right,
          top,
          width,
          height,
          scroll,
        }));
      const shown = rects.length > 0 && isShown(element);
      const style = getComputedStyle(element);
      const box = range.getBoundingClientRect();
      const back = shown ? backOf(element) : null;
      const color = colorOf(style.webkitTextFillColor || style.color);
      const alpha = opacityOf(element) * color[3];
      const closed =
        element.closest("details:not([open])") !== null && element.closest("summary") === null;
      runs.push({
        text,
        shown,
        closed,
        size: Number.parseFloat(style.fontSize),
        contrast:
          back === null ? null : contrast(over([color[0], color[1], color[2], alpha], back), back),
        hit: shown ? hitOf(element, rects) : "hidden",
        x: box.left + scrollX,
        y: box.top + scroll,
        width: box.width,
        height: box.height,
        tag: element.tagName.toLowerCase(),
        main: element.closest("main") !== null,
      });
    }
    return runs;
  }

  const attributesOf = (element) =>
    [...element.attributes].map(({ name, value }) => [name, value]).toSorted();
  function readControls() {
    return [
      ...document.querySelectorAll(
        "a[href],area[href],button,input,select,textarea,form,iframe,object,embed,video,audio",
      ),
    ]
      .slice(0, most.runs)
      .map((element) => {
        const box = element.getBoundingClientRect();
        return {
          tag: element.tagName.toLowerCase(),
          // The state that scripts have left, which isn't in the markup.
          key: JSON.stringify([
            element.tagName,
            element.href ?? "",
            element.action?.toString?.() ?? "",
            element.formAction ?? "",
            element.method ?? "",
            element.name ?? "",
            element.type ?? "",
            element.value ?? "",
            element.src ?? "",
            tidy(
              element.tagName === "A" || element.tagName === "BUTTON" ? element.textContent : "",
            ).slice(0, 200),
          ]),
          shown: isShown(element) && box.width > 0 && box.height > 0,
          pressable:
            getComputedStyle(element).pointerEvents !== "none" &&
            !element.disabled &&
            element.closest("[inert]") === null,
          width: box.width,
          height: box.height,
          main: element.closest("main") !== null,
        };
      });
  }
  function readImages() {
    return [...document.querySelectorAll("main img")].slice(0, 500).map((image) => {
      const box = image.getBoundingClientRect();
      return {
        src: image.currentSrc,
        shown: isShown(image),
        loaded: image.complete && image.naturalWidth > 0,
        lazy: image.loading === "lazy",
        width: box.width,
        height: box.height,
      };
    });
  }
  function readHead() {
    return [...document.head.querySelectorAll("title,meta,link,base")]
      .map((element) => [
        element.tagName,
        attributesOf(element),
        element.tagName === "TITLE" ? tidy(element.textContent) : "",
      ])
      .map((one) => JSON.stringify(one));
  }

  globalThis.readVitrinePage = async () => {
    await document.fonts.ready;
    for (const animation of document.getAnimations()) {
      try {
        animation.finish();
      } catch {
        // An endless one.
      }
    }
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    scrollTo({ top: 0, behavior: "instant" });
    const root = document.scrollingElement ?? document.documentElement;
    const page = {
      runs: readRuns(),
      controls: readControls(),
      images: readImages(),
      head: readHead(),
      width: root.scrollWidth,
      height: root.scrollHeight,
      wide: innerWidth,
    };
    scrollTo({ top: 0, behavior: "instant" });
    return page;
  };
})();
