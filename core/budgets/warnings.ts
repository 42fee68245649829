import { messageOf } from "../contract/app-error.ts";
import { BoundedCache } from "../contract/bounded-cache.ts";
import type { AgentRef } from "../contract/messages/addresses.ts";
import type { Audience } from "../contract/messages/work-context.ts";
import { type Clock, isoTime } from "../contract/ports/clock.ts";
import type { Logger } from "../contract/ports/logger.ts";
import type { Meter } from "../contract/ports/telemetry.ts";
import { textsFor } from "../contract/texts/texts.ts";
import { stableId } from "../lib/index.ts";
import type { Account, BudgetedWork, Resource } from "./accounts.ts";
import { warningText } from "./budget-texts.ts";
import type { Ledger } from "./ledger.ts";

/** Percent of a daily limit. */
const THRESHOLDS = [100, 80, 50];

/** A message to the person whose budget it is about. */
export interface BudgetNotice extends AgentRef {
  /** The same whenever the notice is published again. */
  readonly id: string;
  readonly markdown: string;
  readonly audience: Audience;
  /** In a shared conversation only this account sees it. */
  readonly onlyFor?: string;
  readonly createdAt: string;
  readonly traceId: string;
}

export type NotifyOfBudget = (notice: BudgetNotice) => Promise<void>;

interface WarningDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly meter: Meter;
  readonly ledger: Ledger;
  readonly notify: NotifyOfBudget;
}

/** Warns people once per day at each share of their own limits, and operators, in the log, of shared ones. */
export class Warnings {
  readonly #deps: WarningDeps;
  readonly #running = new Map<string, Promise<void>>();
  /** Notices that this process has published. */
  readonly #notified = new BoundedCache<string, true>(10_000);

  constructor(deps: WarningDeps) {
    this.#deps = deps;
  }

  /** Compares the use with the limits. Publishes in the background; a failed warning is repeated at the next check. */
  check(ref: AgentRef, work: BudgetedWork, accounts: readonly Account[]): void {
    for (const account of accounts) {
      // The account that spoke is charged too; the person gets one warning.
      if (account.isOwn && account.subject !== work.asker.personId) continue;
      for (const resource of Object.keys(account.daily) as Resource[]) this.#checkOne(ref, work, account, resource);
    }
  }

  /** Notifies the person whose message waits. The id is fixed, so the relay drops a repeat by another process. */
  waits({ tenant, agent }: AgentRef, { audience, traceId }: BudgetedWork, turnId: string, markdown: string): void {
    const { clock, logger, notify } = this.#deps;
    const recipient = recipientOf(audience);
    const id = stableId("budget", tenant, "waiting", turnId);
    if (recipient === undefined || this.#notified.get(id) !== undefined) return;
    this.#notified.set(id, true);
    const running = notify({ id, tenant, agent, markdown, ...recipient, createdAt: isoTime(clock.now()), traceId })
      .catch((error) => {
        this.#notified.delete(id);
        logger.warn({ error: messageOf(error) }, "could not publish budget notice, will be retried");
      })
      .finally(() => this.#running.delete(id));
    this.#running.set(id, running);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  #checkOne(ref: AgentRef, work: BudgetedWork, account: Account, resource: Resource): void {
    const { ledger, logger } = this.#deps;
    const limit = account.daily[resource] ?? 0;
    if (limit === 0) return;
    const used = ledger.used(account, resource);
    const percent = THRESHOLDS.find((threshold) => used * 100 >= limit * threshold);
    const known = ledger.known(account).warned?.[resource] ?? 0;
    if (percent === undefined || known >= percent) return;
    const name = [ledger.today(), account.holder, account.scope, account.subject, resource, percent].join("\n");
    if (this.#running.has(name)) return;
    const running = this.#warn(ref, work, { account, resource, percent, used, limit }, name)
      .catch((error) => logger.warn({ error: messageOf(error) }, "could not publish budget warning, will be retried"))
      .finally(() => this.#running.delete(name));
    this.#running.set(name, running);
  }

  /** The mark follows the notice, which has a fixed id: a crash in between repeats it, and the relay drops the repeat. */
  async #warn(
    { tenant, agent }: AgentRef,
    { asker, audience, traceId }: BudgetedWork,
    crossed: Crossed,
    name: string,
  ): Promise<void> {
    const { ledger, clock, logger, meter, notify } = this.#deps;
    const { account, resource, percent } = crossed;
    const { scope, holder } = account;
    // Another process may have warned since this one last read the record.
    await ledger.refresh(account);
    if ((ledger.known(account).warned?.[resource] ?? 0) >= percent) return;
    meter.count("budget_warnings_total", { agent, scope, resource, percent: String(percent) });
    logger.warn({ agent, holder, scope, resource, percent }, "budget threshold reached");
    const recipient = account.isOwn && account.scope !== "caller" ? recipientOf(audience) : undefined;
    if (recipient !== undefined) {
      const now = clock.now();
      const markdown = warningText(crossed, now, textsFor(asker.locale));
      const id = stableId("budget", tenant, name);
      await notify({ id, tenant, agent, markdown, ...recipient, createdAt: isoTime(now), traceId });
    }
    await ledger.note(account, (record) =>
      (record.warned?.[resource] ?? 0) >= percent
        ? record
        : { ...record, warned: { ...record.warned, [resource]: percent } },
    );
  }
}

interface Crossed {
  readonly account: Account;
  readonly resource: Resource;
  readonly percent: number;
  readonly used: number;
  readonly limit: number;
}

/** The conversation in which the work runs; undefined if it has no account that could see the notice alone. */
const recipientOf = ({
  conversation,
  accountId,
  ...audience
}: Audience): Pick<BudgetNotice, "audience" | "onlyFor"> | undefined => {
  if (accountId === undefined) return undefined;
  return conversation.kind === "shared"
    ? { audience: { ...audience, conversation, accountId }, onlyFor: accountId }
    : { audience: { conversation, personId: null, accountId } };
};
