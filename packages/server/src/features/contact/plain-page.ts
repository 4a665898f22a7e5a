import { html, Markup } from "../../kit/html.ts";

const style = `:root{color-scheme:light dark}
body{max-width:40rem;margin:0 auto;padding:2rem 1.25rem;font:1.0625rem/1.6 system-ui,sans-serif;overflow-wrap:anywhere}
label{display:block;margin-top:1.25rem;font-weight:600}
input,textarea{box-sizing:border-box;width:100%;min-height:3rem;padding:.625rem;font:inherit}
button,a{display:inline-flex;align-items:center;min-height:2.75rem;font:inherit}
button{margin-top:1.25rem;padding:0 1.25rem}
.trap{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}`;

function pageOf(title: string, content: Markup): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title}</title>
        ${new Markup(`<style>${style}</style>`)}
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html> `.text;
}

/** Shown if the site has no thank-you page. */
export function thanksPage(): string {
  return pageOf(
    "Thank you",
    html`<p>Your message has been sent.</p>
      <p><a href="/">Go to the home page</a></p>`,
  );
}

/** A plain form for sites whose page has none to fill in; `refill` completes it. */
export function formPage(action: string): string {
  return pageOf(
    "Write a message",
    html`<form method="post" action="${action}">
      <label for="name">Name</label>
      <input id="name" name="name" autocomplete="name" maxlength="120" required />
      <label for="email">Email address</label>
      <input id="email" name="email" type="email" autocomplete="email" maxlength="254" required />
      <label for="message">Message</label>
      <textarea id="message" name="message" rows="8" maxlength="5000" required></textarea>
      <div class="trap" aria-hidden="true">
        <label for="website">Leave this empty</label>
        <input id="website" name="website" tabindex="-1" autocomplete="off" />
      </div>
      <button>Send</button>
    </form>`,
  );
}
