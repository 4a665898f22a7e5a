import { Marked, type Token, type Tokens } from "marked";
import { Fragment, type ReactElement, type ReactNode } from "react";

const marked = new Marked({ gfm: true });

/** Allowed link targets: other sites, email addresses, and pages of this site. */
const followed = /^(?:https?:\/\/|mailto:|\/(?!\/))/i;

/** Children without an identity, in order. */
function list(tokens: readonly Token[] | undefined, render: (token: Token) => ReactNode) {
  return (tokens ?? []).map((token, index) => (
    // oxlint-disable-next-line react/no-array-index-key -- parts of a text have no other identity
    <Fragment key={index}>{render(token)}</Fragment>
  ));
}

const children = (token: Token): ReactNode =>
  "tokens" in token && token.tokens ? list(token.tokens, inline) : textOf(token);

const textOf = (token: Token): string => ("text" in token ? String(token.text) : token.raw);

function link(token: Tokens.Link): ReactNode {
  if (!followed.test(token.href)) return token.raw;
  return (
    <a href={token.href} target="_blank" rel="noopener noreferrer nofollow">
      {children(token)}
    </a>
  );
}

function inline(token: Token): ReactNode {
  switch (token.type) {
    case "strong":
      return <strong>{children(token)}</strong>;
    case "em":
      return <em>{children(token)}</em>;
    case "del":
      return <del>{children(token)}</del>;
    case "codespan":
      return <code>{textOf(token)}</code>;
    case "br":
      return <br />;
    case "link":
      return link(token as Tokens.Link);
    // Text never loads anything, and only its author's markup is shown.
    case "image":
    case "html":
      return token.raw;
    default:
      return children(token);
  }
}

function items(token: Tokens.List): ReactElement {
  const inside = token.items.map((item, index) => (
    // oxlint-disable-next-line react/no-array-index-key -- items have no other identity
    <li key={index}>{list(item.tokens, block)}</li>
  ));
  return token.ordered ? <ol start={Number(token.start) || 1}>{inside}</ol> : <ul>{inside}</ul>;
}

function table(token: Tokens.Table): ReactElement {
  const cells = (row: readonly Tokens.TableCell[], Cell: "td" | "th") =>
    row.map((cell, index) => (
      // oxlint-disable-next-line react/no-array-index-key -- cells have no other identity
      <Cell key={index}>{list(cell.tokens, inline)}</Cell>
    ));
  return (
    <table>
      <thead>
        <tr>{cells(token.header, "th")}</tr>
      </thead>
      <tbody>
        {token.rows.map((row, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- rows have no other identity
          <tr key={index}>{cells(row, "td")}</tr>
        ))}
      </tbody>
    </table>
  );
}

function block(token: Token): ReactNode {
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "heading":
      return (
        <p>
          <strong>{children(token)}</strong>
        </p>
      );
    case "code":
      return (
        <pre tabIndex={0} role="region" aria-label="Code">
          <code>{textOf(token)}</code>
        </pre>
      );
    case "blockquote":
      return <blockquote>{list((token as Tokens.Blockquote).tokens, block)}</blockquote>;
    case "list":
      return items(token as Tokens.List);
    case "table":
      return table(token as Tokens.Table);
    case "hr":
      return <hr />;
    case "text":
      return children(token);
    case "html":
      return <p>{token.raw.trim()}</p>;
    default:
      return <p>{children(token)}</p>;
  }
}

/** Parses a text; one that nests too deeply becomes a single paragraph. */
function read(text: string): readonly Token[] {
  try {
    return marked.lexer(text);
  } catch {
    return [{ type: "html", raw: text, text, block: true, pre: false }];
  }
}

/**
 * Renders Markdown as elements. HTML is shown as text, an image as its source, and links only to
 * pages or addresses.
 */
export function Markdown({ text }: { text: string }): ReactElement {
  return <>{list(read(text), block)}</>;
}
