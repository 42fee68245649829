import type { ReplyAction } from "../../core/contract/agent-reply.ts";

/** https://docs.discord.com/developers/components/reference */
const Component = { row: 1, button: 2 } as const;
const SECONDARY = 2;
const PER_ROW = 5;
const MOST_ROWS = 5;
const LONGEST_LABEL = 80;
const LONGEST_ID = 100;

/** Buttons. One whose value does not fit into its id cannot be drawn; people can type the command instead. */
export const renderActions = (actions: readonly ReplyAction[]): readonly unknown[] => {
  const buttons = actions
    .map(({ name, label, value = "" }) => ({
      type: Component.button,
      style: SECONDARY,
      label: Array.from(label).slice(0, LONGEST_LABEL).join("") || name,
      custom_id: `${MARK}${name}:${value}`,
    }))
    .filter(({ custom_id }, index, all) => custom_id.length <= LONGEST_ID && isFirst(custom_id, index, all))
    .slice(0, PER_ROW * MOST_ROWS);
  const rows: unknown[] = [];
  for (let at = 0; at < buttons.length; at += PER_ROW) {
    rows.push({ type: Component.row, components: buttons.slice(at, at + PER_ROW) });
  }
  return rows;
};

/** What a pressed button asks for; nothing if it is not one of ours. */
export const pressedAction = (customId: string): { name: string; args: string } | undefined => {
  const [, name, args = ""] = /^m1:([^:]+):([\s\S]*)$/.exec(customId) ?? [];
  return name === undefined ? undefined : { name, args };
};

const MARK = "m1:";

/** Discord refuses two buttons with the same id. */
const isFirst = (id: string, index: number, all: readonly { custom_id: string }[]): boolean =>
  all.findIndex(({ custom_id }) => custom_id === id) === index;
