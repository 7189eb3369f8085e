import { z } from 'zod';

/** `whole`: never shown. `credentials`: a URL that is shown without its password. Both may come from a file. */
export type Secrecy = 'whole' | 'credentials';

export interface VariableMeta {
  /** Completes the sentence "expected …". */
  readonly expected?: string;
  readonly secret?: Secrecy;
  /** Replaces "yes" or "no" in the README's column `required`. */
  readonly required?: string;
  /** The value as it would stand in the environment, where `String(value)` is not that. */
  readonly show?: (value: unknown) => string;
}

export interface Malformed {
  readonly malformed: true;
  /** Says more than `expected`; must not repeat a secret. */
  readonly detail?: string;
}

export type Reading<T> = { readonly value: T } | Malformed;

export const malformed: Malformed = { malformed: true };

/** The message of an issue that says no more than `expected` does. */
export const NO_DETAIL = 'does not fit';

export type Variable<T> = z.ZodPipe<z.ZodString, z.ZodTransform<T, string>>;

/** What is known of variables beyond their schemas; the README's text is where zod keeps it, by `.describe()`. */
export const variableRegistry = z.registry<VariableMeta>();

/** A schema from the text of a variable to its value, with what the error message, the summary and the README need. */
export function variable<T>(meta: VariableMeta, read: (raw: string) => Reading<T>): Variable<T> {
  return z
    .string()
    .transform((raw, context): T => {
      const reading = read(raw);
      if ('value' in reading) return reading.value;
      context.addIssue({ code: 'custom', message: reading.detail ?? NO_DETAIL, input: raw });
      return z.NEVER;
    })
    .register(variableRegistry, meta);
}

/** The metadata of a variable, collected through `.default()`, `.optional()` and the like; the outermost word wins. */
export function variableMeta(schema: z.core.$ZodType): VariableMeta {
  const own = variableRegistry.get(schema);
  const inner = wrappedType(schema);
  return inner === undefined ? { ...own } : { ...variableMeta(inner), ...own };
}

/** The text of `.describe()`, wherever in the chain it was called. */
export function variableDescription(schema: z.core.$ZodType): string | undefined {
  const inner = wrappedType(schema);
  const own = z.globalRegistry.get(schema)?.description;
  return own ?? (inner === undefined ? undefined : variableDescription(inner));
}

export function wrappedType(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  const { def } = schema._zod;
  return 'innerType' in def && def.innerType instanceof z.core.$ZodType ? def.innerType : undefined;
}
