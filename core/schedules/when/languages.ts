import type { Chrono } from "chrono-node";

/** A language in which people write times. */
export interface TimeLanguage {
  /** As locales begin. */
  readonly id: string;
  /** Loaded when a time is first read, so that a start does not wait for it. */
  readonly parser: (locale: string) => Promise<Pick<Chrono, "parse">>;
  /** "at 3" can mean 15:00. False: people write "15 Uhr". */
  readonly hasTwelveHours: boolean;
  /** "5/6" can be in May or in June. */
  readonly mixesDayAndMonth: boolean;
  /** Phrases that the parser does not know, in words that it does. */
  readonly rewrites: readonly (readonly [RegExp, string])[];
  /** Words around a time that mean nothing. */
  readonly fillers: RegExp;
  /** "next Friday" can be in this week or in the next one. */
  readonly next: RegExp;
  /** Refers to a day in the past. */
  readonly last: RegExp;
  /** Begins a span: "in 3 days" is a time of its own, "next week" is not. */
  readonly span: RegExp;
  /** Precedes the days of a repetition. */
  readonly every: string;
  /** Joins two days. */
  readonly and: string;
  /** The days of cron expressions by their names, as regular expressions. */
  readonly days: readonly (readonly [string, string])[];
  /** Repetitions without names of days. */
  readonly repetitions: readonly (readonly [RegExp, string])[];
}

const english: TimeLanguage = {
  id: "en",
  parser: async (locale) => {
    const { casual, GB } = await import("chrono-node/en");
    return /-US$/i.test(locale) ? casual : GB;
  },
  hasTwelveHours: true,
  mixesDayAndMonth: true,
  rewrites: [
    [/\b(?:the )?day after tomorrow\b/gi, "in 2 days"],
    [/\bhalf past (\d{1,2})\b/gi, "$1:30"],
  ],
  fillers: /\b(?:on|at|by|the|please|sharp|o'?clock)\b/gi,
  next: /\bnext\b/i,
  last: /\b(?:last|past)\b/i,
  span: /^in\b/i,
  every: "(?:every|each)",
  and: "(?:,|and|, and)",
  days: [
    ["sun(?:day)?s?", "0"],
    ["mon(?:day)?s?", "1"],
    ["tue(?:s|sday)?s?", "2"],
    ["wed(?:nesday)?s?", "3"],
    ["thu(?:rs|rsday)?s?", "4"],
    ["fri(?:day)?s?", "5"],
    ["sat(?:urday)?s?", "6"],
  ],
  repetitions: [
    [/\b(?:every|each) (?:week ?day|working day)s?\b|\b(?:on )?weekdays\b/i, "1-5"],
    [/\b(?:every|each) day\b|\bdaily\b/i, "*"],
  ],
};

/** "halb zwei" is 1:30; the names begin with two. */
const HALF_HOURS = ["zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf"];

const german: TimeLanguage = {
  id: "de",
  parser: async () => (await import("chrono-node/de")).casual,
  hasTwelveHours: false,
  mixesDayAndMonth: false,
  rewrites: [
    [/\bin einer halben stunde\b/gi, "in 30 Minuten"],
    [/\bin einer viertelstunde\b/gi, "in 15 Minuten"],
    [/(?<!\p{L})morgen früh(?!\p{L})/giu, "morgen Vormittag"],
    [/\b(\d{1,2})\.(\d{1,2})\.(?!\d)/g, "$1/$2"],
    ...HALF_HOURS.map((name, index) => [new RegExp(`\\bhalb ${name}\\b`, "gi"), `${index + 1}:30`] as const),
  ],
  fillers: /(?<!\p{L})(?:am|um|den|dem|der|bitte|uhr|punkt)(?!\p{L})/giu,
  next: /(?<!\p{L})nächste[nrsm]?(?!\p{L})/iu,
  last: /\b(?:letzte|vorige|vergangene)[nrsm]?\b/i,
  span: /^in\b/i,
  every: "(?:jede[nrsm]?|immer)",
  and: "(?:,|und)",
  days: [
    ["sonntags?", "0"],
    ["montags?", "1"],
    ["dienstags?", "2"],
    ["mittwochs?", "3"],
    ["donnerstags?", "4"],
    ["freitags?", "5"],
    ["samstags?|sonnabends?", "6"],
  ],
  repetitions: [
    [/\b(?:jeden (?:werktag|arbeitstag)|werktags|wochentags)\b/i, "1-5"],
    [/\bjeden tag\b|(?<!\p{L})täglich(?!\p{L})/iu, "*"],
  ],
};

const spanish: TimeLanguage = {
  id: "es",
  parser: async () => (await import("chrono-node/es")).casual,
  hasTwelveHours: false,
  mixesDayAndMonth: false,
  rewrites: [
    [/\bpasado mañana\b/gi, "en 2 días"],
    [/\ben media hora\b/gi, "en 30 minutos"],
    [/(\d) de la mañana(?!\p{L})/giu, "$1 am"],
    [/(\d) de la (?:tarde|noche)\b/gi, "$1 pm"],
    [/(?<!\p{L})a mediodía(?!\p{L})|(?<!\p{L})al mediodía(?!\p{L})/giu, "a las 12:00"],
  ],
  fillers: /(?<!\p{L})(?:el|la|a|las|los|por favor|en punto)(?!\p{L})/giu,
  next: /(?<!\p{L})próxim[oa](?!\p{L})|\bque viene\b/iu,
  last: /\b(?:pasad[oa]|últim[oa])\b/iu,
  span: /^(?:en|dentro de)\b/i,
  every: "(?:cada|todos los|todas las)",
  and: "(?:,|y)",
  days: [
    ["domingos?", "0"],
    ["lunes", "1"],
    ["martes", "2"],
    ["miércoles|miercoles", "3"],
    ["jueves", "4"],
    ["viernes", "5"],
    ["sábados?|sabados?", "6"],
  ],
  repetitions: [
    [/(?:todos los |cada )(?:días?|dias?) (?:laborables?|hábil(?:es)?)(?!\p{L})|\bentre semana\b/iu, "1-5"],
    [/\btodos los (?:días|dias)(?!\p{L})|\bcada (?:día|dia)(?!\p{L})|\ba diario\b|\bdiariamente\b/iu, "*"],
  ],
};

/** The only list of languages for times: a new one is one entry here. The person's own language is tried first. */
const languages: readonly TimeLanguage[] = [english, german, spanish];

export const languagesFor = (locale: string | undefined): readonly TimeLanguage[] => {
  const own = locale?.slice(0, 2).toLowerCase();
  return [...languages.filter(({ id }) => id === own), ...languages.filter(({ id }) => id !== own)];
};
