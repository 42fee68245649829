const KEY = "mooring.operator-token";

/** Stores the operator's token in the tab's session storage; without storage the operator signs in after each reload. */
export const storedToken = {
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
      // Storage is disabled: the token stays in memory only.
    }
  },
};
