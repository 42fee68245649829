import { pathToFileURL } from "node:url";
import { z } from "zod";
import { readAtMost } from "../../adapters/contract/files/read-at-most.ts";
import type { Config } from "../../config/index.ts";
import { AppError, messageOf } from "../../core/contract/app-error.ts";
import type { Clock } from "../../core/contract/ports/clock.ts";
import type { Logger } from "../../core/contract/ports/logger.ts";
import type { ModeratedText, Moderator, Verdict } from "../../core/contract/ports/moderator.ts";
import type { Meter } from "../../core/contract/ports/telemetry.ts";
import { english, type Texts } from "../../core/contract/texts/texts.ts";
import { withinDeadline } from "../../core/lib/index.ts";

type ModerationConfig = NonNullable<Config["moderation"]>;

const Decision = z.object({ allow: z.boolean(), reason: z.string().trim().max(1_000).optional() });
type Decision = z.infer<typeof Decision>;

/** Decides about one text; may fail or never return. */
type Hook = (text: ModeratedText, signal: AbortSignal) => Promise<unknown>;

interface ModeratorDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly meter: Meter;
}

/** The configured check; undefined if none is configured. Rejects if the module cannot be loaded. */
export const createModerator = async (
  config: ModerationConfig | undefined,
  deps: ModeratorDeps,
): Promise<Moderator | undefined> => {
  if (config === undefined) return undefined;
  const hook = config.module === undefined ? hookAt(config) : await loadHook(config.module, deps.clock);
  return {
    checksMessages: config.messages,
    checksAnswers: config.answers,
    check: (text, texts = english) => check(config, deps, hook, text, texts),
  };
};

const check = async (
  { timeoutMs, onFailure }: ModerationConfig,
  { clock, logger, meter }: ModeratorDeps,
  hook: Hook,
  text: ModeratedText,
  { moderation }: Texts,
): Promise<Verdict> => {
  const { kind, id, agent } = text;
  const over = new AbortController();
  try {
    const decided = await withinDeadline<unknown>(clock, timeoutMs, hook(text, over.signal), () => {
      throw new AppError("unavailable", `no decision within ${timeoutMs} ms`);
    });
    const { allow, reason }: Decision = Decision.parse(decided);
    meter.count("moderation_total", { agent, kind, outcome: allow ? "allowed" : "refused" });
    if (allow) return { allowed: true };
    logger.info({ kind, id, agent }, "text refused by moderation");
    const refused = moderation.refused[kind];
    return { allowed: false, text: reason ? `${refused} ${reason}` : refused };
  } catch (error) {
    meter.count("moderation_total", { agent, kind, outcome: "failed" });
    logger.warn({ kind, id, agent, onFailure, error: messageOf(error) }, "moderation failed");
    return onFailure === "allow" ? { allowed: true } : { allowed: false, text: moderation.unchecked[kind] };
  } finally {
    over.abort();
  }
};

const MAX_RESPONSE_BYTES = 64_000;

/** The operator chose the address, so it may be private; redirects are not followed. */
const hookAt =
  ({ url = "", token }: ModerationConfig): Hook =>
  async (text, signal) => {
    const response = await fetch(url, {
      method: "POST",
      redirect: "error",
      headers: {
        "content-type": "application/json",
        "idempotency-key": text.id,
        ...(token && { authorization: `Bearer ${token.reveal()}` }),
      },
      body: JSON.stringify(text),
      signal,
    });
    if (response.status !== 200 || response.body === null) {
      await response.body?.cancel();
      throw new AppError("unavailable", `the moderation hook answered ${response.status}`);
    }
    return JSON.parse(
      Buffer.from(await readAtMost(response.body, MAX_RESPONSE_BYTES, "the decision")).toString("utf8"),
    );
  };

/** A module that waits for a service at its top level must not keep the process from starting or failing. */
const LOAD_TIMEOUT_MS = 10_000;

const loadHook = async (file: string, clock: Clock): Promise<Hook> => {
  const refuse = (why: string): never => {
    throw new AppError("bad-configuration", `moderation.module: ${why} (${file})`);
  };
  const late = () => {
    throw new AppError("unavailable", `it did not load within ${LOAD_TIMEOUT_MS / 1_000} s`);
  };
  const loading = withinDeadline<{ default?: unknown }>(clock, LOAD_TIMEOUT_MS, import(pathToFileURL(file).href), late);
  const loaded = await loading.catch((error: unknown) => refuse(`the module cannot be loaded: ${messageOf(error)}`));
  const decide: unknown = loaded.default;
  if (typeof decide !== "function") return refuse("the default export must be a function");
  return async (text) => decide(text);
};
