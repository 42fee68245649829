import { useEffect, useRef, useState } from "preact/hooks";
import { explainError } from "../api/refused.ts";
import { Logo } from "../parts/page-frame.tsx";

/** Asks for an operator's token. It stays in this tab and is sent only to this gateway. */
export const SignIn = ({ error, signIn }: { error: unknown; signIn: (token: string) => void }) => {
  const [token, setToken] = useState("");
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    document.title = "Sign in · Mooring console";
    field.current?.focus();
  }, []);
  return (
    <main class="sign-in">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (token.trim() !== "") signIn(token.trim());
        }}
      >
        <Logo />
        <h1>Mooring console</h1>
        {error !== undefined && (
          <p class="refusal" role="alert">
            {explainError(error).what} Check it and sign in again.
          </p>
        )}
        <label for="token">Operator token</label>
        <input
          id="token"
          ref={field}
          type="password"
          autoComplete="off"
          spellcheck={false}
          required
          value={token}
          onInput={(event) => setToken(event.currentTarget.value)}
        />
        <button type="submit" class="primary">
          Sign in
        </button>
        <p class="faint">
          Use a token of <code>admin.tokens</code> in the configuration. If there is none, use the token that the first
          start stored in the file <code>admin-token</code> of the data folder. It is kept in this tab only.
        </p>
      </form>
    </main>
  );
};
