import { createHash } from "node:crypto";
import { z } from "zod";
import type { ReplyAction } from "../../core/contract/messages/agent-reply.ts";
import type { CommandLine } from "../../core/contract/messages/user-message.ts";
import { collection, keyOf, type Store } from "../../core/contract/ports/store.ts";
import type { Delivery } from "../contract/channel-adapter.ts";
import { offeredActions } from "../contract/render-delivery.ts";

/** https://core.telegram.org/bots/api#inlinekeyboardbutton: 1 to 64 bytes. */
const MAX_DATA_BYTES = 64;
const MAX_BUTTONS = 24;
const MAX_LABEL = 60;
const PER_ROW = 3;
const SHORT_LABEL = 14;

interface Button {
  readonly text: string;
  readonly callback_data: string;
}

export interface Keyboard {
  readonly inline_keyboard: readonly (readonly Button[])[];
}

const LongValue = z.looseObject({ name: z.string().min(1), value: z.string() });
const BUTTON_TTL_MS = 30 * 24 * 3_600_000;

/** The values of buttons that do not fit into the data of a button, by their hash. */
const longValues = collection("telegram-buttons", LongValue, { ttlMs: BUTTON_TTL_MS });

const DIRECT = "m1:";
const STORED = "m2:";

/** The buttons below a message. */
export class Buttons {
  readonly #channel: string;
  readonly #store: Store;

  constructor(channel: string, store: Store) {
    this.#channel = channel;
    this.#store = store;
  }

  /** Resolves once long values are stored, so that no button is shown that cannot be pressed. */
  async keyboardOf(delivery: Delivery): Promise<Keyboard | undefined> {
    const actions = offeredActions(delivery).slice(0, MAX_BUTTONS);
    if (actions.length === 0) return undefined;
    const buttons: Button[] = [];
    for (const action of actions) buttons.push({ text: labelOf(action), callback_data: await this.#dataOf(action) });
    return { inline_keyboard: inRows(buttons) };
  }

  /** The command of a pressed button; undefined if the button is not ours or too old. */
  async pressed(data: string): Promise<CommandLine | undefined> {
    const [, name, args = ""] = /^m1:([^:]+):([\s\S]*)$/.exec(data) ?? [];
    if (name !== undefined) return { name, args };
    if (!data.startsWith(STORED)) return undefined;
    const found = await this.#store.get(this.#keyOf(data.slice(STORED.length)));
    return found === undefined ? undefined : { name: found.value.name, args: found.value.value };
  }

  async #dataOf({ name, value = "" }: ReplyAction): Promise<string> {
    const direct = `${DIRECT}${name}:${value}`;
    if (!name.includes(":") && Buffer.byteLength(direct) <= MAX_DATA_BYTES) return direct;
    const hash = createHash("sha256")
      .update(JSON.stringify([name, value]))
      .digest("base64url");
    // The same value has the same key, so a retry writes the same record and extends its life.
    await this.#store.put(this.#keyOf(hash), { name, value });
    return `${STORED}${hash}`;
  }

  #keyOf(hash: string) {
    return keyOf(longValues, this.#channel, hash);
  }
}

const labelOf = ({ label, name }: ReplyAction): string => Array.from(label).slice(0, MAX_LABEL).join("") || name;

/** Short labels share a row; a long one has a row of its own, because phones cut it. */
const inRows = (buttons: readonly Button[]): Button[][] => {
  const rows: Button[][] = [];
  for (const button of buttons) {
    const row = rows.at(-1);
    const isShort = (each: Button) => each.text.length <= SHORT_LABEL;
    if (row !== undefined && row.length < PER_ROW && isShort(button) && row.every(isShort)) row.push(button);
    else rows.push([button]);
  }
  return rows;
};
