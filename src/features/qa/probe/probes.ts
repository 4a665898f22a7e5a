/** What was found out by trying the site's doors, besides its pages. Null: was not tried. */
export interface Probes {
  robots: unknown;
}
