import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { initialStatuses, paymentStatuses, paymentTransitions } from './status.js';

const page = readFileSync(join(__dirname, '..', '..', '..', 'docs', 'state-machine.md'), 'utf8');
const section = /## A payment\n(.*?)(?=\n## |$)/s.exec(page)?.[1] ?? '';
const drawn = [...section.matchAll(/^ {2}(\S+) --> (\S+)$/gm)].map(([, from, to]) => `${from} > ${to}`);

describe('docs/state-machine.md', () => {
  test('draws the very arrows that the code has', () => {
    const known = paymentStatuses.flatMap((from) => paymentTransitions[from].map((to) => `${from} > ${to}`));
    const arrows = drawn.filter((arrow) => !arrow.includes('[*]'));
    expect(arrows.toSorted()).toEqual(known.toSorted());
  });

  test('draws where a payment begins and where it ends for good', () => {
    const begins = initialStatuses.map((status) => `[*] > ${status}`);
    const ends = paymentStatuses.filter((status) => paymentTransitions[status].length === 0);
    const edges = drawn.filter((arrow) => arrow.includes('[*]'));
    expect(edges.toSorted()).toEqual([...begins, ...ends.map((status) => `${status} > [*]`)].toSorted());
  });

  test('says of every state what it means', () => {
    const described = [...section.matchAll(/^\| ([A-Z]+) +\|/gm)].map(([, status]) => status);
    expect(described.toSorted()).toEqual([...paymentStatuses].toSorted());
  });
});
