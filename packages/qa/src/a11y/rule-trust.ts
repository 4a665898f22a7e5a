/**
 * Which of the engines' rules are used, how accesslint's map to axe's, and how far each is trusted.
 * Measured with bench/act.
 */

/** Disabled axe rules: ours or other checks cover them, or nobody needs them. */
export const disabledAxeRules: readonly string[] = [
  // What a text means isn't for a program to decide: ours ask.
  "frame-title-unique",
  "identical-links-same-purpose",
  "label-content-name-mismatch",
  // Ours reads how long the file is audible.
  "no-autoplay-audio",
  // Ours compares what both orientations make of an element.
  "css-orientation-lock",
  // Ours parses the time as browsers do.
  "meta-refresh",
  "meta-refresh-no-exceptions",
  // Ours measures the lines, which a single one can't be too close to.
  "avoid-inline-spacing",
  // Deprecated or experimental.
  "audio-caption",
  "aria-roledescription",
  "duplicate-id",
  "duplicate-id-active",
  "focus-order-semantics",
  "frame-tested",
  "hidden-content",
  "landmark-complementary-is-top-level",
  "p-as-heading",
  "table-fake-caption",
  "td-has-header",
  // The browser checks measure sizes.
  "target-size",
];

/** Axe rules for whole pages, which don't apply to frames. */
export const pageRules: readonly string[] = [
  "bypass",
  "document-title",
  "heading-order",
  "html-has-lang",
  "landmark-banner-is-top-level",
  "landmark-contentinfo-is-top-level",
  "landmark-main-is-top-level",
  "landmark-no-duplicate-banner",
  "landmark-no-duplicate-contentinfo",
  "landmark-no-duplicate-main",
  "landmark-one-main",
  "landmark-unique",
  "page-has-heading-one",
  "region",
  "skip-link",
];

/** Rules that axe disables by default and that are used. */
export const enabledAxeRules: readonly string[] = [];

/** Disabled accesslint rules. */
export const disabledAccesslintRules: readonly string[] = [
  // What a text means isn't for a program to decide: ours ask.
  "labels-and-names/frame-title-unique",
  "labels-and-names/label-content-mismatch",
  // As with axe's.
  "adaptable/orientation-lock",
  "enough-time/meta-refresh",
  "enough-time/meta-refresh-no-exception",
  "distinguishable/letter-spacing",
  "distinguishable/line-height",
  "distinguishable/word-spacing",
  // Matters of taste, or too often wrong.
  "text-alternatives/image-alt-words",
  "navigable/p-as-heading",
  "keyboard-accessible/focus-order",
  "keyboard-accessible/focus-visible",
  "adaptable/td-has-header",
];

/** Rules with other names in accesslint. */
export const axeNameOf: Readonly<Record<string, string>> = {
  "text-alternatives/img-alt": "image-alt",
  "text-alternatives/svg-img-alt": "svg-img-alt",
  "text-alternatives/input-image-alt": "input-image-alt",
  "text-alternatives/image-redundant-alt": "image-redundant-alt",
  "text-alternatives/area-alt": "area-alt",
  "text-alternatives/object-alt": "object-alt",
  "text-alternatives/role-img-alt": "role-img-alt",
  "time-based-media/video-captions": "video-caption",
  "adaptable/autocomplete-valid": "autocomplete-valid",
  "adaptable/list-children": "list",
  "adaptable/listitem-parent": "listitem",
  "adaptable/dl-children": "dlitem",
  "adaptable/definition-list": "definition-list",
  "adaptable/orientation-lock": "css-orientation-lock",
  "adaptable/aria-required-children": "aria-required-children",
  "adaptable/aria-required-parent": "aria-required-parent",
  "adaptable/td-headers-attr": "td-headers-attr",
  "adaptable/th-has-data-cells": "th-has-data-cells",
  "adaptable/scope-attr-valid": "scope-attr-valid",
  "adaptable/empty-table-header": "empty-table-header",
  "distinguishable/meta-viewport": "meta-viewport",
  "distinguishable/letter-spacing": "letter-spacing",
  "distinguishable/line-height": "line-height",
  "distinguishable/word-spacing": "word-spacing",
  "distinguishable/link-in-text-block": "link-in-text-block",
  "distinguishable/color-contrast": "color-contrast",
  "distinguishable/color-contrast-enhanced": "color-contrast-enhanced",
  "keyboard-accessible/server-image-map": "server-side-image-map",
  "keyboard-accessible/tabindex": "tabindex",
  "keyboard-accessible/nested-interactive": "nested-interactive",
  "keyboard-accessible/scrollable-region": "scrollable-region-focusable",
  "keyboard-accessible/accesskeys": "accesskeys",
  "keyboard-accessible/focus-visible": "focus-visible",
  "enough-time/meta-refresh": "meta-refresh",
  "enough-time/meta-refresh-no-exception": "meta-refresh-no-exceptions",
  "enough-time/blink": "blink",
  "enough-time/marquee": "marquee",
  "navigable/document-title": "document-title",
  "navigable/bypass": "bypass",
  "navigable/page-has-heading-one": "page-has-heading-one",
  "navigable/heading-order": "heading-order",
  "navigable/empty-heading": "empty-heading",
  "navigable/link-name": "link-name",
  "navigable/skip-link": "skip-link",
  "landmarks/landmark-main": "landmark-one-main",
  "landmarks/no-duplicate-banner": "landmark-no-duplicate-banner",
  "landmarks/no-duplicate-contentinfo": "landmark-no-duplicate-contentinfo",
  "landmarks/no-duplicate-main": "landmark-no-duplicate-main",
  "landmarks/banner-is-top-level": "landmark-banner-is-top-level",
  "landmarks/contentinfo-is-top-level": "landmark-contentinfo-is-top-level",
  "landmarks/main-is-top-level": "landmark-main-is-top-level",
  "landmarks/landmark-unique": "landmark-unique",
  "landmarks/region": "region",
  "readable/html-has-lang": "html-has-lang",
  "readable/html-lang-valid": "html-lang-valid",
  "readable/valid-lang": "valid-lang",
  "readable/html-xml-lang-mismatch": "html-xml-lang-mismatch",
  "labels-and-names/frame-title": "frame-title",
  "labels-and-names/frame-title-unique": "frame-title-unique",
  "labels-and-names/frame-focusable-content": "frame-focusable-content",
  "labels-and-names/form-label": "label",
  "labels-and-names/multiple-labels": "form-field-multiple-labels",
  "labels-and-names/input-button-name": "input-button-name",
  "labels-and-names/label-content-mismatch": "label-content-name-mismatch",
  "labels-and-names/label-title-only": "label-title-only",
  "labels-and-names/aria-command-name": "aria-command-name",
  "labels-and-names/aria-input-field-name": "aria-input-field-name",
  "labels-and-names/aria-toggle-field-name": "aria-toggle-field-name",
  "labels-and-names/aria-meter-name": "aria-meter-name",
  "labels-and-names/aria-progressbar-name": "aria-progressbar-name",
  "labels-and-names/aria-dialog-name": "aria-dialog-name",
  "labels-and-names/aria-tooltip-name": "aria-tooltip-name",
  "labels-and-names/aria-treeitem-name": "aria-treeitem-name",
  "labels-and-names/button-name": "button-name",
  "labels-and-names/summary-name": "summary-name",
  "labels-and-names/duplicate-id-aria": "duplicate-id-aria",
  "aria/aria-roles": "aria-roles",
  "aria/aria-valid-attr": "aria-valid-attr",
  "aria/aria-valid-attr-value": "aria-valid-attr-value",
  "aria/aria-required-attr": "aria-required-attr",
  "aria/aria-allowed-attr": "aria-allowed-attr",
  "aria/aria-allowed-role": "aria-allowed-role",
  "aria/aria-hidden-body": "aria-hidden-body",
  "aria/aria-hidden-focus": "aria-hidden-focus",
  "aria/aria-prohibited-attr": "aria-prohibited-attr",
  "aria/presentation-role-conflict": "presentation-role-conflict",
  "aria/presentational-children-focusable": "nested-interactive",
};

/**
 * The ACT rules of a rule, if the engines' own mapping is too broad or missing. A rule with several
 * kinds of elements says in `rules/names.ts` which one failed.
 */
export const actRules: Readonly<Record<string, readonly string[]>> = {
  // A deprecated role is a role.
  "aria-deprecated-role": [],
  "aria-prohibited-attr": ["kb1m8s"],
  "aria-required-children": ["bc4a75"],
  "aria-required-parent": ["ff89c9"],
  bypass: ["cf77f2"],
  "color-contrast": ["afw4f7"],
  "color-contrast-enhanced": ["09o5cg"],
  "link-name": ["c487ae"],
  "meta-refresh": ["bc659a"],
  "meta-refresh-no-exceptions": ["bisz58"],
  "nested-interactive": ["307n5z"],
  "presentation-role-conflict": ["46ca7f"],
  "summary-name": ["2t702h"],
  "video-caption": ["eac66b"],
};

/**
 * ACT rules whose failures are certain even if accesslint alone reports them: axe only asks, or
 * checks less. Elsewhere, axe and our rules have looked at the element as well and found nothing, so
 * only a person can tell who is right.
 */
export const certainAlone: ReadonlySet<string> = new Set([
  "html-xml-lang-mismatch",
  "th-has-data-cells",
]);

/** What accesslint can't see of what it reports alone, for the person who decides. */
export const unseenByAccesslint: Readonly<Record<string, string>> = {
  "accesslint/audio-transcript": "Text on the page may be the transcript.",
  "aria-required-parent": "A generic element in between is allowed.",
  bypass: "The page may have no repeated content to skip.",
  "color-contrast": "It doesn't see what is behind the text.",
  "color-contrast-enhanced": "It doesn't see what is behind the text.",
  "video-caption": "The video may be silent, or its captions part of the image.",
};

/**
 * The rules about an element without a name: each is for other kinds of elements, and engines count
 * an element among different kinds.
 */
export const nameRules: ReadonlySet<string> = new Set([
  "area-alt",
  "aria-command-name",
  "aria-input-field-name",
  "aria-toggle-field-name",
  "button-name",
  "image-alt",
  "input-button-name",
  "input-image-alt",
  "label",
  "link-name",
  "role-img-alt",
  "select-name",
  "summary-name",
  "svg-img-alt",
]);

/** Rules that need layout. */
export const byLayout: readonly string[] = [
  "color-contrast",
  "link-in-text-block",
  "scrollable-region-focusable",
  "distinguishable/color-contrast",
  "distinguishable/link-in-text-block",
  "keyboard-accessible/scrollable-region",
  "keyboard-accessible/focus-visible",
];

/** Options of axe's contrast check with the values of 1.4.6. */
export const enhancedContrast = {
  "color-contrast": {
    options: {
      ignoreUnicode: true,
      ignoreLength: false,
      ignorePseudo: false,
      boldValue: 700,
      boldTextPt: 14,
      largeTextPt: 18,
      contrastRatio: { normal: { expected: 7 }, large: { expected: 4.5 } },
      pseudoSizeThreshold: 0.25,
      shadowOutlineEmMax: 0.2,
      textStrokeEmMin: 0.03,
    },
  },
} as const;
