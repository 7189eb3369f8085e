import { isAt, nextAt } from './tokens.js';
import type { Package, Routine, Schema } from './schema.js';
import type { Finding, Token } from './tokens.js';

/** Whether the two halves of each package agree, and every variable is declared. */
export function packageFindings({ packages }: Schema, own: readonly Package[]): Finding[] {
  return own.flatMap((unit) => [
    ...(unit.isBody ? unit.routines.flatMap((routine) => undeclared(unit, routine)) : []),
    ...halves(
      unit,
      packages.find((other) => other.name === unit.name && other.isBody !== unit.isBody),
    ),
  ]);
}

function halves(unit: Package, other: Package | undefined): Finding[] {
  const rule = 'spec and body agree';
  if (!other) return [{ rule, line: 1, what: `${unit.name} has only one of the two` }];
  // The body may have more than it shows.
  if (unit.isBody) return [];
  const heads = new Set(other.routines.map(({ head }) => head));
  return unit.routines
    .filter(({ head }) => !heads.has(head))
    .map(({ name, line }) => ({ rule, line, what: `${unit.name}.${name}` }));
}

/** Variables are known by their prefix: p_ parameters, l_ locals, c_ cursors, e_ exceptions. */
function undeclared({ tokens }: Package, { from, to, parameters }: Routine): Finding[] {
  const declared = new Set(parameters);
  const body = tokens.slice(from, to);
  for (const [at, token] of body.entries()) if (declares(body, at)) declared.add(token.text);
  return body
    .filter((token, at) => isVariable(token) && !isAt(body, at - 1, '.') && !isAt(body, at + 1, '=>'))
    .filter(({ text }) => !declared.has(text))
    .map(({ text, line }) => ({ rule: 'variables are declared', line, what: text }));
}

const isVariable = ({ kind, text }: Token): boolean => kind === 'word' && /^[PLCE]_/.test(text);

function declares(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at];
  const [before = '', after] = [tokens[at - 1]?.text, tokens[at + 1]];
  if (!token || !isVariable(token)) return false;
  if (before === 'CURSOR') return true;
  if (before === '(' || before === ',') return after?.text === 'IN' || after?.text === 'OUT';
  return [';', 'IS', 'AS', 'DECLARE'].includes(before) && after?.kind === 'word';
}

/** A call names each parameter of the routine, and no other. */
export function callFindings({ packages }: Schema, tokens: readonly Token[]): Finding[] {
  const specs = new Map(packages.filter(({ isBody }) => !isBody).map((unit) => [unit.name, unit]));
  return tokens.flatMap(({ text, line }, at) => {
    const unit = specs.get(text);
    if (!unit || !isAt(tokens, at + 1, '.')) return [];
    const name = tokens[at + 2]?.text ?? '';
    const routine = unit.routines.find((one) => one.name === name);
    if (!routine)
      return [{ rule: 'calls agree with the spec', line, what: `${text}.${name} does not exist` }];
    const depth = tokens[at]?.depth ?? 0;
    const call = tokens.slice(at, nextAt(tokens, at, { texts: [')'], depth }));
    const named = call.filter((_token, place) => isAt(call, place + 1, '=>')).map((token) => token.text);
    const byName = named.length > 0 || routine.parameters.length > 1;
    const same = named.toSorted().join() === routine.parameters.toSorted().join();
    return byName && !same ? [{ rule: 'calls agree with the spec', line, what: `${text}.${name}` }] : [];
  });
}
