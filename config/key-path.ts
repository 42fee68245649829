/** The way from the top of the file to a value: keys of maps, positions in lists. */
export type KeyPath = readonly (string | number)[];

/**
 * As people write it: `agents[0].model`. A key that is no name may be a secret that a missing quote made a key: the line
 * number has to do.
 */
export const spellPath = (path: KeyPath): string =>
  path
    .map((step, index) => {
      if (typeof step === "number") return `[${step}]`;
      if (!/^(\$\{\w+\}|[a-z0-9][\w-]{0,39})$/.test(step)) return "[…]";
      return index === 0 ? step : `.${step}`;
    })
    .join("");

export const valueAt = (root: unknown, path: KeyPath): unknown => {
  let value = root;
  for (const step of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
    value = Reflect.get(value, step);
  }
  return value;
};
