import type { Check } from "../check.ts";
import { a11yButtonName } from "./page/a11y-button-name.ts";
import { a11yContrast } from "./page/a11y-contrast.ts";
import { a11yEmptyHeading } from "./page/a11y-empty-heading.ts";
import { a11yFrameTitle } from "./page/a11y-frame-title.ts";
import { a11yHeadingSkip } from "./page/a11y-heading-skip.ts";
import { a11yLabel } from "./page/a11y-label.ts";
import { a11yLandmarkMain } from "./page/a11y-landmark-main.ts";
import { a11yList, a11yListItem } from "./page/a11y-list.ts";
import { a11yRoleImgAlt } from "./page/a11y-role-img-alt.ts";
import { assetBroken } from "./page/asset-broken.ts";
import { assetCssUrlBroken } from "./page/asset-css-url-broken.ts";
import { formInsecureAction } from "./page/form-insecure-action.ts";
import { imgAltFilename } from "./page/img-alt-filename.ts";
import { imgAltMissing } from "./page/img-alt-missing.ts";
import { imgBroken } from "./page/img-broken.ts";
import { imgDimensionsMissing } from "./page/img-dimensions-missing.ts";
import { imgLinkNoAlt } from "./page/img-link-no-alt.ts";
import { imgNotImage } from "./page/img-not-image.ts";
import { imgSrcsetBroken } from "./page/img-srcset-broken.ts";
import { imgZeroBytes } from "./page/img-zero-bytes.ts";
import { linkCaseMismatch } from "./page/link-case-mismatch.ts";
import { linkDevHost } from "./page/link-dev-host.ts";
import { linkEmptyHref } from "./page/link-empty-href.ts";
import { linkFragmentMissing } from "./page/link-fragment-missing.ts";
import { linkHttpOnHttps } from "./page/link-http-on-https.ts";
import { linkInternalBroken } from "./page/link-internal-broken.ts";
import { linkMailtoInvalid } from "./page/link-mailto-invalid.ts";
import { linkMalformed } from "./page/link-malformed.ts";
import { linkNoText } from "./page/link-no-text.ts";
import { linkSelfRedirect } from "./page/link-self-redirect.ts";
import { linkTelInvalid } from "./page/link-tel-invalid.ts";
import { metaDescriptionMissing, metaDescriptionDuplicate } from "./page/meta-description.ts";
import { metaJsonldSyntax } from "./page/meta-jsonld-syntax.ts";
import { metaLang } from "./page/meta-lang.ts";
import { metaOgImageBroken } from "./page/meta-og-image-broken.ts";
import { metaViewport } from "./page/meta-viewport.ts";
import { pageCharsetMissing } from "./page/page-charset-missing.ts";
import { pageDuplicateId } from "./page/page-duplicate-id.ts";
import { pageEmptyBody } from "./page/page-empty-body.ts";
import { pageSizeHtml } from "./page/page-size-html.ts";
import { secMixedContent } from "./page/sec-mixed-content.ts";
import {
  seoCanonicalMissing,
  seoCanonicalBroken,
  seoCanonicalMismatch,
} from "./page/seo-canonical.ts";
import { seoH1Missing, seoH1Multiple } from "./page/seo-h1.ts";
import { seoNoindexUnexpected } from "./page/seo-noindex-unexpected.ts";
import { seoTitleDuplicate } from "./page/seo-title-duplicate.ts";
import { seoTitleMissing } from "./page/seo-title-missing.ts";
import { textMojibake } from "./page/text-mojibake.ts";
import { textPlaceholder } from "./page/text-placeholder.ts";

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
