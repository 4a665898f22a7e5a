import type { ReactElement } from "react";

import { type Fact, factsOf, type EvidenceValue } from "./evidence.ts";

/** A finding's evidence as names and values. */
export function Evidence(props: {
  evidence: Readonly<Record<string, unknown>>;
}): ReactElement | null {
  const facts = factsOf(props.evidence);
  return facts.length === 0 ? null : <EvidenceList facts={facts} />;
}

function EvidenceList({ facts }: { facts: readonly Fact[] }): ReactElement {
  return (
    <dl className="qa-evidence">
      {facts.map(({ name, value }) => (
        <div key={name} data-kind={value.kind}>
          <dt>{name}</dt>
          <dd>
            <Value value={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Value({ value }: { value: EvidenceValue }): ReactElement {
  switch (value.kind) {
    case "text":
      return <span className="value">{value.text}</span>;
    case "code":
      return <code>{value.text}</code>;
    case "link":
      return (
        <a href={value.href} target="_blank" rel="noopener noreferrer">
          {value.text}
        </a>
      );
    case "color":
      return (
        <span className="color">
          <span className="swatch" style={{ backgroundColor: value.text }} />
          <code>{value.text}</code>
        </span>
      );
    case "image":
      return <img className="shot" src={value.src} alt="How the page looked" loading="lazy" />;
    case "facts":
      return <EvidenceList facts={value.facts} />;
    case "list":
      return (
        <ul>
          {value.items.map((item, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- the list does not change
            <li key={index}>
              <Value value={item} />
            </li>
          ))}
          {value.more > 0 && <li className="quiet muted">and {value.more} more</li>}
        </ul>
      );
  }
}
