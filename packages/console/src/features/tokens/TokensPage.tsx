import "./tokens.css";

import { type ReactElement, useState } from "react";

import { Button } from "../../ui/Button.tsx";
import { RemovalDialog } from "../forms/DeleteDialog.tsx";
import { EmptyState } from "../../ui/EmptyState.tsx";
import { QueryBody } from "../queries/QueryBody.tsx";
import { PageHeader } from "../../ui/PageHeader.tsx";
import { Time } from "../time/Time.tsx";
import { NewTokenDialog } from "./NewTokenDialog.tsx";
import { type ApiToken, rightLabels, stateOf } from "./token-form.ts";
import { useTokenChanges, useTokens } from "./useTokens.ts";

function End({ token }: { token: ApiToken }): ReactElement {
  const { revokedAt, expiresAt } = token;
  if (revokedAt !== null) {
    return (
      <>
        Revoked <Time iso={revokedAt} />
      </>
    );
  }
  if (expiresAt === null) return <>Works until you revoke it</>;
  const over = stateOf(token, Date.now()) === "expired";
  return (
    <>
      {over ? "Expired" : "Works until"} <Time iso={expiresAt} />
    </>
  );
}

function TokenRow(props: { token: ApiToken; onRevoke(token: ApiToken): void }): ReactElement {
  const { token, onRevoke } = props;
  const state = stateOf(token, Date.now());
  return (
    <li className="entry api-token" data-token={token.name} data-state={state}>
      <div className="entry-words">
        <h2>{token.name}</h2>
        <p>
          {rightLabels(token)} · <End token={token} />
        </p>
        <p className="muted">
          Created <Time iso={token.createdAt} /> ·{" "}
          {token.lastUsedAt === null ? (
            "never used"
          ) : (
            <>
              last used <Time iso={token.lastUsedAt} />
            </>
          )}
        </p>
      </div>
      {state !== "revoked" && (
        <div className="actions">
          <Button label={`Revoke “${token.name}”`} onClick={() => onRevoke(token)}>
            Revoke
          </Button>
        </div>
      )}
    </li>
  );
}

function Revocation(props: { token: ApiToken; onClose(): void }): ReactElement {
  const { token, onClose } = props;
  const { revoke } = useTokenChanges();
  return (
    <RemovalDialog
      item={token}
      question={`Revoke “${token.name}”?`}
      yes="Revoke"
      remove={revoke}
      onClose={onClose}
    >
      <p>
        Anything that uses it stops working immediately. This can’t be undone, but you can create
        another token.
      </p>
    </RemovalDialog>
  );
}

function Tokens(props: {
  /** The button that creates one. */
  make: ReactElement;
  onRevoke(token: ApiToken): void;
}): ReactElement {
  const { make, onRevoke } = props;
  return (
    <QueryBody
      query={useTokens()}
      what="the tokens"
      skeleton={{ count: 3, shape: "row", label: "Loading tokens…" }}
    >
      {({ items }) =>
        items.length === 0 ? (
          <EmptyState action={make}>
            No tokens yet. Create one to let a program use the API.
          </EmptyState>
        ) : (
          <ol className="entries" aria-label="API tokens, newest first">
            {items.map((token) => (
              <TokenRow
                key={`${token.name} ${token.createdAt}`}
                token={token}
                onRevoke={onRevoke}
              />
            ))}
          </ol>
        )
      }
    </QueryBody>
  );
}

/** The page of API tokens. */
export function TokensPage(): ReactElement {
  const [making, setMaking] = useState(false);
  const [tokenToRevoke, setTokenToRevoke] = useState<ApiToken | null>(null);
  const make = (
    <Button variant="primary" icon="add" onClick={() => setMaking(true)}>
      Create token
    </Button>
  );
  return (
    <div className="page">
      <PageHeader
        below="settings"
        title="API tokens"
        lead={
          <>
            A token lets a program use the API on your behalf.{" "}
            <a href="/api/openapi.json">API documentation</a>
          </>
        }
      >
        {make}
      </PageHeader>
      <Tokens make={make} onRevoke={setTokenToRevoke} />
      {making && <NewTokenDialog onClose={() => setMaking(false)} />}
      {tokenToRevoke && <Revocation token={tokenToRevoke} onClose={() => setTokenToRevoke(null)} />}
    </div>
  );
}
