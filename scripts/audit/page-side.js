/*
 * The audit's functions inside a page. Evaluated in the page, they become `vitrineAudit`.
 */
(() => {
  const isDrawn = (element) => {
    const style = getComputedStyle(element);
    return style.visibility === "visible" && element.getClientRects().length > 0;
  };

  /** For screen readers only: clipped to nothing. */
  const isForEars = (element, rect) =>
    rect.width <= 1.5 ||
    rect.height <= 1.5 ||
    /inset\(50%\)|rect\(0/.test(
      getComputedStyle(element).clipPath + getComputedStyle(element).clip,
    );

  const nameOf = (element) => {
    const name = (one) => {
      const classes = [...one.classList].slice(0, 2).map((word) => `.${CSS.escape(word)}`);
      return one.localName + (one.id ? `#${CSS.escape(one.id)}` : classes.join(""));
    };
    const parent = element.parentElement;
    return parent && parent !== document.body
      ? `${name(parent)} > ${name(element)}`
      : name(element);
  };

  /** The nearest ancestor that scrolls or clips its overflow. */
  const holderOf = (element) => {
    for (let one = element.parentElement; one && one !== document.body; one = one.parentElement) {
      if (getComputedStyle(one).overflowX !== "visible") return one;
    }
    return null;
  };

  /** Whether something overflows a box unintentionally, unlike a negative margin. */
  const holdsTooMuch = (element) => {
    const edge = element.getBoundingClientRect().right + 1;
    const range = document.createRange();
    return [...element.childNodes].some((node) => {
      if (node.nodeType === Node.TEXT_NODE) {
        range.selectNodeContents(node);
        return [...range.getClientRects()].some(({ right }) => right > edge);
      }
      if (node.nodeType !== Node.ELEMENT_NODE || !isDrawn(node)) return false;
      const rect = node.getBoundingClientRect();
      const isMeant = Number.parseFloat(getComputedStyle(node).marginRight) < 0;
      return rect.right > edge && !isMeant && !isForEars(node, rect);
    });
  };

  const faultOf = (element, width) => {
    const rect = element.getBoundingClientRect();
    if (isForEars(element, rect) || rect.right <= 0) return null;
    const holder = holderOf(element);
    if (holder && isForEars(holder, holder.getBoundingClientRect())) return null;
    if (holder) {
      const scrolls = /auto|scroll/.test(getComputedStyle(holder).overflowX);
      return scrolls || holder.scrollWidth <= holder.clientWidth + 1 ? null : "is cut";
    }
    if (rect.right > width + 1 || rect.left < -1) return "sticks out of the window";
    const style = getComputedStyle(element);
    const isBox = style.display !== "inline" && element.clientWidth > 0;
    if (!isBox || style.overflowX !== "visible") return null;
    const isFull = element.scrollWidth > element.clientWidth + 1;
    return isFull && holdsTooMuch(element) ? "is narrower than what it holds" : null;
  };

  globalThis.vitrineAudit = {
    /** Everything that doesn't fit into this width, with what is wrong. */
    overflow() {
      const { clientWidth, scrollWidth } = document.documentElement;
      const found =
        scrollWidth > clientWidth ? [`the page scrolls sideways to ${scrollWidth} px`] : [];
      for (const element of document.body.querySelectorAll("*")) {
        const fault = isDrawn(element) ? faultOf(element, clientWidth) : null;
        if (fault) found.push(`${nameOf(element)} ${fault}`);
      }
      return [...new Set(found)].slice(0, 12);
    },
    /** The inline scripts of the document that the browser would run. */
    inlineScripts() {
      const runs = (script) =>
        !script.src &&
        (script.type === "" || script.type === "module" || /javascript/.test(script.type));
      return [...document.scripts].filter(runs).map((script) => script.textContent);
    },
  };
})();
