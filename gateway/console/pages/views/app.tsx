import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import type { Me } from "../../../admin-api/index.ts";
import { AdminClient } from "../api/admin-client.ts";
import { Refused } from "../api/refused.ts";
import { storedToken } from "../api/stored-token.ts";
import { ActionNotice } from "../parts/action-notice.tsx";
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
