import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import type { Me } from "../../../admin-api/index.ts";
import { AdminClient } from "../api/admin-client.ts";
import { Refused } from "../api/refused.ts";
import { Failed, Loading } from "../parts/placeholders.tsx";
import { ConsoleProvider, type Notice } from "../state/console-context.ts";
import { Shell } from "./shell.tsx";
import { SignIn } from "./sign-in.tsx";

/** Shows the sign-in form until the gateway accepts the token. */
export const App = () => {
  const [token, setToken] = useState(storedToken.read);
  const [me, setMe] = useState<Me>();
  const [error, setError] = useState<unknown>();
  const [round, setRound] = useState(0);
  const [notice, notify] = useState<Notice>();
  const dismiss = useCallback(() => notify(undefined), []);

  const signOut = useCallback((why?: unknown) => {
    storedToken.write(undefined);
    setToken(undefined);
    setMe(undefined);
    setError(why);
    notify(undefined);
  }, []);
  const onUnauthorised = useCallback(() => signOut(UNKNOWN_TOKEN), [signOut]);
  const client = useMemo(() => new AdminClient(token ?? "", onUnauthorised), [token, onUnauthorised]);

  useEffect(() => {
    if (token === undefined) return;
    setError(undefined);
    client.get("me", {}).then(
      (known) => {
        storedToken.write(token);
        setMe(known);
      },
      // After a 401 the operator is signed out already.
      (caught: unknown) => (caught instanceof Refused && caught.status === 401 ? undefined : setError(caught)),
    );
  }, [client, token, round]);

  if (token === undefined) return <SignIn error={error} signIn={setToken} />;
  if (me === undefined) {
    return (
      <main class="alone">
        {error === undefined ? <Loading /> : <Failed error={error} retry={() => setRound(round + 1)} />}
      </main>
    );
  }
  return (
    <ConsoleProvider.Provider value={{ client, me, notify }}>
      <Shell signOut={() => signOut()} />
      <ActionNotice notice={notice} close={dismiss} />
    </ConsoleProvider.Provider>
  );
};

const UNKNOWN_TOKEN = new Refused(401, "the gateway does not accept this token");

const SHOWN_MS = 8_000;

/** The result of the last action. An error stays until the operator closes it. */
const ActionNotice = ({ notice, close }: { notice: Notice | undefined; close: () => void }) => {
  useEffect(() => {
    if (notice === undefined || notice.isBad) return;
    const timer = setTimeout(close, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [notice, close]);
  return (
    <div class="notices" role={notice?.isBad ? "alert" : "status"}>
      {notice && (
        <div class={notice.isBad ? "notice bad" : "notice"}>
          <p>
            <span class="strong">{notice.text}</span> {notice.advice}
          </p>
          <button type="button" onClick={close}>
            Close
          </button>
        </div>
      )}
    </div>
  );
};

const KEY = "mooring.operator-token";

/** Stores the operator's token in the tab's session storage; without storage the operator signs in after each reload. */
const storedToken = {
  read(): string | undefined {
    try {
      return sessionStorage.getItem(KEY) ?? undefined;
    } catch {
      return undefined;
    }
  },
  write(token: string | undefined): void {
    try {
      if (token === undefined) sessionStorage.removeItem(KEY);
      else sessionStorage.setItem(KEY, token);
    } catch {
      // Storage is disabled: the token stays in memory only.
    }
  },
};
