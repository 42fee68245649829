import type { Secret } from "../contract/secret.ts";

type Secrets = Readonly<Record<string, Secret>>;

/** A shorter value is a word that a text may contain by chance. */
const MIN_SECRET_CHARS = 8;

/** Variables with other names are settings, whose values a program may well repeat. */
const NAME_OF_SECRET = /key|token|secret|pass|pwd|credential|auth/i;

/** Hides the credentials of a tool in texts of its service, which may repeat them: the model must not see them. */
export const secretHider = ({
  headers,
  env = {},
}: {
  readonly headers: Secrets;
  readonly env?: Secrets | undefined;
}): ((text: string) => string) => {
  const variables = Object.entries(env).filter(([name]) => NAME_OF_SECRET.test(name));
  const values = [...Object.values(headers), ...variables.map(([, value]) => value)]
    // "Bearer abc": the service may repeat the second word alone.
    .flatMap((secret) => [secret.reveal(), ...secret.reveal().split(" ").slice(1)])
    .filter((value) => value.length >= MIN_SECRET_CHARS);
  return (text) => values.reduce((shown, value) => shown.replaceAll(value, "[secret]"), text);
};
