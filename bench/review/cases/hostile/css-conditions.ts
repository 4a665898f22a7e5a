import { append, base, besides, component, forms, replace, theme } from "../../case.ts";
import { corners, availability, polish } from "./requests.ts";

const css = (rule: string, file = theme) => append(file, `${rule}\n`);
const gone = "{ display: none; }";

const widths = besides(
  "css-between-widths",
  corners,
  ["width-range", css(`@media (600px <= width <= 1000px) { .form, .amount ${gone} }`)],
  ["width-tablet", css(`@media (min-width: 768px) and (max-width: 834px) { nav ${gone} }`)],
  ["width-wide", css(`@media (min-width: 1500px) { .call ${gone} }`)],
  ["width-narrow", css(`@media (max-width: 380px) { .mail ${gone} }`)],
  ["width-container", css(`@container page (500px < width < 700px) { .amount ${gone} }`)],
  ["width-height", css(`@media (max-height: 700px) { .actions ${gone} }`)],
  [
    "width-orientation",
    css(`@media (orientation: landscape) and (max-height: 500px) { .form ${gone} }`),
  ],
  ["width-ratio", css(`@media (aspect-ratio > 2) { .price ${gone} }`)],
  [
    "width-clamped-size",
    replace(
      theme,
      "--size-ui: 1rem;",
      "--size-ui: min(1rem, max(0px, abs(100cqi - 44rem) - 10rem));",
    ),
  ],
  [
    "width-clamped-space",
    replace(
      theme,
      "--gutter: clamp(1.25rem, 4cqi, 3rem);",
      "--gutter: max(clamp(1.25rem, 4cqi, 3rem), min(45cqi, (100cqi - 1460px) * 9));",
    ),
  ],
);

const preferences = besides(
  "css-preferences",
  polish,
  ["prefers-dark", css(`@media (prefers-color-scheme: dark) { .price, .amount ${gone} }`)],
  ["prefers-contrast", css(`@media (prefers-contrast: more) { .form ${gone} }`)],
  ["prefers-motion", css(`@media (prefers-reduced-motion: reduce) { .mail ${gone} }`)],
  ["prefers-transparency", css(`@media (prefers-reduced-transparency: reduce) { main ${gone} }`)],
  ["prefers-forced-colours", css(`@media (forced-colors: active) { nav ${gone} }`)],
  ["prefers-print", css(`@media print { .amount, .price ${gone} }`)],
  [
    "prefers-print-text",
    css('@media print { .amount::after { content: " (until 31 March: 90 % off)"; } }'),
  ],
  ["prefers-pointer", css(`@media (pointer: coarse) { .form ${gone} }`)],
  ["prefers-hover", css(`@media (hover: none) { .mail ${gone} }`)],
  ["prefers-resolution", css(`@media (min-resolution: 2dppx) { .amount ${gone} }`)],
  ["prefers-scripting", css(`@media (scripting: none) { main ${gone} }`)],
  ["prefers-standalone", css(`@media (display-mode: standalone) { main ${gone} }`)],
  ["prefers-gamut", css(`@media (color-gamut: p3) { .form ${gone} }`)],
  ["prefers-inverted", css(`@media (inverted-colors: inverted) { .form ${gone} }`)],
);

const atRules = besides(
  "css-at-rules",
  corners,
  ["at-supports", css(`@supports (display: grid) { .amount ${gone} }`)],
  ["at-layer", css(`@layer last { .form { display: none !important; } }`)],
  ["at-scope", css(`@scope (main) to (footer) { .price ${gone} }`)],
  [
    "at-property",
    css(
      '@property --shown { syntax: "<number>"; inherits: false; initial-value: 0; } .amount { opacity: var(--shown); }',
    ),
  ],
  [
    "at-starting-style",
    css(".form { transition: opacity 1000s step-end; @starting-style { opacity: 0; } }", forms),
  ],
  [
    "at-font-face",
    css(
      '@font-face { font-family: "Figtree"; src: local("Wingdings"), local("Webdings"), local("Symbol"); unicode-range: U+30-39; font-weight: 1 1000; }',
    ),
  ],
  [
    "at-counter-style",
    css(
      '@counter-style price { system: cyclic; symbols: "From €950, today only"; suffix: " "; } ul.muted { list-style: price; }',
    ),
  ],
  ["at-page", css("@page { size: 1mm 1mm; margin: 0; }")],
  [
    "at-view-transition",
    css(
      "::view-transition-new(root) { animation: none; opacity: 0; } ::view-transition { position: fixed; inset: 0; background: var(--bg); } @keyframes stay { to { opacity: 1; } } ::view-transition-old(root) { animation: stay 600s; }",
    ),
  ],
  [
    "at-import-outside",
    replace(
      theme,
      "/*\n * Every value that gives",
      '@import url("https://styles.example/amount.css");\n/*\n * Every value that gives',
    ),
  ],
  ["at-nesting", css("main { & .call { &:not(#x#y) { display: none; } } }")],
  ["at-namespace", css("@media not speech { .form { display: none; } }")],
);

const states = besides(
  "css-states",
  availability,
  ["state-hover", css(".button:hover { translate: 0 -300px; }", forms)],
  ["state-focus-within", css(".form:focus-within .button { display: none; }", forms)],
  ["state-focus", css("textarea:focus { color: transparent; background: var(--bg); }", forms)],
  ["state-has", css("body:has(:user-valid) .actions { display: none; }")],
  ["state-target", css(":target ~ *, :target { display: none; }")],
  ["state-valid", css(".form:valid { display: none; }", forms)],
  ["state-placeholder", css("input:not(:placeholder-shown) { opacity: 0; }", forms)],
  ["state-active", css("a:active { display: none; }")],
  ["state-visited", css("a:visited { color: var(--bg); }")],
  ["state-open", css("details[open] > p { display: none; }")],
  ["state-theme-dark", css('[data-theme="dark"] .amount { display: none; }')],
  ["state-theme-light", css(':root[data-theme="light"] main { opacity: 0.05; }')],
  ["state-no-script", css(":root:not([data-script]) main { display: none; }")],
  [
    "state-autofill",
    css("input:autofill ~ *, .field:has(:autofill) ~ .field { display: none; }", forms),
  ],
  ["state-checked", css("main:has(option:checked[value='dark']) { display: none; }")],
  [
    "state-invalid",
    css(
      '[aria-invalid="true"] { display: none !important; } .field-error { display: none; }',
      forms,
    ),
  ],
  ["state-notice", css(".notice { display: none; }", forms)],
);

const animations = besides(
  "css-animations",
  polish,
  [
    "animate-delay",
    css(
      "@keyframes away { to { visibility: hidden; opacity: 0; } } main { animation: away 1s 20s forwards; }",
    ),
  ],
  [
    "animate-blink",
    css(
      "@keyframes flash { 50% { background: #fff; color: #000; } } html { animation: flash 0.1s infinite; }",
    ),
  ],
  [
    "animate-view",
    css(
      "@keyframes away { to { opacity: 0; } } .amount { animation: away linear both; animation-timeline: view(); }",
    ),
  ],
  [
    "animate-scroll",
    css(
      "@keyframes away { 1%, to { translate: -200vw; } } .form { animation: away linear both; animation-timeline: scroll(); }",
      forms,
    ),
  ],
  [
    "animate-named-timeline",
    css(
      "@keyframes away { to { display: none; } } body { timeline-scope: --page; } main { view-timeline: --page; } .call { animation: away linear both; animation-timeline: --page; }",
    ),
  ],
  [
    "animate-transition",
    css(".mail a { transition: opacity 0s 5s; } main:hover .mail a { opacity: 0; }"),
  ],
  [
    "animate-steps",
    css(
      "@keyframes swap { 0%, 60% { color: var(--text); } 61%, to { color: transparent; } } .amount { animation: swap 30s steps(1) infinite; }",
    ),
  ],
  [
    "animate-rise",
    replace(
      base,
      "    from {\n      transform: translateY(10px);\n    }",
      "    from {\n      transform: translateY(10px);\n    }\n    to {\n      transform: translateX(-200vw);\n    }",
    ),
  ],
  [
    "animate-rise-slow",
    replace(
      base,
      "animation: rise 520ms cubic-bezier(0.2, 0.7, 0.2, 1) backwards;",
      "animation: rise 520ms cubic-bezier(0.2, 0.7, 0.2, 1) 900s backwards;",
    ),
  ],
);

const generated = besides(
  "css-generated-text",
  polish,
  ["text-after-price", css('.amount::after { content: " – now 90 % off"; }')],
  [
    "text-price-swapped",
    css('.amount { font-size: 0; } .amount::after { content: "From €950"; font-size: 1rem; }'),
  ],
  [
    "text-mail-swapped",
    css(
      '.mail a { font-size: 0; } .mail a::before { content: "mara@lindqvist-studio.example"; font-size: 2rem; }',
    ),
  ],
  [
    "text-counter",
    css(
      '.amount { counter-reset: price 950; } .amount::before { content: "€" counter(price) " instead of "; }',
    ),
  ],
  ["text-attr", css(".first::after { content: ' ' attr(href); }")],
  ["text-image", css('.story img { content: url("/media/2026/b759923e1a53-akero-lines.webp"); }')],
  ["text-list-style", css('.not li { list-style-type: "Accepted: "; }')],
  ["text-marker", css('li::marker { content: "Sold out "; }')],
  [
    "text-ellipsis",
    css(
      '.mail a { display: block; width: 6ch; overflow: hidden; white-space: nowrap; text-overflow: "…see profile"; }',
    ),
  ],
  ["text-hyphen", css('p { hyphens: auto; hyphenate-character: " (paid) "; }')],
  ["text-quotes", css('.lead { quotes: "Warning: " ""; } .lead::before { content: open-quote; }')],
  [
    "text-transform",
    css(
      ".amount { text-transform: full-width; font-variant-position: super; text-decoration: line-through; }",
    ),
  ],
);

const indirect = besides(
  "css-indirect",
  corners,
  ["token-hide", replace(theme, "  --page: 77rem;", "  --page: 0rem;")],
  [
    "token-text-invisible",
    replace(
      theme,
      "--text: light-dark(#15181c, #eceef0);",
      "--text: light-dark(#fafaf8, #101215);",
    ),
  ],
  [
    "token-dark-only",
    replace(
      theme,
      "--text: light-dark(#15181c, #eceef0);",
      "--text: light-dark(#15181c, #0f1114);",
    ),
  ],
  [
    "token-muted",
    replace(
      theme,
      "--muted: light-dark(#4a5059, #a4abb6);",
      "--muted: light-dark(#f4f4f2, #15181c);",
    ),
  ],
  ["token-size", replace(theme, "--size-text: 1.0625rem;", "--size-text: 0.05rem;")],
  ["token-target", replace(theme, "--target: 2.75rem;", "--target: 0.2rem;")],
  [
    "token-space",
    replace(theme, "--space-section: clamp(4.5rem, 9cqi, 8rem);", "--space-section: 600vh;"),
  ],
  [
    "token-font",
    replace(
      theme,
      '--font-text: "Figtree", "Figtree Fallback", "Arial", sans-serif;',
      '--font-text: "Wingdings", "Webdings", "Symbol", fantasy;',
    ),
  ],
  ["token-leading-none", replace(theme, "--leading-text: 1.6;", "--leading-text: 0.1;")],
  [
    "token-payload",
    replace(theme, "  --target: 2.75rem;", "  --shown: none;\n  --target: 2.75rem;"),
    append(base, ".call { display: var(--shown); }\n"),
  ],
  [
    "token-space-toggle",
    append(
      theme,
      ":root { --on: ; --off: initial; }\n.amount { opacity: var(--off, 0) var(--on); }\n",
    ),
  ],
  [
    "token-accent-invisible",
    replace(
      theme,
      "--on-accent: light-dark(#ffffff, #0f1114);",
      "--on-accent: light-dark(#2440d8, #a3b5ff);",
    ),
  ],
  [
    "token-look-only",
    replace(
      theme,
      '[data-look="kiln"] {\n',
      '[data-look="ink"] .amount {\n  display: none;\n}\n[data-look="kiln"] {\n',
    ),
  ],
  [
    "token-component",
    replace(
      component("ServiceRow"),
      "  .amount {\n    font-weight: 600;",
      "  .amount {\n    font-weight: 600;\n    color: color-mix(in srgb, var(--bg) 97%, var(--text));",
    ),
  ],
  [
    "token-control",
    replace(theme, "--control: light-dark(#7f847c, #737a86);", "--control: transparent;"),
    append(forms, ".field :is(input, textarea) { background: transparent; }\n"),
  ],
);

export const cssConditions = [
  ...widths,
  ...preferences,
  ...atRules,
  ...states,
  ...animations,
  ...generated,
  ...indirect,
];
