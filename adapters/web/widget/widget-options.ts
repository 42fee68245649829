export interface WidgetOptions {
  /** In place of the agent's name. */
  readonly title?: string;
  /** Shown while nothing has been said. */
  readonly greeting?: string;
  /** Offered while nothing has been said. */
  readonly suggestions: readonly string[];
  readonly theme: "auto" | "light" | "dark";
  readonly position: "left" | "right";
  /** In place of the browser's languages. */
  readonly locale?: string;
  /** A colour as #rrggbb. */
  readonly accent?: string;
  readonly isOpen: boolean;
  readonly hasLauncher: boolean;
  /** A selector: the chat fills this element instead of floating over the page. */
  readonly target?: string;
  /** Signed by the page's server; says who is here. */
  readonly token?: string;
  /** Types of files as in an <input>; all if absent. */
  readonly accept?: string;
}

/** From the `data-*` attributes of the script's tag. What is not understood is as if it were not there. */
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
