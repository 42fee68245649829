import fc from "fast-check";

/** A JSON value with edits that only a hostile or broken sender makes. */
export const mutated = (samples: readonly unknown[]): fc.Arbitrary<unknown> =>
  fc
    .record({ sample: fc.constantFrom(...samples), edits: fc.array(edit, { minLength: 1, maxLength: 4 }) })
    .map(({ sample, edits }) => edits.reduce<unknown>(apply, structuredClone(sample)));

/** The mutated value as text; some of it is not valid JSON. */
export const mutatedText = (samples: readonly unknown[]): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 3, arbitrary: mutated(samples).map(toText) },
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...samples), fc.nat(), slip).map(broken) },
  );

interface Edit {
  readonly at: number;
  readonly how: "replace" | "remove" | "rename" | "repeat";
  readonly value: unknown;
  readonly name: string;
}

const deep = (levels: number): unknown => {
  let value: unknown = "bottom";
  for (let level = 0; level < levels; level++) value = level % 2 ? [value] : { a: value };
  return value;
};

const HOSTILE: readonly unknown[] = [
  ...[null, true, false, 0, -1, 0.5, 2 ** 53, -1e308, 1e308, "", " ", "\u0000", "\ud800", "\u202e\u200b", "NaN"],
  ...["__proto__", "constructor", "../../etc/passwd", "\u0024{PATH}", "%s%n", "a.b.*.>", "\r\nx: y", "<script>", "💥"],
  ...["1970-01-01T00:00:00Z", "-271821-04-20T00:00:00.000Z", "9".repeat(400), "x".repeat(5_000), "é".repeat(2_000)],
  ...[[], {}, [[]], [null], deep(200), Array.from({ length: 500 }, (_, n) => n), { length: -1 }, { toString: null }],
];

const NAMES = ["__proto__", "constructor", "toString", "", " ", "id", "type", "length", "then", "$ref"] as const;

const edit: fc.Arbitrary<Edit> = fc.record({
  at: fc.nat(),
  how: fc.constantFrom("replace", "replace", "replace", "remove", "rename", "repeat"),
  value: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...HOSTILE) }, fc.jsonValue({ maxDepth: 2 })),
  name: fc.constantFrom(...NAMES),
});

type Holder = Record<string, unknown> | unknown[];

/** Every property and item in the value, at any depth. */
const fieldsIn = (value: unknown, found: [Holder, string][] = []): [Holder, string][] => {
  if (typeof value !== "object" || value === null || found.length > 300) return found;
  const holder = value as Holder;
  for (const key of Object.keys(holder)) {
    found.push([holder, key]);
    fieldsIn((holder as Record<string, unknown>)[key], found);
  }
  return found;
};

const apply = (value: unknown, { at, how, value: given, name }: Edit): unknown => {
  // Cloned, because a later edit may change it.
  const other = structuredClone(given);
  const fields = fieldsIn(value);
  const [holder, key] = fields[at % (fields.length + 1)] ?? [];
  if (holder === undefined || key === undefined) return how === "replace" ? other : value;
  const values = holder as Record<string, unknown>;
  if (Array.isArray(holder)) {
    if (how === "remove") holder.splice(Number(key), 1);
    else if (how === "repeat") holder.push(...Array.from({ length: 50 }, () => structuredClone(holder[Number(key)])));
    else holder[Number(key)] = other;
  } else if (how === "replace") set(values, key, other);
  else if (how === "repeat")
    set(
      values,
      key,
      Array.from({ length: 50 }, () => structuredClone(values[key])),
    );
  else {
    if (how === "rename") set(values, name, values[key]);
    delete values[key];
  }
  return value;
};

/** Like JSON.parse, sets "__proto__" as an ordinary property. */
const set = (holder: Record<string, unknown>, key: string, value: unknown): void => {
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
};

const toText = (value: unknown): string => JSON.stringify(value) ?? "undefined";

const slip = fc.constantFrom("cut", "{", "[", '"', "\\", "\u0000", ",", "}", "\ufeff", "[".repeat(2_000), "1e999");

const broken = ([sample, at, what]: [unknown, number, string]): string => {
  const text = toText(sample);
  const position = at % (text.length + 1);
  return what === "cut" ? text.slice(0, position) : text.slice(0, position) + what + text.slice(position);
};
