import { messageOf } from "../contract/app-error.ts";
import type { AgentRef } from "../contract/messages/addresses.ts";
import type { Clock } from "../contract/ports/clock.ts";
import type { Logger } from "../contract/ports/logger.ts";
import type { Store } from "../contract/ports/store.ts";
import type { Meter } from "../contract/ports/telemetry.ts";
import { type BudgetDeps, type BudgetRules, Budgets } from "./budgets.ts";
import { Ledger } from "./ledger.ts";
import { TurnSlots } from "./turn-slots.ts";
import { UseLog } from "./use-log.ts";
import { type NotifyOfBudget, Warnings } from "./warnings.ts";

/** An account that was not used for this long returns its unused lease. */
const IDLE_MS = 10 * 60_000;

interface ServiceDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly meter: Meter;
  readonly notify: NotifyOfBudget;
}

/** The leases and the use that all agents of a process share. */
export class BudgetService {
  readonly #deps: BudgetDeps;
  readonly #agents = new Map<string, Budgets>();

  constructor({ notify, ...ports }: ServiceDeps) {
    const ledger = new Ledger(ports);
    const warnings = new Warnings({ ...ports, ledger, notify });
    const slots = new TurnSlots(ports);
    this.#deps = { ...ports, ledger, slots, warnings, useLog: new UseLog(ports, () => this.#tick(IDLE_MS)) };
  }

  /** Adds the budgets of an agent. */
  add(ref: AgentRef, rules: BudgetRules): Budgets {
    const budgets = new Budgets(ref, rules, this.#deps);
    this.#agents.set(ref.agent, budgets);
    return budgets;
  }

  /** The budgets of an agent of this process. */
  of(agent: string): Budgets | undefined {
    return this.#agents.get(agent);
  }

  /** Returns all unused leases at once. */
  returnLeases(): Promise<void> {
    return this.#tick(0);
  }

  /** Returns all leases and stores the collected use. */
  async stop(): Promise<void> {
    const { slots, warnings, useLog } = this.#deps;
    await slots.stop();
    await warnings.stop();
    useLog.stop();
    await this.#tick(0);
  }

  async #tick(idleMs: number): Promise<void> {
    const { ledger, useLog, logger } = this.#deps;
    try {
      await useLog.flush();
      await ledger.giveBack(idleMs);
    } catch (error) {
      logger.warn({ error: messageOf(error) }, "could not store budget use, will be retried");
    }
  }
}
