import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";
import {
  fileStorage,
  ownerProof,
  socketTransport,
  TerminalChat,
  TerminalScreen,
} from "../../adapters/web/terminal/index.ts";
import { type Config, loadConfig } from "../../config/index.ts";
import { AppError, messageOf } from "../../core/contract/app-error.ts";
import { isLoopbackName } from "../http/index.ts";
import { readOwnerSecret } from "../owner/index.ts";
import { publicUrl } from "../public-url.ts";
import { exitCode } from "./exit-code.ts";

interface ChatOptions {
  readonly file: string | undefined;
  /** A running gateway; defaults to the gateway of the configuration. */
  readonly url: string | undefined;
  readonly channel: string;
  readonly startNew: boolean;
  readonly waitSeconds: number;
}

/** Connects the terminal, or a script that pipes its messages in, to a running gateway. */
export const chat = async ({ file, url, channel, startNew, waitSeconds }: ChatOptions): Promise<number> => {
  const config = url === undefined ? await loadConfig({ file }) : await loadConfig({ file }).catch(() => undefined);
  const gateway = url ?? addressIn(config, channel);
  if (!/^https?:\/\//.test(gateway) || !URL.canParse(gateway)) {
    throw new AppError("bad-input", `--url ${gateway} must be an http or https address such as http://localhost:8080`);
  }
  const { host } = new URL(gateway);
  const screen = new TerminalScreen(process.stdout, process.stdin, process.stderr);
  // A person sees that the chat reconnects; a script would only wait for its timeout.
  if (!screen.isLive) await mustAnswer(gateway);
  const talk: TerminalChat = new TerminalChat({
    transport: socketTransport(gateway, channel, () =>
      talk.fail(`the gateway at ${gateway} has no web channel "${channel}": choose one with --channel`),
    ),
    storage: fileStorage(join(homedir(), ".mooring", `chat-${host.replace(/[^\w.-]/g, "_")}-${channel}.json`)),
    input: process.stdin,
    screen,
    newId: randomUUID,
    waitMs: waitSeconds * 1_000,
    startNew,
    ownerProof: config && (await ownerProofFor(config, gateway, channel)),
  });
  const problem = await talk.run();
  // A pipe that its writer keeps open would keep the process alive after /quit.
  process.stdin.destroy();
  if (problem === undefined) return exitCode.ok;
  process.stderr.write(`mooring: ${problem}\n`);
  return exitCode.problem;
};

const ANSWER_TIMEOUT_MS = 5_000;

/** Any HTTP answer will do: a gateway that starts or drains accepts the conversation later. */
const mustAnswer = async (gateway: string): Promise<void> => {
  const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
  try {
    const { body } = await fetch(new URL("/health/live", gateway), { signal, redirect: "manual" });
    await body?.cancel();
  } catch (error) {
    const reason = error instanceof Error && error.cause !== undefined ? messageOf(error.cause) : messageOf(error);
    const advice = 'start it with "mooring start", or set another address with --url';
    throw new AppError("unavailable", `no gateway answers at ${gateway} (${reason}): ${advice}`, { cause: error });
  }
};

/** Only the configuration's own gateway gets a proof; any other one could use it there within its minute. */
const ownerProofFor = async (config: Config, gateway: string, channel: string): Promise<(() => string) | undefined> => {
  if (config.owner === undefined || !isSameGateway(gateway, publicUrl(config.gateway))) return undefined;
  const secret = await readOwnerSecret(config.dataDir);
  return secret && (() => ownerProof(secret, channel, Date.now()));
};

const isSameGateway = (a: string, b: string): boolean => {
  const [one, other] = [new URL(a), new URL(b)];
  const isLocal = isLoopbackName(one.hostname) && isLoopbackName(other.hostname);
  return one.protocol === other.protocol && one.port === other.port && (isLocal || one.hostname === other.hostname);
};

const addressIn = (config: Config | undefined, channel: string): string => {
  if (config?.channels[channel]?.adapter !== undefined) return publicUrl(config.gateway);
  const known = Object.keys(config?.channels ?? {}).join(", ");
  throw new AppError(
    "bad-configuration",
    `the configuration has no channel "${channel}": add "${channel}: { adapter: web }", or choose a channel with --channel (${known})`,
  );
};
