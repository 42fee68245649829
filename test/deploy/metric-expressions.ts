interface UsedMetric {
  readonly name: string;
  /** The labels that select series, and those that the expression groups by. */
  readonly labels: readonly string[];
}

const METRIC = /\b(up|(?:mooring|process|nodejs)_\w+)(?:\{([^}]*)\})?/g;

/** The metrics of a PromQL expression. Grouping labels count for every metric of the expression. */
export const usedMetrics = (expression: string): UsedMetric[] => {
  const plain = expression.replace(/\s+/g, " ");
  const grouped = [...plain.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = ""]) => list.split(/, ?/));
  const outside = plain.replace(/\bby \([^)]*\)/g, "");
  return [...outside.matchAll(METRIC)].map(([, name = "", selector = ""]) => {
    const selected = [...selector.matchAll(/(\w+) *(?:=~|!~|!=|=)/g)].map(([, label = ""]) => label);
    return { name, labels: [...new Set([...selected, ...grouped])] };
  });
};

interface Dashboard {
  readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[];
}

export const dashboardExpressions = ({ panels }: Dashboard): string[] =>
  panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
