import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { AppError } from "../../core/contract/app-error.ts";
import { OperatorClient, type OperatorOptions } from "./operator-client.ts";

export interface SignInOptions extends OperatorOptions {
  readonly server: string;
  readonly agent: string | undefined;
}

const POLL_MS = 2_000;

const Servers = z.object({
  items: z.array(
    z.looseObject({ agent: z.string(), server: z.string(), signIn: z.string(), signedInAt: z.string().optional() }),
  ),
});
type Server = z.infer<typeof Servers>["items"][number];
const Link = z.object({ url: z.string(), expiresAt: z.string() });

/**
 * Signs an operator in at a tool server of an agent. The gateway keeps the tokens, so this also works on a machine
 * without a browser: the operator opens the link elsewhere, and may paste the address of the last page here.
 */
export const signIn = async ({ server, agent, ...options }: SignInOptions): Promise<string> => {
  const client = await OperatorClient.open(options);
  const list = async () => (await asked(client, "GET", "tool-servers", Servers)).items;
  const before = chosen(await list(), server, agent);
  const path = `tool-servers/${encodeURIComponent(before.agent)}/${encodeURIComponent(server)}/sign-in`;
  const { url, expiresAt } = await asked(client, "POST", path, Link);
  process.stdout.write(
    `Open this link in a browser and sign in, before ${expiresAt}:\n\n  ${url}\n\n` +
      "The browser ends at the Mooring console, which completes the sign-in. If it cannot open the console, paste the\n" +
      "address that it shows here: ",
  );
  const over = new AbortController();
  const isDone = async (): Promise<true> => {
    for (;;) {
      await delay(POLL_MS, undefined, { signal: over.signal });
      const now = chosen(await list(), server, before.agent);
      if (now.signIn === "done" && now.signedInAt !== before.signedInAt) return true;
      if (Date.now() > Date.parse(expiresAt)) throw new AppError("unavailable", "the link has expired: run this again");
    }
  };
  const lines = createInterface({ input: process.stdin });
  const pasted = new Promise<string>((resolve) => lines.once("line", resolve));
  try {
    const line = await Promise.race([pasted, isDone()]);
    if (line !== true) await client.ask("POST", "tool-servers/sign-in", parametersIn(line));
  } finally {
    over.abort();
    lines.close();
  }
  return `\n${before.agent} is signed in at ${server}.\n`;
};

const asked = async <T>(client: OperatorClient, method: "GET" | "POST", path: string, schema: z.ZodType<T>) => {
  const { success, data } = schema.safeParse(await client.ask(method, path));
  if (success) return data;
  throw client.notMooring();
};

const chosen = (servers: readonly Server[], name: string, agent: string | undefined): Server => {
  const found = servers.filter((each) => each.server === name && (agent === undefined || each.agent === agent));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  if (found.length > 1) {
    const agents = found.map((each) => each.agent).join(", ");
    throw new AppError("bad-input", `several agents have a tool server "${name}" (${agents}): choose one with --agent`);
  }
  const known = servers.map((each) => `${each.server} of ${each.agent}`).join(", ") || "none";
  throw new AppError("not-found", `no agent that you may manage has a tool server "${name}"; there are: ${known}`);
};

/** The parameters of the redirect address that a person copied from the browser. */
const parametersIn = (line: string): Record<string, string> => {
  const address = line.trim();
  const query = URL.canParse(address) ? Object.fromEntries(new URL(address).searchParams) : {};
  const { state, code, iss, error } = query;
  if (state === undefined) {
    throw new AppError("bad-input", "this is not the address of the last page: it has a state and a code in it");
  }
  return { state, ...(code && { code }), ...(iss && { iss }), ...(error && { error }) };
};
