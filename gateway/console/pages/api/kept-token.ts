const KEY = "mooring.operator-token";

/** The operator's token, for as long as this tab is open. A browser that keeps nothing asks again after a reload. */
export const keptToken = {
  read(): string | undefined {
    try {
      return sessionStorage.getItem(KEY) ?? undefined;
    } catch {
      return undefined;
    }
  },
  write(token: string | undefined): void {
    try {
      if (token === undefined) sessionStorage.removeItem(KEY);
      else sessionStorage.setItem(KEY, token);
    } catch {
      // Storage is forbidden here: the token lives as long as the page.
    }
  },
};
