import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import type { Me } from "../api/admin-api.ts";
import { AdminClient } from "../api/admin-client.ts";
import { keptToken } from "../api/kept-token.ts";
import { Refused } from "../api/refused.ts";
import { Failed } from "../parts/failed.tsx";
import { Loading } from "../parts/loading.tsx";
import { SignIn } from "../parts/sign-in.tsx";
import { SpokenWord } from "../parts/spoken-word.tsx";
import { ConsoleProvider, type Word } from "../state/console-context.ts";
import { Shell } from "./shell.tsx";

/** Nobody gets further than the sign-in without a token that the gateway knows. */
export const App = () => {
  const [token, setToken] = useState(keptToken.read);
  const [me, setMe] = useState<Me>();
  const [error, setError] = useState<unknown>();
  const [round, setRound] = useState(0);
  const [word, tell] = useState<Word>();
  const hush = useCallback(() => tell(undefined), []);

  const signOut = useCallback((why?: unknown) => {
    keptToken.write(undefined);
    setToken(undefined);
    setMe(undefined);
    setError(why);
    tell(undefined);
  }, []);
  const turnedAway = useCallback(() => signOut(UNKNOWN_TOKEN), [signOut]);
  const client = useMemo(() => new AdminClient(token ?? "", turnedAway), [token, turnedAway]);

  useEffect(() => {
    if (token === undefined) return;
    setError(undefined);
    client.get<Me>("me").then(
      (known) => {
        keptToken.write(token);
        setMe(known);
      },
      // Whoever is turned away is signed out already.
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
    <ConsoleProvider.Provider value={{ client, me, tell }}>
      <Shell signOut={() => signOut()} />
      <SpokenWord word={word} close={hush} />
    </ConsoleProvider.Provider>
  );
};

const UNKNOWN_TOKEN = new Refused(401, "this token is not known here, or no longer");
