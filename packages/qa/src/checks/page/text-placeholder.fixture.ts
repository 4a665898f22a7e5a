import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "text.placeholder": {
    bad: [
      { main: "<p>Lorem ipsum dolor</p>" },
      { why: "a text that is a quotation as a whole", main: "<p>“Lorem ipsum dolor.” Ada</p>" },
      { main: "<p>TODO write this part</p>" },
      { main: "<p>The price: TBD</p>" },
      { why: "it may be meant", main: "<p>Example text</p>", severity: "notice" },
      {
        why: "a list whose other entries are words",
        main: "<ul><li>Oak table</li><li>null</li></ul>",
      },
      { main: "<p>Here be words. FIXME: which ones</p>" },
      { main: "<table><tr><td>XXX</td></tr></table><p>Phone: XXX</p>", count: 2 },
      { main: `<p lang="es">TODO: escribir</p>` },
      { why: "a word in capitals", main: `<p lang="es">TODO incluido</p>`, severity: "notice" },
      { why: "perhaps Spanish", main: "<a href='/about/'>VER TODO</a>", severity: "notice" },
      { why: "perhaps a number", main: "<h2>XXX olympiad</h2>", severity: "notice" },
    ],
    good: [
      {
        why: "a value in a list of values",
        main: "<ul><li>auto</li><li>null</li></ul><table><tr><td>true</td><td>null</td></tr></table>",
      },
      {
        why: "the default of an option",
        main: "<table><tr><th>Option</th><th>Default</th></tr><tr><td>i18n</td><td>null</td></tr></table>",
      },
      {
        why: "Spanish and Portuguese for “all”",
        main: `<div lang="es-MX"><a href="/about/">VER TODO</a><h2>TODO SOBRE ABEJAS</h2></div><p lang="pt">TODO</p><div lang=""><p>ACEPTAR TODO</p></div>`,
      },
      { why: "a number", main: "<h2>Chapter XXX</h2><p>Super Bowl XXX</p>" },
      { why: "the name of what it is about", main: "<h2>Placeholder</h2>" },
      { why: "speaks of a field", main: "<p>This is an example text box</p>" },
      { why: "speaks of it", main: "<p>“Lorem ipsum dolor” is what printers write first.</p>" },
      { main: "<p>My to do list: <code>TODO</code></p>" },
      { why: "speaks of it", main: "<p>Check the TODO file and close one of its items</p>" },
      {
        why: "a changelog speaks of what was replaced",
        main: "<h3>Replace “Lorem ipsum dolor” with…</h3><p>Replaced “Lorem ipsum, cut off</p>",
      },
    ],
  },
};
