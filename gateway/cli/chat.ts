import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileStorage, socketTransport, TerminalChat, TerminalScreen } from "../../adapters/web/terminal/index.ts";
import { loadConfig } from "../../config/index.ts";
import { AppError } from "../../core/contract/app-error.ts";
import { publicUrl } from "../public-url.ts";
import { exitCode } from "./exit-code.ts";

export interface ChatOptions {
  readonly file: string | undefined;
  /** Of a gateway that runs; without it, the one that the configuration describes. */
  readonly url: string | undefined;
  readonly channel: string;
  readonly anew: boolean;
  readonly waitSeconds: number;
}

/** Talks to a running gateway from the terminal, or from a script that pipes its messages in. */
export const chat = async ({ file, url, channel, anew, waitSeconds }: ChatOptions): Promise<number> => {
  const gateway = url ?? addressOf(file, channel);
  if (!/^https?:\/\//.test(gateway) || !URL.canParse(gateway)) {
    throw new AppError("bad-input", `--url ${gateway} is no address such as http://localhost:8080`);
  }
  const { host } = new URL(gateway);
  const talk = new TerminalChat({
    transport: socketTransport(gateway, channel),
    storage: fileStorage(join(homedir(), ".mooring", `chat-${host.replace(/[^\w.-]/g, "_")}-${channel}.json`)),
    input: process.stdin,
    screen: new TerminalScreen(process.stdout),
    newId: randomUUID,
    waitMs: waitSeconds * 1_000,
    startNew: anew,
  });
  const problem = await talk.run();
  if (problem === undefined) return exitCode.ok;
  process.stderr.write(`mooring: ${problem}\n`);
  return exitCode.problem;
};

const addressOf = (file: string | undefined, channel: string): string => {
  const config = loadConfig({ file });
  if (config.channels[channel]?.adapter !== undefined) return publicUrl(config.gateway);
  const known = Object.keys(config.channels).join(", ");
  throw new AppError(
    "bad-configuration",
    `there is no channel "${channel}" in the configuration: add "${channel}: { adapter: web }", or name one with --channel (${known})`,
  );
};
