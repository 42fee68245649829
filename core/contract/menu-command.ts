/** A command as channels with a command menu show it. */
export interface MenuCommand {
  readonly name: string;
  /** At most 100 characters, the limit of Discord. */
  readonly description: string;
  readonly argument?: { readonly name: string; readonly description: string };
  /** Both texts in other languages, by language; an argument has the same name in each. */
  readonly translations?: Readonly<Record<string, Pick<MenuCommand, "description" | "argument">>>;
  /** Only the caller sees the answer in a shared conversation (I3). */
  readonly privately: boolean;
}
