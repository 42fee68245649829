/** What is counted and measured; the gateway gives it to Prometheus. Names are snake_case with their unit. */
export interface Meter {
  count(name: string, labels?: Labels, by?: number): void;
  observe(name: string, value: number, labels?: Labels): void;
  gauge(name: string, value: number, labels?: Labels): void;
}

export type Labels = Readonly<Record<string, string>>;

export const silentMeter: Meter = { count() {}, observe() {}, gauge() {} };
