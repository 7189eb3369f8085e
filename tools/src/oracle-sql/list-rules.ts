import { isAt, itemsBetween, nextAt } from './tokens.js';
import type { Finding, Token } from './tokens.js';

/** Lists that have to be equally long: columns and values of an INSERT, what is selected or returned and where it goes. */
export function listFindings(tokens: readonly Token[]): Finding[] {
  return tokens.flatMap((token, at) => {
    if (isAt(tokens, at, 'INSERT', 'INTO')) return unequal(token, 'INSERT', insertLists(tokens, at));
    if (token.text === 'RETURNING') return unequal(token, 'RETURNING … INTO', returningLists(tokens, at));
    if (token.text === 'SELECT') return unequal(token, 'SELECT … INTO', selectLists(tokens, at));
    return [];
  });
}

type Lengths = readonly [number, number] | undefined;

function unequal({ line }: Token, where: string, lengths: Lengths): Finding[] {
  if (!lengths || lengths[0] === lengths[1]) return [];
  return [{ rule: 'lists of one length', line, what: `${where}: ${lengths[0]} and ${lengths[1]}` }];
}

function insertLists(tokens: readonly Token[], at: number): Lengths {
  const depth = tokens[at]?.depth ?? 0;
  const open = nextAt(tokens, at, { texts: ['('], depth });
  const close = nextAt(tokens, open, { texts: [')'], depth });
  const columns = itemsBetween(tokens, open + 1, close);
  if (isAt(tokens, close + 1, 'VALUES')) {
    const end = nextAt(tokens, close + 2, { texts: [')'], depth });
    return [columns, itemsBetween(tokens, close + 3, end)];
  }
  if (!isAt(tokens, close + 1, 'SELECT')) return undefined;
  return [columns, itemsBetween(tokens, close + 2, nextAt(tokens, close + 1, { texts: ['FROM'], depth }))];
}

function returningLists(tokens: readonly Token[], at: number): Lengths {
  const depth = tokens[at]?.depth ?? 0;
  const into = nextAt(tokens, at, { texts: ['INTO'], depth });
  const end = nextAt(tokens, into, { texts: [';'], depth });
  const bulk = isAt(tokens, into - 2, 'BULK', 'COLLECT') ? 2 : 0;
  return [itemsBetween(tokens, at + 1, into - bulk), itemsBetween(tokens, into + 1, end)];
}

function selectLists(tokens: readonly Token[], at: number): Lengths {
  const depth = tokens[at]?.depth ?? 0;
  const from = nextAt(tokens, at, { texts: ['FROM', ';'], depth });
  const into = nextAt(tokens, at, { texts: ['INTO'], depth });
  if (into > from || into === tokens.length) return undefined;
  const bulk = isAt(tokens, into - 2, 'BULK', 'COLLECT') ? 2 : 0;
  return [itemsBetween(tokens, at + 1, into - bulk), itemsBetween(tokens, into + 1, from)];
}
