import { setTimeout as delay } from "node:timers/promises";
import { type Account, type Ask, type ConversationName, type Letter, settle } from "./account/account.ts";
import type { Surface } from "./crowd/crowd.ts";
import { DiscordCrowd } from "./crowd/discord-crowd.ts";
import { SlackCrowd } from "./crowd/slack-crowd.ts";
import { TeamsCrowd } from "./crowd/teams-crowd.ts";
import { TelegramCrowd } from "./crowd/telegram-crowd.ts";
import { WebCrowd } from "./crowd/web-crowd.ts";
import { APART_ON_CLUSTER_MS, ErrandModel, HARBOUR } from "./errand-model.ts";
import { askOf, wordsOf } from "./errands.ts";
import { Operator, whenAnswered } from "./operator.ts";
import type { Fault } from "./plan/fault.ts";
import type { Backbone, Saying } from "./plan/plan.ts";
import { Product } from "./product.ts";

const LOOK_EVERY_MS = 100;
/**
 * Timeout without any new message. Longer than the longest pause of the product here, which is a minute: if the
 * message about a due time is lost, a core finds it at its next poll.
 */
const PATIENCE_MS = 90_000;

const PEOPLE = ["ann", "bob", "cat"] as const;

interface Parts {
  readonly product: Product;
  readonly operator: Operator;
  readonly model: ErrandModel;
  readonly slack: SlackCrowd;
  readonly discord: DiscordCrowd;
  readonly teams: TeamsCrowd;
  readonly telegram: TelegramCrowd;
  readonly web: WebCrowd;
}

/** The product, the platforms, the people on them, and their records. */
export class Rig {
  readonly #parts: Parts;
  readonly #lanes = new Map<ConversationName, Promise<void>>();
  readonly #readBefore = new Set<string>();
  #asks: Ask[] = [];
  #letters: readonly (Letter & { readonly ref: string })[] = [];
  #tokens = 0;

  private constructor(parts: Parts) {
    this.#parts = parts;
  }

  static async start(backbone: Backbone): Promise<Rig> {
    let running: Product | undefined;
    const gateway = () => running?.gateway() ?? "http://127.0.0.1:9";
    const [model, slack, discord, teams, telegram] = await Promise.all([
      ErrandModel.start(backbone === "nats-cluster" ? APART_ON_CLUSTER_MS : 0),
      SlackCrowd.start(gateway),
      DiscordCrowd.start(),
      TeamsCrowd.start(gateway),
      TelegramCrowd.start(),
    ]);
    const web = new WebCrowd(gateway);
    const operator = new Operator(gateway);
    const crowds = { slack, discord, teams, telegram, web };
    const entries = Object.entries(crowds);
    const agent = (name: string, peer: string) => ({
      name,
      model: model.configFor(name),
      peers: [peer],
      rights: { anonymous: ["default", "peers"] },
      delegation: { running: 100 },
      peering: { openCalls: 100 },
    });
    running = await Product.start(backbone, {
      admin: { tokens: [{ token: operator.token, role: "platform_admin" }] },
      tenants: { default: { a2aAsync: true } },
      people: PEOPLE.map((name) => ({
        name,
        accounts: Object.fromEntries(entries.map(([channel, crowd]) => [channel, crowd.accountOf(name)])),
      })),
      agents: [agent("mooring", HARBOUR), agent(HARBOUR, "mooring")],
      channels: Object.fromEntries(entries.map(([name, { config }]) => [name, { agent: "mooring", ...config }])),
    });
    const rig = new Rig({ product: running, operator, model, ...crowds });
    await discord.connected();
    // Results are shown only in conversations that people have written in before.
    rig.sayEverywhere();
    await rig.untilMissing(0);
    return rig;
  }

  get operator(): Operator {
    return this.#parts.operator;
  }

  get product(): Product {
    return this.#parts.product;
  }

  get web(): WebCrowd {
    return this.#parts.web;
  }

  /** Records the request; it is sent once all earlier messages in its conversation were accepted. */
  say({ person, surfaceIndex, errand, again }: Omit<Saying, "do">): void {
    const name = PEOPLE[person % PEOPLE.length] ?? PEOPLE[0];
    const surfaces = this.#surfacesOf(name);
    const surface = surfaces[surfaceIndex % surfaces.length];
    if (surface === undefined) throw new Error(`${name} is nowhere`);
    const token = `m${++this.#tokens}`;
    const privateConversations = surfaces.filter(({ isPrivate }) => isPrivate).map((each) => each.conversation);
    this.#asks.push(askOf(errand, token, surface.conversation, privateConversations));
    const before = this.#lanes.get(surface.conversation) ?? Promise.resolve();
    const said = before.then(() => surface.say(wordsOf(errand, token), again));
    this.#lanes.set(surface.conversation, said);
  }

  async inject(fault: Fault): Promise<void> {
    const { product, model, discord, web } = this.#parts;
    if (fault.on === "nats") return product.killNats(fault);
    if (fault.on === "node" || fault.on === "cluster") return product.disturbCluster(fault);
    if ("nth" in fault) return product.disturb(fault);
    if (fault.on === "model") return model.nextFaults.add(fault.what, fault.times);
    if ("times" in fault) return this.#parts[fault.on].nextFaults.add(fault.what, fault.times);
    return fault.on === "web" ? web.cutAll() : discord.disturb(fault.what);
  }

  /** Clears all faults and waits until all processes run. */
  async recover(): Promise<void> {
    const { product, slack, discord, teams, telegram, model } = this.#parts;
    for (const { nextFaults } of [slack, discord, teams, telegram, model]) nextFaults.clear();
    await product.allUp();
    await Promise.all(this.#lanes.values());
  }

  /** Sends one more message in each conversation; everything before its answer is complete. */
  sayEverywhere(): void {
    const seen = new Set<ConversationName>();
    for (const [person, name] of PEOPLE.entries()) {
      for (const [surfaceIndex, surface] of this.#surfacesOf(name).entries()) {
        if (seen.has(surface.conversation)) continue;
        seen.add(surface.conversation);
        this.say({ person, surfaceIndex, errand: "plain", again: false });
      }
    }
  }

  /** The number of requests since the last reset of the records. */
  get asked(): number {
    return this.#asks.length;
  }

  /**
   * Resolves when at most this many answers to the first messages are missing, or when nothing has arrived for
   * a long time.
   */
  async untilMissing(most: number, first = this.asked): Promise<void> {
    let fewest = Number.POSITIVE_INFINITY;
    for (let since = performance.now(), looks = 0; performance.now() - since < PATIENCE_MS; looks++) {
      const missing = this.#settle(first).lost.length;
      if (missing <= most) return;
      if (missing < fewest) [fewest, since] = [missing, performance.now()];
      // A gateway that is down returns no list.
      if (looks % 10 === 9) await this.#readLetters().catch(() => undefined);
      await delay(LOOK_EVERY_MS);
    }
  }

  /** Includes the dead letters that operators see. */
  async account(): Promise<Account> {
    await whenAnswered(() => this.#readLetters());
    return this.#settle();
  }

  /** Resets the records. Later messages for these requests are errors. */
  forget(): void {
    this.#asks = [];
    for (const { ref } of this.#letters) this.#readBefore.add(ref);
    this.#letters = [];
    for (const crowd of this.#crowds) crowd.forget();
  }

  async dispose(): Promise<void> {
    const { product, model, slack, discord, teams, telegram, web } = this.#parts;
    web.stop();
    await product.dispose();
    await Promise.all([model, slack, discord, teams, telegram].map((part) => part.stop()));
  }

  get #crowds() {
    const { slack, discord, teams, telegram, web } = this.#parts;
    return [slack, discord, teams, telegram, web] as const;
  }

  #surfacesOf(person: string): readonly Surface[] {
    return this.#crowds.flatMap((crowd) => crowd.surfacesOf(person));
  }

  async #readLetters(): Promise<void> {
    const letters = await this.operator.letters();
    this.#letters = letters.filter(({ ref }) => !this.#readBefore.has(ref));
  }

  #settle(first = this.asked): Account {
    const seen = this.#crowds.flatMap((crowd) => crowd.seen());
    const { slack, discord, teams, telegram, web } = this.#parts;
    const silent = Object.entries({ slack, discord, teams, telegram, web }).flatMap(([name, { tells }]) =>
      tells ? [] : name,
    );
    return settle({ asks: this.#asks.slice(0, first), seen, letters: this.#letters, silent });
  }
}
