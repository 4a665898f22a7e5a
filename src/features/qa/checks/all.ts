import type { Check } from "../check.ts";
import { a11yButtonName } from "./a11y-button-name.ts";
import { a11yContrast } from "./a11y-contrast.ts";
import { a11yEmptyHeading } from "./a11y-empty-heading.ts";
import { a11yFrameTitle } from "./a11y-frame-title.ts";
import { a11yHeadingSkip } from "./a11y-heading-skip.ts";
import { a11yLabel } from "./a11y-label.ts";
import { a11yLandmarkMain } from "./a11y-landmark-main.ts";
import { a11yList, a11yListItem } from "./a11y-list.ts";
import { a11yRoleImgAlt } from "./a11y-role-img-alt.ts";
import { assetBroken } from "./asset-broken.ts";
import { assetCssUrlBroken } from "./asset-css-url-broken.ts";
import { formInsecureAction } from "./form-insecure-action.ts";
import { imgAltFilename } from "./img-alt-filename.ts";
import { imgAltMissing } from "./img-alt-missing.ts";
import { imgBroken } from "./img-broken.ts";
import { imgDimensionsMissing } from "./img-dimensions-missing.ts";
import { imgLinkNoAlt } from "./img-link-no-alt.ts";
import { imgNotImage } from "./img-not-image.ts";
import { imgSrcsetBroken } from "./img-srcset-broken.ts";
import { imgZeroBytes } from "./img-zero-bytes.ts";
import { linkCaseMismatch } from "./link-case-mismatch.ts";
import { linkDevHost } from "./link-dev-host.ts";
import { linkEmptyHref } from "./link-empty-href.ts";
import { linkFragmentMissing } from "./link-fragment-missing.ts";
import { linkHttpOnHttps } from "./link-http-on-https.ts";
import { linkInternalBroken } from "./link-internal-broken.ts";
import { linkMailtoInvalid } from "./link-mailto-invalid.ts";
import { linkMalformed } from "./link-malformed.ts";
import { linkNoText } from "./link-no-text.ts";
import { linkSelfRedirect } from "./link-self-redirect.ts";
import { linkTelInvalid } from "./link-tel-invalid.ts";
import { metaDescriptionMissing, metaDescriptionDuplicate } from "./meta-description.ts";
import { metaJsonldSyntax } from "./meta-jsonld-syntax.ts";
import { metaLang } from "./meta-lang.ts";
import { metaOgImageBroken } from "./meta-og-image-broken.ts";
import { metaViewport } from "./meta-viewport.ts";
import { pageCharsetMissing } from "./page-charset-missing.ts";
import { pageDuplicateId } from "./page-duplicate-id.ts";
import { pageEmptyBody } from "./page-empty-body.ts";
import { pageSizeHtml } from "./page-size-html.ts";
import { secMixedContent } from "./sec-mixed-content.ts";
import { seoCanonicalMissing, seoCanonicalBroken, seoCanonicalMismatch } from "./seo-canonical.ts";
import { seoH1Missing, seoH1Multiple } from "./seo-h1.ts";
import { seoNoindexUnexpected } from "./seo-noindex-unexpected.ts";
import { seoTitleDuplicate } from "./seo-title-duplicate.ts";
import { seoTitleMissing } from "./seo-title-missing.ts";
import { textMojibake } from "./text-mojibake.ts";
import { textPlaceholder } from "./text-placeholder.ts";

/** Every check of a page. Another one is a file here and its name in this list. */
export const pageChecks: readonly Check[] = [
  a11yButtonName,
  a11yContrast,
  a11yEmptyHeading,
  a11yFrameTitle,
  a11yHeadingSkip,
  a11yLabel,
  a11yLandmarkMain,
  a11yList,
  a11yListItem,
  a11yRoleImgAlt,
  assetBroken,
  assetCssUrlBroken,
  formInsecureAction,
  imgAltFilename,
  imgAltMissing,
  imgBroken,
  imgDimensionsMissing,
  imgLinkNoAlt,
  imgNotImage,
  imgSrcsetBroken,
  imgZeroBytes,
  linkCaseMismatch,
  linkDevHost,
  linkEmptyHref,
  linkFragmentMissing,
  linkHttpOnHttps,
  linkInternalBroken,
  linkMailtoInvalid,
  linkMalformed,
  linkNoText,
  linkSelfRedirect,
  linkTelInvalid,
  metaDescriptionMissing,
  metaDescriptionDuplicate,
  metaJsonldSyntax,
  metaLang,
  metaOgImageBroken,
  metaViewport,
  pageCharsetMissing,
  pageDuplicateId,
  pageEmptyBody,
  pageSizeHtml,
  secMixedContent,
  seoCanonicalMissing,
  seoCanonicalBroken,
  seoCanonicalMismatch,
  seoH1Missing,
  seoH1Multiple,
  seoNoindexUnexpected,
  seoTitleDuplicate,
  seoTitleMissing,
  textMojibake,
  textPlaceholder,
];
