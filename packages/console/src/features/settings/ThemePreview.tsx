import type { ReactElement } from "react";

import type { ThemeView } from "../../../../server/src/features/settings/theme/schema.ts";

type Drawn = ThemeView["themes"][number];

/** A separately selected accent color. */
type Accent = Pick<ThemeView["accents"][number], "light" | "dark"> | undefined;

function Half(props: { drawn: Drawn; accent: Accent; theme: "light" | "dark" }): ReactElement {
  const { drawn, accent, theme } = props;
  const colors = drawn[theme];
  return (
    <span
      className="specimen-half"
      style={{ background: colors["bg"], color: colors["text"], fontFamily: drawn.fontText }}
    >
      <span style={{ color: colors["muted"] }}>Archive · 2025</span>
      <span
        className="specimen-name"
        style={{
          fontFamily: drawn.fontDisplay,
          fontWeight: drawn.weight,
          letterSpacing: drawn.tracking,
          lineHeight: drawn.leading,
        }}
      >
        Four thousand letters
      </span>
      <span
        className="specimen-line"
        style={{ borderColor: colors["line"], color: colors["muted"] }}
      >
        Kept by three people
      </span>
      <span
        className="specimen-action"
        style={{
          background: accent?.[theme] ?? colors["accent"],
          color: colors["on-accent"],
          borderRadius: drawn.radiusButton,
        }}
      >
        See the work
      </span>
    </span>
  );
}

/** A sample of a page with a theme's values from the site's own theme.css, light and dark. */
export function ThemePreview(props: { drawn: Drawn; accent?: Accent }): ReactElement {
  const { drawn, accent } = props;
  return (
    <span className="specimen" aria-hidden="true">
      <Half drawn={drawn} accent={accent} theme="light" />
      <Half drawn={drawn} accent={accent} theme="dark" />
    </span>
  );
}
