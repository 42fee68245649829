import { AppError, RevisionConflict } from "../../../core/contract/app-error.ts";
import type { AgentReply } from "../../../core/contract/messages/agent-reply.ts";
import { type Conversation, conversationKey, sameRoom } from "../../../core/contract/messages/conversation.ts";
import type { DeliveryPolicy } from "../../../core/contract/messages/delivery-policy.ts";
import type { Audience } from "../../../core/contract/messages/work-context.ts";
import { resolveRepliedTo } from "../../../core/delivery/resolve-replied-to.ts";
import { afterRefusal, isStillTarget, targetsOn } from "../../../core/delivery/targets.ts";
import { mayContinue } from "../../../core/delivery/visibility.ts";
import { putPosted } from "../../../core/origin/posted-message-index.ts";
import { leavePerson } from "../../../core/people/leave-person.ts";
import { joinPeople } from "../../../core/people/linking/join-people.ts";
import { changePerson, findPerson } from "../../../core/people/person-record.ts";
import { resolveAsker } from "../../../core/people/resolve-asker.ts";
import { runTarget } from "../../../core/schedules/runs/run-target.ts";
import { schedulesOfAgent } from "../../../core/schedules/schedule-record.ts";
import { ownSubtask } from "../../../core/subtasks/record/subtask-access.ts";
import { subtaskKey } from "../../../core/subtasks/record/subtask-record.ts";
import { MemoryStore } from "../../adapters/web/memory-store.ts";
import { ManualClock } from "../../fakes/manual-clock.ts";
import { sampleReply } from "../../fakes/sample-reply.ts";
import { AGENT, userMessage } from "../core-under-test.ts";
import { subtaskOf, useScheduleTool } from "./world-tools.ts";

export const CHANNELS = ["paper", "stone", "glass"];
export const ACCOUNTS = ["a", "b", "c", "d", "e", "f"];
export const ROOMS = ["harbour", "town"];

export const channelOf = (account: string): string => CHANNELS[ACCOUNTS.indexOf(account) % CHANNELS.length] ?? "";
export const privateOf = (account: string): Conversation => ({
  channel: channelOf(account),
  room: `dm-${account}`,
  kind: "private",
});
export const roomOf = (account: string, room: string): Conversation => ({
  channel: channelOf(account),
  room,
  kind: "shared",
});

/** The account of a private room; threads do not count. */
export const ownerOfRoom = (conversation: Conversation): string | undefined =>
  ACCOUNTS.find((account) => sameRoom(privateOf(account), conversation));

/** A piece of work in the model of the test. */
export interface Work {
  /** The account that asked; the result of a schedule may go to another account of the person. */
  readonly asker: string;
  readonly madeBy: string;
  readonly audience: Audience;
  readonly isScheduled: boolean;
  /** The accounts that have been linked with the asker since it began. */
  readonly together: Set<string>;
}

/** People, accounts and rooms in a real store, and a plain model of which accounts are linked. */
export class AudienceWorld {
  readonly clock = new ManualClock(Date.UTC(2026, 2, 10, 12));
  readonly store = new MemoryStore(this.clock);
  readonly work: Work[] = [];
  /** Schedules by description, with the work whose turn created them. */
  readonly schedules = new Map<string, Work>();
  readonly queued: { work: Work; reply: AgentReply; target: Conversation }[] = [];
  /** There is no fallback conversation. */
  readonly home = undefined;
  readonly barred = new Set<string>();
  readonly written = new Set<string>();
  readonly policies = new Map<string, DeliveryPolicy>();
  /** The group of each account; accounts with the same group are one person. */
  readonly #groups = new Map(ACCOUNTS.map((account) => [account, account]));
  #count = 0;
  #writesLeft = Number.POSITIVE_INFINITY;

  constructor() {
    this.store.before = (operation) => {
      if (operation === "put" && this.#writesLeft-- <= 0) throw new Error("simulated crash");
    };
  }

  hasChannel(channel: string): boolean {
    return CHANNELS.includes(channel);
  }

  linkedWith(account: string): string[] {
    return ACCOUNTS.filter((other) => this.#groups.get(other) === this.#groups.get(account));
  }

  /** A message starts work and makes its private conversation known. */
  async write(account: string, conversation: Conversation, isScheduled: boolean): Promise<void> {
    const message = userMessage(`m-${this.#count++}`, "hello", {
      conversation,
      account: { id: account, name: account },
    });
    const { id: personId, membership } = await resolveAsker(this, message);
    if (conversation.kind === "private") this.written.add(account);
    const audience = { conversation, personId, accountId: account, membership };
    this.#begin({ asker: account, madeBy: account, audience, isScheduled });
  }

  #begin(work: Omit<Work, "together">): void {
    this.work.push({ ...work, together: new Set(this.linkedWith(work.asker)) });
  }

  /** A turn of this work creates a schedule, if the target is allowed. */
  async schedule(work: Work, deliverTo: string): Promise<void> {
    const description = `schedule ${this.#count++}`;
    const input = { description, prompt: "look around", when: "every 1 h", deliverTo };
    try {
      await useScheduleTool(this, work, "schedule_task", input, description);
      this.schedules.set(description, work);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "bad-input") throw error;
    }
  }

  /** Runs one of the schedules, which starts new work for the current owner of the creating account. */
  async run(index: number): Promise<{ creator: Work; audience: Audience } | undefined> {
    const all = [];
    for await (const { value } of this.store.list(schedulesOfAgent({ tenant: "default", agent: AGENT })))
      all.push(value);
    const schedule = all[index % Math.max(1, all.length)];
    const creator = this.schedules.get(schedule?.description ?? "");
    const audience = schedule && (await runTarget(this, schedule)).audience;
    if (schedule === undefined || creator === undefined || audience?.accountId === undefined) return undefined;
    this.#begin({ asker: creator.asker, madeBy: schedule.asker.accountId, audience, isScheduled: true });
    return { creator, audience };
  }

  /** The work whose turns created the schedules that a turn of this work can list. */
  async schedulesSeenBy(work: Work): Promise<Work[]> {
    const listed = await useScheduleTool(this, work, "list_schedules", {}, "list");
    const found = [...listed.matchAll(/"(schedule \d+)"/g)].map(([, description = ""]) => description);
    return found.flatMap((description) => this.schedules.get(description) ?? []);
  }

  /** Whether an account that writes in a conversation may cancel the subtasks of this work. */
  async mayCancel(work: Work, accountId: string, conversation: Conversation): Promise<boolean> {
    const id = `subtask-${(this.#count++).toString(16).padStart(8, "0")}`;
    const subtask = subtaskOf(work, id);
    await this.store.put(subtaskKey(subtask), subtask);
    try {
      await ownSubtask(this, subtask, { writer: { tenant: "default", conversation, accountId } });
      return true;
    } catch (error) {
      if (error instanceof AppError && error.code === "forbidden") return false;
      throw error;
    }
  }

  /** Retried after a crash, which happens after this many writes. */
  async link(one: string, other: string, crashAfter: number): Promise<void> {
    if (channelOf(one) === channelOf(other)) return;
    const wereOne = this.linkedWith(one).includes(other);
    const [ones, others] = [this.linkedWith(one), this.linkedWith(other)];
    const linkId = `link-${this.#count++}`;
    const sides = [this.#side(one), this.#side(other)] as const;
    const joining = { linkId, tenant: "default", sides, now: this.clock.now() };
    const result = await this.#retried(crashAfter, () => joinPeople(this.store, joining));
    const isTaken = !wereOne && ones.length > 1 && others.length > 1;
    if ((result === "taken") !== isTaken) throw new Error(`the link of ${one} and ${other} was ${result}`);
    if (isTaken || wereOne) return;
    const [host, guest] = others.length > 1 ? [other, one] : [one, other];
    this.#groups.set(guest, this.#groups.get(host) ?? "");
    // Two single accounts form a new person with its own group.
    if (ones.length === 1 && others.length === 1)
      for (const account of [host, guest]) this.#groups.set(account, linkId);
  }

  async unlink(account: string, crashAfter: number): Promise<void> {
    const before = this.linkedWith(account);
    const address = { tenant: "default", channel: channelOf(account), accountId: account };
    await this.#retried(crashAfter, () => leavePerson(this.store, address));
    if (before.length < 2) return;
    this.#groups.set(account, `alone-${this.#count++}`);
    for (const work of this.work) {
      if (work.asker === account) for (const other of before) if (other !== account) work.together.delete(other);
      if (before.includes(work.asker) && work.asker !== account) work.together.delete(account);
    }
  }

  async policy(account: string, policy: DeliveryPolicy): Promise<void> {
    const address = { tenant: "default", channel: channelOf(account), accountId: account };
    await changePerson(this.store, address, (person) => ({ ...person, policy }));
  }

  /** Whether the store and the model agree about which accounts are one person. */
  async agrees(): Promise<boolean> {
    const ids = new Map<string, string>();
    for (const account of ACCOUNTS) {
      const { person } = await findPerson(this.store, {
        tenant: "default",
        channel: channelOf(account),
        accountId: account,
      });
      ids.set(account, person.id);
    }
    return ACCOUNTS.every((one) =>
      ACCOUNTS.every((other) => (ids.get(one) === ids.get(other)) === this.linkedWith(one).includes(other)),
    );
  }

  /** The targets of a reply on all channels. */
  async answer(work: Work, kind: AgentReply["kind"], isSolicited: boolean): Promise<Conversation[]> {
    const { conversation } = work.audience;
    const channel = work.isScheduled ? "scheduled" : conversation.channel;
    const origin = { channel, promptSummary: "ask", startedAt: "2026-03-10T12:00:00.000Z", sessionId: "s" };
    const reply = sampleReply(`r-${this.#count++}`, conversation, "words", {
      kind,
      origin: kind === "notice" ? null : origin,
      audience: work.audience,
      ...(isSolicited && { correlationId: "m" }),
    });
    return this.#queue(work, reply);
  }

  async #queue(work: Work, reply: AgentReply): Promise<Conversation[]> {
    const found: Conversation[] = [];
    for (const on of CHANNELS) {
      const targets = await targetsOn(this.#targetDeps())(on, reply);
      found.push(...targets.map(({ conversation }) => conversation));
    }
    this.queued.push(...found.map((target) => ({ work, reply, target })));
    return found;
  }

  /** A conversation rejects a queued reply: its next targets, or the account that gets it in private. */
  async refuse({ work, reply, target }: AudienceWorld["queued"][number]): Promise<Conversation[] | string> {
    const next = await afterRefusal(this.#targetDeps())(reply, target);
    if (next === undefined) return [];
    return "next" in next ? this.#queue(work, next.next) : next.inPrivate;
  }

  isStillTarget(reply: AgentReply, target: Conversation): Promise<boolean> {
    return isStillTarget(this.#targetDeps())(reply, target);
  }

  mayContinue({ audience }: Work, conversation: Conversation): Promise<boolean> {
    return mayContinue(this.store, { audience }, { tenant: "default", conversation });
  }

  /** The account replies to a digest of these works; returns the works that its turn continues. */
  async answerDigest(works: readonly Work[], account: string, conversation: Conversation): Promise<Work[]> {
    const origin = { channel: "x", promptSummary: "ask", startedAt: "2026-03-10T12:00:00.000Z", sessionId: "s" };
    const records = works.map(({ audience }, index) => ({
      replyId: String(index),
      number: index + 1,
      origin,
      audience,
      sessionId: "s",
    }));
    const id = `m-${this.#count++}`;
    const address = { tenant: "default", agent: AGENT, conversation };
    await putPosted(this.store, address, `note-${id}`, records);
    const answer = { conversation, account: { id: account, name: account }, replyTo: `note-${id}` };
    const found = await resolveRepliedTo(this.store, userMessage(id, "go on", answer));
    return found.flatMap(({ replyId }) => works[Number(replyId)] ?? []);
  }

  /** The oracle for replies: derived from the model only, not from the stored records (D3). */
  maySee(work: Work, target: Conversation): boolean {
    if (target.kind === "private") return work.together.has(ownerOfRoom(target) ?? "");
    return conversationKey(target) === conversationKey(work.audience.conversation);
  }

  /** The oracle for context: visible in all threads of the room that the work began in. */
  mayKnow(work: Work, conversation: Conversation): boolean {
    if (conversation.kind === "private") return work.together.has(ownerOfRoom(conversation) ?? "");
    return work.audience.conversation.kind === "shared" && sameRoom(conversation, work.audience.conversation);
  }

  #targetDeps() {
    const admits = (target: Conversation, accountId: string | undefined) =>
      target.kind === "shared" || !this.barred.has(accountId ?? "");
    return { store: this.store, clock: this.clock, admits, defaultsOn: () => ({}) };
  }

  #side(account: string) {
    const conversation = privateOf(account);
    const { channel } = conversation;
    return { channel, accountId: account, name: account, agent: "mooring", conversation, confirmed: true };
  }

  /** Retries a failed action, as the bus does. */
  async #retried<T>(crashAfter: number, act: () => Promise<T>): Promise<T> {
    this.#writesLeft = crashAfter;
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof RevisionConflict) && !String(error).includes("simulated crash")) throw error;
    } finally {
      this.#writesLeft = Number.POSITIVE_INFINITY;
    }
    return act();
  }
}
