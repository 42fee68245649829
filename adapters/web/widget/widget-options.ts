export interface WidgetOptions {
  /** Replaces the agent's name. */
  readonly title?: string;
  /** Shown in an empty conversation. */
  readonly greeting?: string;
  /** Buttons in an empty conversation. */
  readonly suggestions: readonly string[];
  readonly theme: "auto" | "light" | "dark";
  readonly position: "left" | "right";
  /** Replaces the browser's languages. */
  readonly locale?: string;
  /** A colour as #rrggbb. */
  readonly accent?: string;
  readonly isOpen: boolean;
  readonly hasLauncher: boolean;
  /** CSS selector: the chat fills this element instead of floating over the page. */
  readonly target?: string;
  /** Signed by the page's server; identifies the visitor. */
  readonly token?: string;
  /** Accepted file types as in an <input>; all if absent. */
  readonly accept?: string;
}

/** Reads the `data-*` attributes of the script tag; invalid values are ignored. */
export const readOptions = (data: Readonly<Record<string, string | undefined>>): WidgetOptions => {
  const { title, greeting, suggestions, theme, position, locale, accent, open, launcher, target, token, accept } = data;
  const given = { title, greeting, locale: isLocale(locale) ? locale : undefined, accent, target, token, accept };
  return {
    ...(Object.fromEntries(Object.entries(given).filter(([, value]) => value)) as Partial<WidgetOptions>),
    suggestions: (suggestions ?? "")
      .split("|")
      .map((text) => text.trim())
      .filter((text) => text !== ""),
    theme: theme === "light" || theme === "dark" ? theme : "auto",
    position: position === "left" ? "left" : "right",
    isOpen: open === "true" || open === "",
    hasLauncher: launcher !== "false",
  };
};

const isLocale = (locale: string | undefined): boolean => {
  try {
    return locale !== undefined && Intl.getCanonicalLocales(locale).length === 1;
  } catch {
    return false;
  }
};
