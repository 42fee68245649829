import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { expect } from "vitest";
import type { UserMessage } from "../../../../core/contract/messages/user-message.ts";
import type { Store } from "../../../../core/contract/ports/store.ts";
import { leavePerson } from "../../../../core/people/leave-person.ts";
import { claimLink, confirmLink, offerLink } from "../../../../core/people/linking/link-protocol.ts";
import { linkIdOf } from "../../../../core/people/linking/link-record.ts";
import { findPerson } from "../../../../core/people/person-record.ts";
import { userMessage } from "../../core-under-test.ts";
import { withRetries } from "../with-retries.ts";

const names = ["a", "b", "c", "d"] as const;
type Name = (typeof names)[number];
type Pair = readonly [issuer: Name, claimant: Name];

/** Links of one account with all others. An account can have one open code: a newer code voids the older one. */
export const star = fc.constantFrom<readonly Pair[]>(
  ...[0, 1, 2, 3].map((own) =>
    names.slice(1).map((other, index): Pair => (index === own ? ["a", other] : [other, "a"])),
  ),
);

/** Arbitrary links. Each account has at most one open code. */
export const anyLinks = fc
  .tuple(...names.map((issuer) => fc.option(fc.constantFrom(...names.filter((name) => name !== issuer)))))
  .map((claimants) =>
    claimants.flatMap((claimant, index): Pair[] => (claimant === null ? [] : [[names[index] as Name, claimant]])),
  );

export interface ConcurrentLinks {
  readonly links: readonly Pair[];
  /** Accounts that were linked before and were unlinked again. */
  readonly left: readonly Name[];
  /** The numbers of the writes that fail. */
  readonly crashes: readonly number[];
}

/** Orders the store operations of concurrent processes. */
interface Race {
  step(process: number, operation: "read" | "write"): Promise<unknown>;
  finish<T>(work: Promise<T>): Promise<T>;
}

/** Any interleaving can happen. */
export const inAnyOrder = (scheduler: fc.Scheduler): Race => ({
  step: () => scheduler.schedule(Promise.resolve()),
  finish: (work) => scheduler.waitFor(work),
});

export interface Speed {
  readonly read: number;
  readonly write: number;
}

/** Each operation of a process takes the same time, so links that undo each other's steps would do so forever. */
export const atConstantSpeeds = (speeds: readonly Speed[]): Race => {
  const waiting: { at: number; proceed: () => void }[] = [];
  let time = 0;
  return {
    step: (process, operation) =>
      new Promise<void>((proceed) => waiting.push({ at: time + (speeds[process]?.[operation] ?? 1), proceed })),
    async finish(work) {
      let isDone = false;
      const end = () => {
        isDone = true;
      };
      work.then(end, end);
      for (let steps = 0; ; steps++) {
        // Each process that is not waiting reaches its next step.
        await setImmediate();
        if (isDone) return work;
        if (steps === MAX_STEPS) throw new Error(`the links have not ended after ${MAX_STEPS} steps`);
        const next = waiting.sort((a, b) => a.at - b.at).shift();
        time = next?.at ?? time;
        next?.proceed();
      }
    },
  };
};

/** Many times more than any case needs. */
const MAX_STEPS = 10_000;

/** All sides of all links confirm concurrently; completed links must hold. */
export const confirmConcurrently = async (
  store: Store,
  race: Race,
  { links, left, crashes }: ConcurrentLinks,
  now: number,
): Promise<readonly (readonly Name[])[]> => {
  // Each case has its own people.
  const run = `${store.constructor.name}${++cases}`;
  const at = (name: string): UserMessage =>
    userMessage(`${name}-${run}`, "", {
      conversation: { channel: `web-${name}`, room: `${name}-${run}`, kind: "private" },
      account: { id: `${name}-${run}`, name },
    });
  const personOf = async (name: string) =>
    (await findPerson(store, { tenant: "default", channel: `web-${name}`, accountId: `${name}-${run}` })).person;
  const claimed = async (issuer: string, claimant: string) => {
    const code = await offerLink(store, at(issuer), now);
    await claimLink(store, at(claimant), code, now);
    return linkIdOf("default", code);
  };
  for (const name of left) {
    const former = `${name}-former`;
    const linkId = await claimed(former, name);
    for (const side of [former, name]) await confirmLink(store, at(side), linkId, now);
    await leavePerson(store, { tenant: "default", channel: `web-${former}`, accountId: `${former}-${run}` });
  }
  const open: { linkId: string; pair: Pair }[] = [];
  for (const pair of links) open.push({ linkId: await claimed(...pair), pair });

  const storeOf = stepwise(store, race, crashes);
  const sides = open.flatMap(({ linkId, pair }) => pair.map((side) => ({ linkId, pair, side })));
  const confirmations = sides.map(async ({ linkId, pair, side }, process) => {
    const raced = storeOf(process);
    return { pair, result: await withRetries(() => confirmLink(raced, at(side), linkId, now)) };
  });
  const results = await race.finish(Promise.all(confirmations));
  for (const { pair, result } of results) {
    if (typeof result === "string") expect(result).toBe("taken");
    else if (result.isLinked) expect((await personOf(pair[0])).id).toBe((await personOf(pair[1])).id);
  }
  return Promise.all(
    names.map(async (name) => {
      const person = await personOf(name);
      const others = names.filter((other) => person.accounts.some(({ channel }) => channel === `web-${other}`));
      for (const other of others) expect((await personOf(other)).id).toBe(person.id);
      return others;
    }),
  );
};

let cases = 0;

/** A store for each process, whose operations wait for their turn in the race. */
const stepwise = (store: Store, race: Race, crashes: readonly number[]): ((process: number) => Store) => {
  let writes = 0;
  return (process) => {
    const write = async <T>(act: () => Promise<T>): Promise<T> => {
      await race.step(process, "write");
      if (crashes.includes(writes++)) throw new Error("simulated crash");
      return act();
    };
    return {
      get: (key, known) => race.step(process, "read").then(() => store.get(key, known)),
      put: (key, value, options) => write(() => store.put(key, value, options)),
      delete: (key, options) => write(() => store.delete(key, options)),
      list: (prefix) => store.list(prefix),
    };
  };
};
