import { figure, renderTable, times, whole } from './table.js';

describe('a table', () => {
  it('has names to the left and figures to the right', () => {
    const text = renderTable({
      title: 'rates',
      header: ['what', 'rows/s'],
      rows: [
        ['a long name', '9'],
        ['short', '12,345'],
      ],
    });
    expect(text.split('\n')).toEqual([
      'rates',
      '  what         rows/s',
      '  ───────────  ──────',
      '  a long name       9',
      '  short        12,345',
    ]);
  });

  it('leaves a missing cell empty, without spaces at the end', () => {
    const text = renderTable({ title: 't', header: ['what', 'n'], rows: [['alone']] });
    expect(text.split('\n').at(-1)).toBe('  alone');
  });
});

describe('a figure', () => {
  it.each([
    [0, '0'],
    [0.0341, '0.034'],
    [3.417, '3.42'],
    [34.17, '34.2'],
    [341.7, '342'],
    [1_234_567.8, '1,234,568'],
  ])('%d is shown as %s', (value, text) => {
    expect(figure(value)).toBe(text);
  });

  it('is whole or a factor where that is meant', () => {
    expect([whole(1_000_000.4), times(1.318)]).toEqual(['1,000,000', '1.32×']);
  });
});
