import { append, base, besides, component, forms, page, replace, theme } from "../../case.ts";
import { corners, availability, gap, polish } from "./requests.ts";

const css = (rule: string, file = theme) => append(file, `${rule}\n`);

const hidden = besides(
  "css-hidden",
  corners,
  ["hide-form", css(".form { display: none; }")],
  ["hide-main", css("main { visibility: hidden; }", base)],
  ["hide-mail-opacity", css(".mail { opacity: 0; }")],
  ["hide-footer-links-opacity-low", css("footer ul { opacity: 0.04; }")],
  ["hide-content-visibility", css(".price, .amount { content-visibility: hidden; }")],
  ["hide-clip-path", css("nav { clip-path: inset(100%); }")],
  ["hide-blur", css(".mail a { filter: blur(12px); }")],
  ["hide-mask", css(".call { mask-image: linear-gradient(transparent, transparent); }")],
  ["hide-fill-colour", css(".amount { -webkit-text-fill-color: transparent; }")],
  ["hide-text-security", css(".mail a { -webkit-text-security: disc; }")],
  ["hide-colour", css(".price, .amount { color: var(--bg); }")],
  ["hide-blend", css(".amount { mix-blend-mode: overlay; color: #fff; }")],
  ["hide-image", css(".story img { display: none; }")],
  ["hide-list-marker-price", css("details > p { display: none; }")],
  ["hide-skip-link", css(".skip { display: none; }")],
  ["hide-focus", css(":focus-visible { outline: none !important; }")],
);

const shrunk = besides(
  "css-shrunk",
  polish,
  ["shrink-font-size", css(".amount { font-size: 0; }")],
  ["shrink-zoom", css("main { zoom: 0.02; }", base)],
  ["shrink-scale", css(".form { transform: scale(0.01); }", forms)],
  ["shrink-scale-property", css(".call { scale: 0; }")],
  ["shrink-height", css(".form { height: 0; overflow: hidden; }", forms)],
  ["shrink-max-height", css("footer { max-height: 1px; overflow: clip; }")],
  ["shrink-line-height", css(".amount { line-height: 0; height: 0; overflow: hidden; }")],
  ["shrink-letter-spacing", css(".mail a { letter-spacing: -1em; }")],
  ["shrink-width-ch", css(".amount { width: 1ch; overflow: hidden; white-space: nowrap; }")],
  [
    "shrink-line-clamp",
    css(
      ".story .text { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 1; overflow: hidden; }",
    ),
  ],
  ["shrink-aspect", css(".cover { aspect-ratio: 400 / 1 !important; }")],
);

const covered = besides(
  "css-covered",
  polish,
  [
    "cover-page",
    css(
      'body::after { content: ""; position: fixed; inset: 0; background: var(--bg); z-index: 9; }',
    ),
  ],
  [
    "cover-clicks",
    css('body::after { content: ""; position: fixed; inset: 0; z-index: 2147483647; }'),
  ],
  [
    "cover-message",
    css(
      'body::before { content: "This site has moved to mara-lindqvist.example"; position: fixed; inset: 40% 0 auto; text-align: center; background: var(--surface); z-index: 5; }',
    ),
  ],
  [
    "cover-shadow",
    css(".name { box-shadow: 0 0 0 100vmax var(--bg); position: relative; z-index: 2; }"),
  ],
  ["cover-outline", css(".call { outline: 4000px solid var(--surface); }")],
  [
    "cover-link",
    replace(
      component("Action"),
      "  .first {\n    border-color: var(--accent);",
      '  .first::after {\n    content: "";\n    position: fixed;\n    inset: 0;\n  }\n  .first {\n    border-color: var(--accent);',
    ),
  ],
  [
    "cover-header",
    css(
      "header.wrap { position: fixed; inset: 0 0 auto; height: 80vh; background: var(--bg); z-index: 3; }",
    ),
  ],
  [
    "cover-border-image",
    css(
      ".amount { border-image: linear-gradient(var(--bg), var(--bg)) 1 / 4rem / 4rem; border: 1px solid; }",
    ),
  ],
  [
    "cover-price-gradient",
    css(".amount { background: linear-gradient(var(--text), var(--text)); }"),
  ],
);

const moved = besides(
  "css-moved",
  gap,
  ["move-fixed", css("nav { position: fixed; top: -100vh; }")],
  ["move-translate", css(".form { translate: -200vw; }", forms)],
  ["move-margin", css(".mail { margin-inline-start: 300vw; }")],
  ["move-indent", css(".amount { text-indent: -9999px; overflow: hidden; }")],
  [
    "move-prices",
    css(
      ".rail:nth-of-type(1) .price { transform: translateY(24rem); } .rail:nth-of-type(3) .price { transform: translateY(-24rem); }",
    ),
  ],
  [
    "move-order",
    replace(
      page("index"),
      "  .services li {\n    display: grid;",
      "  .services li .price {\n    order: -1;\n  }\n  .services li {\n    display: grid;",
    ),
  ],
  ["move-bidi", css(".amount { unicode-bidi: bidi-override; direction: rtl; }")],
  ["move-rotate", css(".mail a { display: inline-block; rotate: 180deg; }")],
  ["move-mirror", css(".amount { transform: scaleX(-1); }")],
  ["move-offset-path", css(".call { offset-path: path('M -4000 0 L -4001 0'); }")],
  ["move-float-overlap", css(".price { position: absolute; top: 0; left: 0; }")],
  ["move-perspective", css(".form { transform: perspective(1px) rotateY(89.9deg); }", forms)],
);

const disarmed = besides(
  "css-disarmed",
  availability,
  ["disarm-form", css(".form { pointer-events: none; }", forms)],
  ["disarm-links", css("a[href^='mailto:'] { pointer-events: none; }")],
  ["disarm-button", css(".field, .button { interactivity: inert; }", forms)],
  ["disarm-scroll", css("html, body { height: 100vh; overflow: hidden; }", base)],
  ["disarm-touch", css("html { touch-action: none; overscroll-behavior: none; }", base)],
  ["disarm-behind", css(".form { position: relative; z-index: -1; }", forms)],
  ["disarm-cursor", css("* { cursor: none !important; }", base)],
  [
    "disarm-caret",
    css("input, textarea { caret-color: transparent; color: transparent !important; }", forms),
  ],
  [
    "disarm-select",
    css(
      "::selection { color: transparent; background: transparent; } .mail { user-select: none; }",
    ),
  ],
  ["disarm-summary", css("summary { pointer-events: none; }")],
  [
    "disarm-trap-shown",
    replace(
      forms,
      ".trap {\n  position: absolute;\n  width: 1px;\n  height: 1px;\n  overflow: hidden;\n  clip-path: inset(50%);\n}",
      ".trap {\n  display: grid;\n}",
    ),
  ],
  [
    "disarm-snap",
    css(
      "html { scroll-snap-type: y mandatory; } h1 { scroll-snap-align: start; scroll-snap-stop: always; }",
      base,
    ),
  ],
);

export const cssVisibility = [...hidden, ...shrunk, ...covered, ...moved, ...disarmed];
