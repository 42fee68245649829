import { AppError } from "../../contract/app-error.ts";

const PLACEHOLDER = /\{([\w-]{1,64})\}/g;

/** The names of the arguments that a URL template takes. */
export const placeholdersOf = (template: string): readonly string[] => [
  ...new Set([...template.matchAll(PLACEHOLDER)].map(([, name = ""]) => name)),
];

/** A URL in which every placeholder has a harmless value. */
const sampleOf = (template: string, value = "x"): URL | undefined => {
  const sample = template.replace(PLACEHOLDER, value);
  return URL.canParse(sample) ? new URL(sample) : undefined;
};

/** Names of query parameters that the template sets. */
export const fixedQueryOf = (template: string): readonly string[] => [
  ...(sampleOf(template)?.searchParams.keys() ?? []),
];

/** Why a template cannot be used; undefined if it can. */
export const urlTemplateProblem = (template: string): string | undefined => {
  const url = sampleOf(template);
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    return 'must be an http or https address such as "https://api.example/orders/{id}"';
  }
  if (url.username !== "" || url.password !== "") return "must have no user name or password: use headers";
  if (url.hash !== "") return "must have no #fragment, because it is not sent";
  // The parser decides where the host ends: it accepts other slashes, any number of them, and spaces around the address.
  if (url.origin !== sampleOf(template, "y")?.origin)
    return "must have {…} in the path or the query only, never in scheme, host or port";
  if (/[{}]/.test(template.replace(PLACEHOLDER, ""))) {
    return "has a { or } without its counterpart, or a name that is not made of letters, digits, _ and -";
  }
  return undefined;
};

const DOTS = /^(\.|%2e){1,2}$/i;

/**
 * The URL for some arguments. Each value stays in its place: it is encoded, and a value that would make a path segment
 * empty or a dot segment is refused, because such a segment changes the path around it.
 */
export const expandUrl = (template: string, input: Readonly<Record<string, unknown>>): URL => {
  const [path = "", query] = splitQuery(template);
  const filled = path.replace(PLACEHOLDER, (_, name: string) => {
    const text = textOf(name, input[name]);
    if (text === "") throw new AppError("bad-input", `"${name}" must not be empty`);
    return encodeURIComponent(text);
  });
  if (filled.split("/").some((segment) => DOTS.test(segment))) {
    throw new AppError("bad-input", 'an argument must not be "." or ".." in the path');
  }
  const params = query?.replace(PLACEHOLDER, (_, name: string) => encodeURIComponent(textOf(name, input[name])));
  const url = new URL(params === undefined ? filled : `${filled}?${params}`);
  if (url.origin !== sampleOf(template)?.origin) {
    throw new AppError("forbidden", "the arguments would change the host of the address");
  }
  return url;
};

const splitQuery = (template: string): [path: string, query?: string] => {
  const at = template.indexOf("?");
  return at === -1 ? [template] : [template.slice(0, at), template.slice(at + 1)];
};

const textOf = (name: string, value: unknown): string => {
  if (["string", "number", "boolean"].includes(typeof value)) return String(value).toWellFormed();
  throw new AppError("bad-input", `"${name}" must be a text, a number or a boolean, because it is part of the address`);
};
