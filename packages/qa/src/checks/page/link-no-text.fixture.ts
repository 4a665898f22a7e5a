import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "link.no-text": {
    bad: [
      { main: `<a href="/about/"><svg></svg></a>`, severity: "warning" },
      {
        why: "a letter of an icon font",
        head: `<style>.about::before { content: "\\e001" }</style>`,
        main: `<a class="about" href="/about/"></a>`,
        severity: "warning",
      },
      {
        why: "its style sheet takes the text from somewhere else",
        head: `<style>.about::before { content: attr(data-text) }</style>`,
        main: `<a class="about" href="/about/"></a>`,
        severity: "notice",
      },
      {
        why: "an element of its own kind may have words",
        main: `<a href="/about/"><my-icon name="me"></my-icon></a>`,
        severity: "notice",
      },
    ],
    good: [
      {
        why: "style sheets write its text",
        head: `<style>.about::before { content: "About" } .more i:after { content: '\\4D ore' }</style>`,
        main: `<a class="about" href="/about/"></a><a class="more" href="/"><i></i></a>`,
      },
      {
        main: `<a href="/about/"><svg><title>About</title></svg></a><a href="/" aria-label="Home"></a><a href="/" aria-hidden="true" tabindex="-1"></a>`,
      },
    ],
  },
};
