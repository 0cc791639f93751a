/* The words of the page, one JSON file a language. A text is a string with {names} in it, or one string for each plural
 * form of the number `n`. */

export const LANGUAGES = ["en"];

let texts = {};
let language = "en";
let plural = new Intl.PluralRules("en");

/** The first language of the browser that there is a file for. */
export function preferredLanguage(wanted = navigator.languages) {
  const known = wanted.map((tag) => tag.toLowerCase().split("-")[0]).find((tag) => LANGUAGES.includes(tag));
  return known ?? LANGUAGES[0];
}

export async function loadTexts(wanted) {
  const answer = await fetch(new URL(`./texts/${wanted}.json`, import.meta.url));
  useTexts(wanted, await answer.json());
}

export function useTexts(wanted, words) {
  texts = words;
  language = wanted;
  plural = new Intl.PluralRules(wanted);
  if (typeof document !== "undefined") document.documentElement.lang = wanted;
}

/** The text of `key` in the page's language, with `values` put in. An unknown key shows itself. */
export function t(key, values = {}) {
  const entry = texts[key] ?? key;
  const text = typeof entry === "string" ? entry : (entry[plural.select(values.n)] ?? entry.other);
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? shown(values[name]) : whole));
}

function shown(value) {
  return typeof value === "number" ? new Intl.NumberFormat(language).format(value) : String(value);
}

/** Seconds with one decimal below ten, whole ones above. */
export function seconds(ms) {
  const digits = ms < 10_000 ? 1 : 0;
  const number = new Intl.NumberFormat(language, { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return t("time.seconds", { s: number.format(ms / 1000) });
}

/** A time of day for today, else day and month; the whole form is for titles. */
export function clock(iso) {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return "";
  const isToday = date.toDateString() === new Date().toDateString();
  const form = isToday ? { hour: "numeric", minute: "2-digit" } : { day: "numeric", month: "short" };
  return new Intl.DateTimeFormat(language, form).format(date);
}

export function fullTime(iso) {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return "";
  return new Intl.DateTimeFormat(language, { dateStyle: "full", timeStyle: "long" }).format(date);
}

/** Whole local days from `iso` to now: 0 for today, by the user's own midnight. */
export function daysAgo(iso) {
  const then = new Date(iso);
  if (Number.isNaN(then.getTime())) return 0;
  const midnight = (date) => Date.UTC(date.getFullYear(), date.getMonth(), date.getDate());
  return Math.round((midnight(new Date()) - midnight(then)) / 86_400_000);
}
