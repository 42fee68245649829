import { useEffect, useRef, useState } from "preact/hooks";
import { explained } from "../api/explained.ts";
import { Logo } from "../parts/logo.tsx";

/** Asks for an operator's token. It stays in this tab and goes to this gateway only. */
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
            {explained(error).what} Check it, and sign in again.
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
          A token of <code>admin.tokens</code> in the configuration. Without one, the token was made at the first start
          and is in <code>admin-token</code> in the data folder. It is kept in this tab only.
        </p>
      </form>
    </main>
  );
};
