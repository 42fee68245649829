/** Every process that Mooring starts for a server, and each that this one starts, has this variable. */
export const MARKER = "MOORING_TOOL_INSTANCE";

/** Programs need them to run at all; none of them holds a secret. */
const INHERITED = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "TERM",
  "LANG",
  "LC_ALL",
  "TZ",
  "TMPDIR",
  "SYSTEMROOT",
  "APPDATA",
  "LOCALAPPDATA",
  "USERPROFILE",
  "TEMP",
];

/** The environment of a server: a few variables of ours, those of its configuration, and the marker. */
export const serverEnvironment = (
  own: Readonly<Record<string, string | undefined>>,
  configured: Readonly<Record<string, string>>,
  instance: string,
): Record<string, string> => ({
  ...Object.fromEntries(INHERITED.flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]]]))),
  ...configured,
  [MARKER]: instance,
});
