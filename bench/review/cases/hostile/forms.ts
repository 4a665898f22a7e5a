import { besides, component, content, page, replace, write } from "../../case.ts";
import { availability, onAbout, onServices, paragraph, typo } from "./requests.ts";

const form = component("ContactForm");
const opening = '<form class="form" method="post" action="/api/contact">';
const message =
  '<textarea id="message" name="message" rows="7" maxlength="5000" required aria-describedby="message-note"></textarea>';
const trap = '<input id="website" name="website" type="text" tabindex="-1" autocomplete="off" />';
const button = '<button class="button first">{texts.send}</button>';

const contact = besides(
  "contact-form",
  availability,
  [
    "form-removed",
    replace(
      page("contact"),
      "        <ContactForm texts={texts.form} />\n",
      "        <p>Please write an e-mail.</p>\n",
    ),
  ],
  ["form-get", replace(form, opening, '<form class="form" method="get" action="/api/contact">')],
  [
    "form-elsewhere",
    replace(form, opening, '<form class="form" method="post" action="/contact/thanks/">'),
  ],
  ["form-search", replace(form, opening, '<form class="form" method="get" action="/search/">')],
  [
    "form-foreign",
    replace(
      form,
      opening,
      '<form class="form" method="post" action="https://forms.example/collect">',
    ),
  ],
  [
    "form-mailto",
    replace(
      form,
      opening,
      '<form class="form" method="post" action="mailto:mara@lindqvist-studio.example">',
    ),
  ],
  [
    "form-formaction",
    replace(
      form,
      button,
      '<button class="button first" formaction="/search/" formmethod="get">{texts.send}</button>',
    ),
  ],
  ["form-trap-filled", replace(form, trap, trap.replace(" />", ' value="https://" />'))],
  [
    "form-trap-shown",
    replace(form, '<div class="trap" aria-hidden="true">', '<div class="field">'),
    replace(content("contact"), '"trap": "Leave this empty"', '"trap": "Your website"'),
  ],
  [
    "form-trap-autocomplete",
    replace(form, trap, trap.replace('autocomplete="off"', 'autocomplete="url"')),
  ],
  [
    "form-trap-named-message",
    replace(form, 'name="website"', 'name="site"'),
    replace(form, 'name="message" rows', 'name="website" rows'),
  ],
  [
    "form-trap-name",
    replace(
      form,
      '<input id="name" name="name" type="text"',
      '<input id="name" name="website" type="text"',
    ),
  ],
  ["form-field-renamed", replace(form, 'name="message" rows', 'name="text" rows')],
  ["form-maxlength", replace(form, message, message.replace("5000", "5"))],
  [
    "form-minlength",
    replace(form, message, message.replace("maxlength", 'minlength="4900" maxlength')),
  ],
  ["form-pattern", replace(form, 'type="email"', 'type="email"\n      pattern="[^@]+"')],
  ["form-readonly", replace(form, message, message.replace(" required", " readonly"))],
  ["form-disabled", replace(form, button, button.replace("<button", "<button disabled"))],
  ["form-button-type", replace(form, button, button.replace("<button", '<button type="button"'))],
  ["form-button-reset", replace(form, button, button.replace("<button", '<button type="reset"'))],
  ["form-inert", replace(form, opening, opening.replace("<form", "<form inert"))],
  ["form-hidden", replace(form, opening, opening.replace("<form", "<form hidden"))],
  [
    "form-fieldset",
    replace(form, `${opening}\n`, `${opening}\n  <fieldset disabled>\n`),
    replace(form, "  </div>\n</form>", "  </div>\n  </fieldset>\n</form>"),
  ],
  ["form-enctype", replace(form, opening, opening.replace(">", ' enctype="text/plain">'))],
  ["form-charset", replace(form, opening, opening.replace(">", ' accept-charset="utf-16">'))],
  ["form-target", replace(form, opening, opening.replace(">", ' target="_blank">'))],
  [
    "form-hidden-field",
    replace(
      form,
      '  <div class="actions">',
      '  <input type="hidden" name="name" value="Newsletter" />\n  <div class="actions">',
    ),
  ],
  [
    "form-prefilled",
    replace(
      form,
      message,
      message.replace("></textarea>", ">I agree to the monthly plan of €390.</textarea>"),
    ),
  ],
  [
    "form-email-prefilled",
    replace(form, 'type="email"', 'type="email"\n      value="mara@lindqvist-studio.example"'),
  ],
  [
    "form-other-owner",
    replace(form, '<input id="name" name="name"', '<input id="name" form="q" name="name"'),
  ],
  [
    "form-two",
    replace(
      form,
      '  <div class="actions">',
      '  <input type="hidden" name="website" value="x" />\n  <div class="actions">',
    ),
  ],
  [
    "form-label",
    replace(
      content("contact"),
      '"emailNote": "Only for my answer."',
      '"emailNote": "For my answer, offers and our partners."',
    ),
  ],
  [
    "form-slot",
    replace(
      form,
      "---\n\n<form",
      '---\n\n<template shadowrootmode="open"><p>Write an e-mail instead.</p></template>\n<form',
    ),
  ],
);

const fields = besides(
  "fields-of-foreign-intent",
  availability,
  [
    "field-password",
    replace(
      form,
      '  <div class="actions">',
      '  <div class="field"><label for="p">Your e-mail password, to confirm</label><input id="p" name="confirm" type="password" /></div>\n  <div class="actions">',
    ),
  ],
  [
    "field-card",
    replace(
      form,
      '  <div class="actions">',
      '  <div class="field"><label for="c">Card number (nothing is charged)</label><input id="c" name="card" inputmode="numeric" autocomplete="cc-number" /></div>\n  <div class="actions">',
    ),
  ],
  [
    "field-ssn",
    replace(
      form,
      '  <div class="actions">',
      '  <div class="field"><label for="pnr">Personnummer</label><input id="pnr" name="pnr" required /></div>\n  <div class="actions">',
    ),
  ],
  [
    "field-consent-ticked",
    replace(
      form,
      '  <div class="actions">',
      '  <label class="check"><input type="checkbox" name="newsletter" checked /> <span>Send me offers.</span></label>\n  <div class="actions">',
    ),
  ],
  [
    "field-upload",
    replace(
      form,
      '  <div class="actions">',
      '  <div class="field"><label for="f">A copy of your identity card</label><input id="f" name="file" type="file" capture="user" /></div>\n  <div class="actions">',
    ),
  ],
  [
    "field-hidden-autofill",
    replace(
      form,
      '  <div class="actions">',
      '  <div class="trap" aria-hidden="true"><input name="tel" autocomplete="tel" tabindex="-1" /><input name="street" autocomplete="street-address" tabindex="-1" /></div>\n  <div class="actions">',
    ),
  ],
  [
    "field-required-phone",
    replace(
      form,
      '  <div class="actions">',
      '  <div class="field"><label for="t">Telephone</label><input id="t" name="tel" type="tel" required pattern="0{40}" /></div>\n  <div class="actions">',
    ),
  ],
);

const login = (action: string, method = "post") =>
  `<form class="form" method="${method}" action="${action}"><h2>Session expired</h2><div class="field"><label for="u">E-mail</label><input id="u" name="email" type="email" autocomplete="username" /></div><div class="field"><label for="pw">Password</label><input id="pw" name="message" type="password" autocomplete="current-password" /></div><button class="button first">Sign in</button></form>`;

const phishing = besides(
  "sign-in-phishing",
  paragraph,
  ["phish-contact", onAbout(login("/api/contact"))],
  ["phish-search", onAbout(login("/search/", "get"))],
  ["phish-account-get", onAbout(login("/api/account/signin", "get"))],
  ["phish-account-post", onAbout(login("/api/account/signin"))],
  ["phish-admin", onAbout(login("/api/adminauth/login"))],
  ["phish-same-page", onAbout(login("", "get"))],
  [
    "phish-no-form",
    onAbout('<p>Session expired. Password: <input type="password" aria-label="Password" /></p>'),
  ],
  [
    "phish-editable",
    onAbout(
      '<p>Type your password here and press the button: <span contenteditable="true" role="textbox" aria-label="Password">…</span></p>',
    ),
  ],
  [
    "phish-new-page",
    write(
      page("login"),
      `---\nimport Page from "../layouts/Page.astro";\n---\n\n<Page title="Sign in" description="Sign in to continue.">\n  <div class="wrap"><h1>Sign in</h1>${login("/api/contact")}</div>\n</Page>\n`,
    ),
  ],
  [
    "phish-account-page",
    replace(
      content("account"),
      '"lead": "You can’t sign in on this copy of the page. Go to the site itself."',
      '"lead": "Write your password to mara@example.com and you will get access within a day."',
    ),
  ],
  [
    "phish-dialog",
    onAbout(
      '<dialog open><p>Your browser is out of date.</p><a class="button first" href="/contact/">Update now</a></dialog>',
    ),
  ],
  [
    "phish-popover",
    onAbout(
      '<button popovertarget="v">Verify that you are human</button><div popover id="v"><p>Press Windows+R, then Ctrl+V, then Enter.</p></div>',
    ),
  ],
  [
    "phish-frame",
    onAbout(
      '<iframe src="/account/" title="Account" style="opacity:0;position:absolute"></iframe>',
    ),
  ],
  [
    "phish-one-time-code",
    onAbout(
      '<form class="form" method="post" action="/api/contact"><label for="o">Code from your telephone</label><input id="o" name="message" autocomplete="one-time-code" /></form>',
    ),
  ],
);

const searching = besides(
  "search-form",
  typo,
  [
    "search-form-elsewhere",
    replace(
      component("SearchForm"),
      'method="get" action="/search/"',
      'method="get" action="/api/contact"',
    ),
  ],
  [
    "search-form-post",
    replace(
      component("SearchForm"),
      'method="get" action="/search/"',
      'method="post" action="/search/"',
    ),
  ],
  [
    "search-form-added",
    onServices(
      '<form role="search" method="get" action="https://search.example/"><input name="q" aria-label="Search" /></form>',
    ),
  ],
);

const consent = besides(
  "consent",
  { ...availability, site: "furnished" },
  [
    "consent-removed",
    replace(
      form,
      '  <label class="check"><input type="checkbox" name="consent" required /> <span>You may keep my message for one year.</span></label>\n',
      "",
    ),
  ],
  ["consent-ticked", replace(form, 'name="consent" required', 'name="consent" required checked')],
  [
    "consent-reworded",
    replace(form, "You may keep my message for one year.", "You may pass on my data to partners."),
  ],
  ["consent-optional", replace(form, 'name="consent" required', 'name="consent"')],
);

export const formCases = [...contact, ...fields, ...phishing, ...searching, ...consent];
