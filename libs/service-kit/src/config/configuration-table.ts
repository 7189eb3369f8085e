import type { z } from 'zod';
import { fileVariable } from './read-raw-value.js';
import { showValue } from './summary.js';
import { variableDescription, variableMeta } from './variable.js';
import type { VariableMeta } from './variable.js';

/** The variables of a service as a Markdown table for its README. */
export function configurationTable(schema: z.ZodObject): string {
  const shape: Readonly<Record<string, z.ZodType>> = schema.shape;
  const rows = Object.entries(shape).map(([name, field]) => tableRow(name, field));
  return [
    '| Variable | Meaning | Default | Required | Secret |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}

function tableRow(name: string, field: z.ZodType): string {
  const meta = variableMeta(field);
  const absent = field.safeParse(undefined);
  const required = meta.required ?? (absent.success ? 'no' : 'yes');
  const fallback = absent.success && absent.data !== undefined ? showValue(meta, absent.data) : '';
  const cells = [
    `\`${name}\``,
    [variableDescription(field), meta.expected].filter((part) => part !== undefined).join('; '),
    fallback === '' ? '' : `\`${fallback}\``,
    required,
    secrecy(name, meta),
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function secrecy(name: string, meta: VariableMeta): string {
  if (meta.secret === undefined) return 'no';
  return `${meta.secret === 'whole' ? 'yes' : 'its password'}, or a file in \`${fileVariable(name)}\``;
}
