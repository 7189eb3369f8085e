/** What stands in the place of something that must not be read. */
export const REDACTED = '***';

const SECRET_PARAMETER = /pass|secret|token|key/i;

/** A URL without its password and without secrets in its query; undefined when it is no URL. */
export function redactUrl(raw: string): string | undefined {
  const url = raw.includes('://') ? URL.parse(raw) : null;
  if (url === null) return undefined;
  const secretParameters = [...url.searchParams.keys()].filter((name) => SECRET_PARAMETER.test(name));
  // Untouched when there is nothing to hide, since a parsed URL is written in another way than it came.
  if (url.password === '' && secretParameters.length === 0) return raw;
  if (url.password !== '') url.password = REDACTED;
  for (const name of secretParameters) url.searchParams.set(name, REDACTED);
  return url.href;
}

// Every pattern takes a quote or a backslash only as a whole JSON escape, so that a line of JSON stays one.
const URL_CREDENTIALS = /([a-z][a-z0-9+.-]*:\/\/[^\s:/?#@"\\]*):(?:[^\s"\\/?#]|\\.)*@/gi;
const API_KEY = /\bslk_([a-z0-9-]{1,64})_[A-Za-z0-9_-]{20,}/g;
const WEBHOOK_SECRET = /\bwhsec_[A-Za-z0-9+/=_-]+/g;
const AUTHORIZATION = /\b(Bearer|Basic) +[A-Za-z0-9+/=._~-]{8,}/gi;

/** Replaces what can be recognised as a secret by its form alone, wherever it stands in the text. */
export function redactText(line: string): string {
  return line
    .replace(URL_CREDENTIALS, `$1:${REDACTED}@`)
    .replace(AUTHORIZATION, `$1 ${REDACTED}`)
    .replace(API_KEY, `slk_$1_${REDACTED}`)
    .replace(WEBHOOK_SECRET, `whsec_${REDACTED}`);
}
