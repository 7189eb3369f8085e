import { RailCalendarsInput, type RailCalendars } from '@sluice/payments';
import { malformed, variable, type Variable } from '@sluice/service-kit';

const expected =
  'a JSON object of calendars by rail, such as {"ACH":{"timeZone":"America/New_York","cutOff":"16:45"}}';

/** A variable that holds the calendars of rails. */
export function railCalendars(): Variable<RailCalendars> {
  return variable({ expected, show: () => '{}' }, (raw) => {
    const json = parse(raw);
    if (json === undefined) return malformed;
    const parsed = RailCalendarsInput.safeParse(json.value);
    if (parsed.success) return { value: parsed.data };
    const [issue] = parsed.error.issues;
    return { malformed: true, detail: `${issue?.path.join('.') || 'the value'}: ${issue?.message}` };
  });
}

function parse(text: string): { value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return { value };
  } catch {
    return undefined;
  }
}
