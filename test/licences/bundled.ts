/** Development dependencies that may be bundled into what browsers load, and so are shipped. */
export const bundled: readonly string[] = ["marked", "preact"];
