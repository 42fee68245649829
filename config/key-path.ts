/** The way from the top of the file to a value: keys of maps, positions in lists. */
export type KeyPath = readonly (string | number)[];

/** As people write it: `agents[0].model`, `channels["my web"].agent`. */
export const spellPath = (path: KeyPath): string =>
  path
    .map((step, index) => {
      if (typeof step === "number") return `[${step}]`;
      if (!/^[\w-]+$/.test(step)) return `[${JSON.stringify(step)}]`;
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
